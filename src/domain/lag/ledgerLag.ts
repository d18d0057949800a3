/** How far a chain's ledger is behind its chain: what the ledger and the chain's status know of it, and when nobody knows. */
import { Clock, Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { type ChainSyncStatus, SyncStatus } from "../../ports/SyncStatus.ts"

/** A ledger's newest block, and the node's head when it was stored. */
type LedgerHead = Pick<AsOf, "blockNumber" | "nodeHead">
/** Seconds: a newest block of so little ago is not late, however many blocks its chain makes meanwhile. */
const freshSeconds = 10

/** Whether its newest block is of just now, `now` in seconds. One of the future tells nothing: a clock is wrong. */
export const isFresh = ({ time }: Pick<AsOf, "time">, now: number): boolean => Math.abs(now - time) <= freshSeconds

/** Milliseconds above two polls: after so long a silent node's newest block is not known any more. */
const longestSilenceMs = 30_000
/** Blocks that a chain may be ahead for the ledger's newest to be the newest there is. */
const mostLag = 10

/** Blocks that the node has and the ledger has not, as far as anybody was told; 0 or more. `status` undefined = nobody tells. */
export const blocksBehind = (
  { blockNumber, nodeHead }: LedgerHead,
  status: Pick<ChainSyncStatus, "headBlock"> | undefined,
): number => Math.max(0, nodeHead - blockNumber, (status?.headBlock ?? 0) - blockNumber)

/** That no word came for too long, in plain words; undefined = it came. `now`: steady milliseconds. */
export const silenceOf = (
  { heardAt, pollMs, elsewhere }: Pick<ChainSyncStatus, "heardAt" | "pollMs" | "elsewhere">,
  now: number,
): string | undefined => {
  const silentMs = heardAt === undefined ? 0 : now - heardAt
  if (silentMs <= longestSilenceMs + 2 * pollMs) return undefined
  const who = elsewhere ? "the process that follows it, or from its node," : "the node"
  return `no word from ${who} for ${Math.round(silentMs / 1000)} s`
}

/** Why more blocks may be missing than `blocksBehind` says, in plain words; undefined = no more are. `now`: steady milliseconds. */
export const lagDoubt = (
  status: ChainSyncStatus,
  { blockNumber }: Pick<LedgerHead, "blockNumber">,
  now: number,
): string | undefined => {
  const { phase, headBlock, maxLag, indexedBlock = blockNumber } = status
  if (phase === "stopped") return "it is not followed at the moment"
  if (headBlock === undefined) return "its node has not told its newest block yet"
  // The node has less than it once had.
  if (phase === "live" && headBlock + maxLag < indexedBlock)
    return `its node's newest block is ${headBlock}, and the ledger has ${indexedBlock}`
  return silenceOf(status, now)
}

/** Why the ledger's newest block may not be the chain's newest, give or take `most` blocks, in plain words; undefined = it is. */
export const whyNotNewest = Effect.fnUntraced(function* (
  head: LedgerHead & Pick<AsOf, "chainId" | "time">,
  most = mostLag,
) {
  const status = (yield* SyncStatus).find(head.chainId)
  const lag = blocksBehind(head, status)
  // What was announced just now is being stored.
  if (lag > most && !isFresh(head, (yield* Clock.currentTimeMillis) / 1000))
    return `the ledger is ${lag} blocks behind its chain`
  const doubt = status && lagDoubt(status, head, yield* steadyMillis)
  return doubt && `the ledger may be behind its chain: ${doubt}`
})
