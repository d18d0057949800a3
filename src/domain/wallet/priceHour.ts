/** Whose prices the figures of a past block are at: those of the hour in which the block was. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { BlockUnknown } from "../../model/errors.ts"
import type { ChainId } from "../../model/primitives.ts"
import { type BlockTime, BlockTimes } from "../../ports/BlockTimes.ts"
import { ChainSource } from "../../ports/ChainSource.ts"
import { nodeTimeout, takeNodeTurn, whyUnasked } from "../turns/nodeWait.ts"

export const hourOf = (time: number): number => Math.floor(time / 3600)

/**
 * Hours since 1970, and the ledger's rollbacks at that time. Of a block whose time the ledger does not know the node's header tells
 * it, where the known blocks around it are not of one hour. null = the ledger has no such block.
 */
export const priceHour = Effect.fnUntraced(function* (chainId: ChainId, blockNumber: number) {
  const { asOf, value } = yield* (yield* BlockTimes).when(chainId, blockNumber)
  const { before, after, rollbacks } = value
  if (after === undefined || !has(asOf, blockNumber)) return { hour: null, rollbacks }
  if (before !== undefined && hourOf(before.time) === hourOf(after.time))
    return { hour: hourOf(before.time), rollbacks }
  const time = yield* toldTime(chainId, blockNumber, before, after)
  return { hour: hourOf(time), rollbacks, ofNode: true as const }
})

const has = ([head]: ReadonlyArray<AsOf>, blockNumber: number): boolean =>
  head !== undefined && blockNumber >= head.firstBlock && blockNumber <= head.blockNumber

const toldTime = Effect.fnUntraced(function* (
  chainId: ChainId,
  blockNumber: number,
  before: BlockTime | undefined,
  after: BlockTime,
) {
  yield* takeNodeTurn(unknown)
  const headers = yield* (yield* ChainSource)
    .of(chainId)
    .headers([blockNumber])
    .pipe(
      Effect.timeout(nodeTimeout),
      Effect.mapError((error) => unknown(whyUnasked(error))),
    )
  const time = headers[0]?.time
  if (time === undefined) return yield* unknown("the chain's node does not have it. Try again shortly")
  // Time never falls along a chain.
  if (time < (before?.time ?? 0) || time > after.time)
    return yield* unknown("the chain's node tells a time that the blocks around it rule out. Try again shortly")
  return time
})

const unknown = (why: string) => new BlockUnknown({ message: `the hour of the block is not known: ${why}` })
