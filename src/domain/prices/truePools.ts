/** Pools as deep as they are near their prices: what is parked where no swap reaches it does not count. */
import { Effect } from "effect"
import type { AnchorWorth, PoolHistory } from "../model/price.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import type { DepthsOf } from "./depths.ts"
import { type PriceRule, poolPrice } from "./poolPrice.ts"

/** What pools are judged by. */
export interface Judging {
  readonly decimals: ReadonlyMap<Address, number>
  readonly anchors: ReadonlyMap<Address, AnchorWorth>
  readonly rule: PriceRule
  /** Seconds. */
  readonly at: number
  /** `at` is where the ledger stands. */
  readonly newest: boolean
}

type TokenPool = PoolHistory & { readonly token: Address }

/** Of pools that speak by what they hold those that do so by their true depth. No others are asked about. */
export const truePools = Effect.fnUntraced(function* (
  chainId: ChainId,
  histories: ReadonlyArray<TokenPool>,
  depthsOf: DepthsOf,
  { decimals, anchors, rule, at, newest }: Judging,
) {
  const speaking = histories.filter((history) => {
    const [known, anchor] = [decimals.get(history.token), anchors.get(history.anchor)]
    return known !== undefined && anchor && poolPrice(history, known, anchor, at, rule) !== undefined
  })
  if (speaking.length === 0) return []
  // The newest, and one that nobody can foresee: depth is not to be had for a block at the end of an hour.
  const all = speaking.flatMap(({ swaps }) => swaps.map(({ blockNumber }) => blockNumber)).sort((a, b) => b - a)
  const blocks = [all[0]!, all[all.length >> 1]!]
  const pools = [...new Set(speaking.map(({ pool }) => pool))]
  const depths = yield* depthsOf(chainId, pools, { at, blocks, newest })
  return speaking.flatMap((history): ReadonlyArray<TokenPool> => {
    const depth = depths.get(history.pool)
    if (depth === undefined) return []
    return [depth === "held" ? history : { ...history, held: [...history.held, depth.get(history.anchor) ?? 0n] }]
  })
})
