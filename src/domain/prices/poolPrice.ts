/** The price of a token in one pool: the time-weighted median of what its blocks with swaps say. */
import type { AnchoredSwap, AnchorWorth, PoolHistory, Usd } from "../../model/price.ts"
import { oneDollar } from "../../model/price.ts"
import { type Weighted, weightedMedian } from "./weightedMedian.ts"
import { distance } from "./wholeNumbers.ts"

/** What a pool must be to speak, and which of its swaps count. The rule is at priceOf.ts. */
export interface PriceRule {
  /** Least that a pool holds of the anchor (or the V2 pool that is as deep), and least traded × 100, in dollars. */
  readonly minDepth: Usd
}

/** Fewer blocks with swaps say nothing. */
const minBlocks = 5
/** Swaps of less say nothing. */
const minValue: Usd = oneDollar
/** Of either side, subunits: below it whole subunits are too coarse to divide. */
const minSubunits = 100n
/** Parts of the weight that one block may have: a third. */
const largestShare = 3n
/** A swap in a V2 pool is believed within one part in so many of the ratio of what the pool holds. */
const farthest = 10n
/** Prices inside the rule have 36 decimals, so that 18 are left after the last rounding. */
export const extraDecimals = 10n ** 18n

export interface PoolPrice {
  /** US dollars a whole token, with 36 decimals. */
  readonly price: bigint
  readonly depth: Usd
}

export interface PoolPricing {
  /** Of the token. */
  readonly decimals: number
  readonly anchor: AnchorWorth
  /** The time of the price, seconds. */
  readonly until: number
  readonly rule: PriceRule
}

/** Undefined = the pool says nothing that can be trusted. */
export const poolPrice = (
  { swaps, held, isProduct }: PoolHistory,
  { decimals, anchor, until, rule: { minDepth } }: PoolPricing,
): PoolPrice | undefined => {
  // Also after blocks whose swaps do not count.
  const depth = worthOf(leastOf([...held, ...swaps.map(({ heldAnchor }) => heldAnchor)]), anchor)
  const counted = swaps.filter(
    (swap) =>
      swap.time <= until &&
      swap.tokenQty >= minSubunits &&
      swap.anchorQty >= minSubunits &&
      worthOf(swap.anchorQty, anchor) >= minValue,
  )
  if (depth < minDepth || depth <= 0n) return undefined
  let volume: Usd = 0n
  const blocks = blocksOf(counted)
  const prices = blocks.flatMap((block, place): ReadonlyArray<Weighted> => {
    const { value, believed } = blockPrice(block, isProduct === true, decimals, anchor)
    if (value === undefined) return []
    for (const { anchorQty } of believed) volume += worthOf(anchorQty, anchor)
    // It ends what stood before, whether it says anything itself or not.
    const end = blocks[place + 1]?.[0]?.time ?? until
    // A second more: blocks of the same second count alike.
    return [{ value, weight: BigInt(Math.max(end - block[0]!.time, 0)) + 1n }]
  })
  if (prices.length < minBlocks || volume * 100n < minDepth) return undefined
  return { price: weightedMedian(capped(prices)), depth }
}

/** What a block says, and by which of its swaps; `value` undefined = nothing. */
const blockPrice = (
  block: ReadonlyArray<AnchoredSwap>,
  isProduct: boolean,
  decimals: number,
  anchor: AnchorWorth,
): { readonly value: bigint | undefined; readonly believed: ReadonlyArray<AnchoredSwap> } => {
  if (!isProduct) return { value: medianOf(block, decimals, anchor), believed: block }
  const { heldToken: tokenQty, heldAnchor: anchorQty } = block[0]!
  if (tokenQty <= 0n) return { value: undefined, believed: [] }
  const ratio = ratioOf({ tokenQty, anchorQty }, decimals, anchor)
  const believed = block.filter((swap) => distance(ratioOf(swap, decimals, anchor), ratio) * farthest <= ratio)
  return { value: believed.length === 0 ? undefined : ratio, believed }
}

const worthOf = (quantity: bigint, { price, decimals }: AnchorWorth): Usd =>
  (quantity * price) / 10n ** BigInt(decimals)

const leastOf = ([first, ...others]: ReadonlyArray<bigint>): bigint => {
  let least = first ?? 0n
  for (const other of others) if (other < least) least = other
  return least
}

/** Swaps block by block, ascending. */
const blocksOf = (swaps: ReadonlyArray<AnchoredSwap>): ReadonlyArray<ReadonlyArray<AnchoredSwap>> => {
  const byBlock = Map.groupBy(swaps, ({ blockNumber }) => blockNumber)
  return [...byBlock.entries()].sort(([a], [b]) => a - b).map(([, swaps]) => swaps)
}

/** Of a block's swaps, by how much of the anchor changed hands. */
const medianOf = (block: ReadonlyArray<AnchoredSwap>, decimals: number, anchor: AnchorWorth): bigint =>
  weightedMedian(block.map((swap) => ({ value: ratioOf(swap, decimals, anchor), weight: swap.anchorQty })))

/** So much of the anchor for so much of the token, subunits, as a price; some of the token. */
export const ratioOf = (
  { tokenQty, anchorQty }: Pick<AnchoredSwap, "tokenQty" | "anchorQty">,
  decimals: number,
  anchor: AnchorWorth,
): PoolPrice["price"] =>
  (anchorQty * anchor.price * extraDecimals * 10n ** BigInt(decimals)) / (tokenQty * 10n ** BigInt(anchor.decimals))

/** No weight more than a third of their sum: with three prices and more there is such a cut. Weights are at least 1. */
const capped = (prices: ReadonlyArray<Weighted>): ReadonlyArray<Weighted> => {
  // Thirds stay whole.
  const weights = prices.map(({ weight }) => weight * 6n).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0))
  let rest = weights.reduce((sum, weight) => sum + weight, 0n)
  let cap = weights[0]!
  for (let above = 0n; above < largestShare; above++) {
    // The `above` heaviest are cut to `cap`: above × cap + rest = 3 × cap.
    cap = rest / (largestShare - above)
    const next = weights[Number(above)]!
    if (next <= cap) break
    rest -= next
  }
  return prices.map(({ value, weight }) => ({ value, weight: weight * 6n < cap ? weight * 6n : cap }))
}
