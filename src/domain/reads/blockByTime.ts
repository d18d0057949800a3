/** Which block is nearest to a time: between two whose times the ledger knows, the node's headers tell. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { FigureUnknown } from "../../model/errors.ts"
import type { ChainId } from "../../model/primitives.ts"
import { type BlockTime, BlockTimes } from "../../ports/BlockTimes.ts"
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
  let low: BlockTime = before ?? { block: -1, time: 0 }
  let high = after
  const isKnown = high.block - low.block === 1
  const source = yield* ChainSource
  const client = source.of(chainId)
  if (!isKnown) yield* takeNodeTurn((why) => unknown(asOf, why))
  while (high.block - low.block > 1) {
    const asked = between(low.block, high.block)
    const headers = yield* client.headers(asked).pipe(
      Effect.timeout(nodeTimeout),
      Effect.mapError((error) => unknown(asOf, whyUnasked(error))),
    )
    const told = headers.flatMap((header, index) => (header ? [{ block: asked[index]!, time: header.time }] : []))
    if (told.length < asked.length)
      return yield* unknown(asOf, "the chain's node does not have the blocks. Try again shortly")
    // Time never falls along a chain.
    const all = [low, ...told, high]
    if (all.some(({ time }, index) => time < (all[index - 1]?.time ?? 0)))
      return yield* unknown(
        asOf,
        "the chain's node tells times that the blocks around them rule out. Try again shortly",
      )
    const older = told.findLastIndex((block) => block.time < bound)
    high = told[older + 1] ?? high
    low = told[older] ?? low
  }
  const found = closest === "before" ? low.block : high.block
  return { asOf, value: found < 0 ? undefined : found, ofNode: !isKnown }
})

/** Some blocks between the two, evenly; all of them where they are few. */
const between = (low: number, high: number): ReadonlyArray<number> => {
  const parts = Math.min(atOnce + 1, high - low)
  return Array.from({ length: parts - 1 }, (_, index) => low + Math.floor(((index + 1) * (high - low)) / parts))
}

const unknown = (asOf: ReadonlyArray<AsOf>, why: string) =>
  new FigureUnknown({ message: `the block is not known: ${why}`, asOf })
