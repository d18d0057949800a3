/** Where now is on a chain, whatever its ledger has come to. */
import { Clock, Effect } from "effect"
import { maxBlockNumber } from "../../model/block.ts"
import { unstored } from "../../model/events/position.ts"
import type { ChainId } from "../../model/primitives.ts"
import { Freshness } from "../../ports/Freshness.ts"
import { SyncStatus } from "../../ports/SyncStatus.ts"
import { blocksBehind, isFresh } from "../lag/ledgerLag.ts"
import { EventHub } from "./EventHub.ts"

/**
 * Behind the newest stored block; where the ledger is far from what its node has told, behind that: else its past would be told.
 * Undefined = nothing is stored, and nobody told.
 */
export const findNow = Effect.fn("findNow")(function* (chainId: ChainId, onlyFinal: boolean) {
  const { headBlock = Number.POSITIVE_INFINITY, maxLag = 0 } = (yield* SyncStatus).find(chainId) ?? {}
  // No chain has a block above that, and no position names one.
  const told = headBlock <= maxBlockNumber ? { headBlock } : undefined
  const stored = yield* (yield* Freshness).newest(chainId)
  if (stored !== undefined) {
    const lag = blocksBehind(stored, told)
    const isNear = lag <= maxLag || isFresh(stored, (yield* Clock.currentTimeMillis) / 1000)
    if (!isNear) return unstored(chainId, stored.blockNumber + lag)
    const found = yield* (yield* EventHub).startPosition({ chainId, onlyFinal, start: "now" })
    if (found !== undefined) return found
  }
  return told && unstored(chainId, told.headBlock)
})
