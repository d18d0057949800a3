/** Pools as deep as they are near their prices: what is parked where no swap reaches it does not count. */
import { Effect } from "effect"
import type { AnchorWorth, NearDepth, PoolHistory } from "../../model/price.ts"
import type { Address } from "../../model/primitives.ts"
import type { DepthsOf } from "./depths.ts"
import { type PoolPrice, type PriceRule, poolPrice, ratioOf } from "./poolPrice.ts"

/** What pools are judged by. */
export interface Judging {
  readonly decimals: ReadonlyMap<Address, number>
  readonly anchors: ReadonlyMap<Address, AnchorWorth>
  readonly rule: PriceRule
  /** Seconds. */
  readonly at: number
  /** By the chain, seconds. */
  readonly now: number
  /** `at` is where the ledger stands. */
  readonly newest: boolean
}

export type TokenPool = PoolHistory & { readonly token: Address }

export interface TruePools {
  /** Those that speak. */
  readonly pools: ReadonlyArray<TokenPool>
  /** Those that would, of which no node can tell any more how deep they were near their price. */
  readonly unproven: ReadonlyArray<TokenPool>
  /** Pools that were decided by the depth near the price, or by there being none. */
  readonly judged: ReadonlyArray<Address>
  /** Tokens that wait for what cannot be read now of a pool of theirs. */
  readonly waits: ReadonlySet<Address>
}

/** Of pools that speak by what they hold those that do so by their true depth. No others are asked about. */
export const truePools = Effect.fnUntraced(function* (
  histories: ReadonlyArray<TokenPool>,
  depthsOf: DepthsOf,
  judging: Judging,
) {
  const { at, now, newest } = judging
  const speaking = histories.filter((history) => priceIn(history, judging) !== undefined)
  const waits = new Set<Address>()
  if (speaking.length === 0) return { pools: [], unproven: [], judged: [], waits } satisfies TruePools
  // The newest, and one that nobody can foresee: depth is not to be had for a block at the end of an hour.
  const all = speaking.flatMap(({ swaps }) => swaps.map(({ blockNumber }) => blockNumber)).sort((a, b) => b - a)
  const blocks = [all[0]!, all[all.length >> 1]!]
  const asked = [...new Set(speaking.map(({ pool }) => pool))]
  const { depths, gone, awaited } = yield* depthsOf(asked, { at, now, blocks, newest })
  for (const { pool, token } of speaking) if (awaited.has(pool)) waits.add(token)
  const pools = speaking
    .flatMap((history): ReadonlyArray<TokenPool> => {
      const depth = depths.get(history.pool)
      // Its price is the ratio of all that it holds.
      if (depth === "held") return history.isDoubtful ? [] : [{ ...history, isProduct: true }]
      if (depth === undefined || !isNearPrice(depth, history, judging)) return []
      return [{ ...history, held: [...history.held, depth.get(history.anchor) ?? 0n] }]
    })
    .filter((history) => priceIn(history, judging) !== undefined)
  const judged = asked.filter((pool) => depths.get(pool) !== "held" && !awaited.has(pool))
  const unproven = speaking.filter(({ pool }) => gone.has(pool))
  return { pools, unproven, judged, waits } satisfies TruePools
})

const priceIn = (history: TokenPool, { decimals, anchors, rule, at }: Judging): PoolPrice | undefined => {
  const [known, anchor] = [decimals.get(history.token), anchors.get(history.anchor)]
  return known === undefined || anchor === undefined
    ? undefined
    : poolPrice(history, { decimals: known, anchor, until: at, rule })
}

/** The depth is where the swaps were: it is of a price that differs by no more than a half. */
const isNearPrice = (depth: Exclude<NearDepth, string>, history: TokenPool, judging: Judging): boolean => {
  const [tokenQty, anchorQty] = [depth.get(history.token) ?? 0n, depth.get(history.anchor) ?? 0n]
  const price = priceIn(history, judging)?.price
  if (tokenQty === 0n || price === undefined) return false
  const there = ratioOf(
    { tokenQty, anchorQty },
    judging.decimals.get(history.token)!,
    judging.anchors.get(history.anchor)!,
  )
  return there * 2n <= price * 3n && price * 2n <= there * 3n
}
