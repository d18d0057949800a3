/** Which block is nearest to a time: between two whose times the ledger knows, the node's headers tell. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { FigureUnknown } from "../../model/errors.ts"
import type { ChainId } from "../../model/primitives.ts"
import { BlockTimes } from "../../ports/BlockTimes.ts"
import { ChainSource } from "../../ports/ChainSource.ts"
import { whyNotNewest } from "../lag/ledgerLag.ts"
import { nodeTimeout, takeNodeTurn, whyUnasked } from "../turns/nodeWait.ts"

export interface BlockByTimeQuery {
  readonly chainId: ChainId
  /** Seconds since 1970. */
  readonly time: number
  /** `before`: the last block that is not younger; `after`: the first that is not older. */
  readonly closest: "before" | "after"
}

/** Headers that are asked for at once. */
const atOnce = 16

/** undefined where there is none. Exact, or it fails. */
export const findBlockByTime = Effect.fnUntraced(function* ({ chainId, time, closest }: BlockByTimeQuery) {
  const times = yield* BlockTimes
  // The block that is asked for is the last before this, or the one behind that.
  const bound = closest === "before" ? time + 1 : time
  const { asOf, value } = yield* times.around(chainId, bound)
  const [head] = asOf
  if (head === undefined) return yield* unknown(asOf, "nothing is indexed yet. Try again shortly")
  const { before, after } = value
  if (after === undefined) {
    const why = yield* whyNotNewest(head)
    if (why !== undefined) return yield* unknown(asOf, `${why}. Try again shortly`)
    return { asOf, value: closest === "before" ? head.blockNumber : undefined, ofNode: false }
  }
  // The ledger begins with the chain's first block, which it knows the time of: there is no block 0.
  const isBeginning = before === undefined && head.firstBlock === 0 && after.block === 1
  if (isBeginning) return { asOf, value: closest === "before" ? undefined : 1, ofNode: false }
  let low = before?.block ?? -1
  let high = after.block
  const isKnown = high - low === 1
  const source = yield* ChainSource
  const client = source.of(chainId)
  if (!isKnown) yield* takeNodeTurn((why) => unknown(asOf, why))
  while (high - low > 1) {
    const asked = between(low, high)
    const headers = yield* client.headers(asked).pipe(
      Effect.timeout(nodeTimeout),
      Effect.mapError((error) => unknown(asOf, whyUnasked(error))),
    )
    const older = headers.findLastIndex((header) => header !== undefined && header.time < bound)
    if (headers.includes(undefined))
      return yield* unknown(asOf, "the chain's node does not have the blocks. Try again shortly")
    high = asked[older + 1] ?? high
    low = asked[older] ?? low
  }
  const found = closest === "before" ? low : high
  return { asOf, value: found < 0 ? undefined : found, ofNode: !isKnown }
})

/** Some blocks between the two, evenly; all of them where they are few. */
const between = (low: number, high: number): ReadonlyArray<number> => {
  const parts = Math.min(atOnce + 1, high - low)
  return Array.from({ length: parts - 1 }, (_, index) => low + Math.floor(((index + 1) * (high - low)) / parts))
}

const unknown = (asOf: ReadonlyArray<AsOf>, why: string) =>
  new FigureUnknown({ message: `the block is not known: ${why}`, asOf })
