/** The price of a token in one pool: the time-weighted median of what its swaps paid. */
import type { AnchoredSwap, AnchorWorth, PoolHistory, Usd } from "../model/price.ts"
import { oneDollar } from "../model/price.ts"
import { type Weighted, weightedMedian } from "./weightedMedian.ts"

/** What a pool must be to speak, and which of its swaps count. The rule is at priceOf.ts. */
export interface PriceRule {
  /** Least that a pool holds of the anchor (or the V2 pool that is as deep), and least traded × 100, in dollars. */
  readonly minDepth: Usd
}

/** Fewer blocks with swaps say nothing. */
export const minBlocks = 5
/** Swaps of less say nothing. */
const minValue: Usd = oneDollar
/** Of either side, subunits: below it whole subunits are too coarse to divide. */
const minSubunits = 100n
/** Parts of the weight that one block may have: a third. */
const largestShare = 3n
/** Prices inside the rule have 36 decimals, so that 18 are left after the last rounding. */
export const extraDecimals = 10n ** 18n

export interface PoolPrice {
  /** US dollars a whole token, with 36 decimals. */
  readonly price: bigint
  readonly depth: Usd
}

/** Undefined = the pool says nothing that can be trusted. `until`: the time of the price, seconds. */
export const poolPrice = (
  { swaps, held }: PoolHistory,
  decimals: number,
  anchor: AnchorWorth,
  until: number,
  { minDepth }: PriceRule,
): PoolPrice | undefined => {
  const depth = worthOf(leastOf(held), anchor)
  const counted = swaps.filter(
    (swap) =>
      swap.time <= until &&
      swap.tokenQty >= minSubunits &&
      swap.anchorQty >= minSubunits &&
      worthOf(swap.anchorQty, anchor) >= minValue,
  )
  const volume = counted.reduce((sum, { anchorQty }) => sum + worthOf(anchorQty, anchor), 0n)
  if (depth < minDepth || depth <= 0n || volume * 100n < minDepth) return undefined
  const blocks = blocksOf(counted)
  if (blocks.length < minBlocks) return undefined
  const prices = blocks.map((block, place): Weighted => {
    const end = blocks[place + 1]?.[0]?.time ?? until
    // A second more: blocks of the same second count alike.
    return { value: medianOf(block, decimals, anchor), weight: BigInt(Math.max(end - block[0]!.time, 0)) + 1n }
  })
  return { price: weightedMedian(capped(prices)), depth }
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

/** Of a block's swaps, each the same weight. */
const medianOf = (block: ReadonlyArray<AnchoredSwap>, decimals: number, anchor: AnchorWorth): bigint =>
  weightedMedian(block.map((swap) => ({ value: ratioOf(swap, decimals, anchor), weight: 1n })))

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
