/** What a chain's ledger would have to answer while it is loaded in bulk is refused: with what is done of it, and when to come again. */
import type { ChainId } from "../../../model/primitives.ts"
import { type ChainSyncStatus, isLoading, type SyncStatus } from "../../../ports/SyncStatus.ts"
import { ChainSyncing } from "../contract/faults.ts"

/** Seconds after which it is worth asking again, at least and at most. */
const soonest = 1
const latest = 300

/** The refusal where every one of these chains is being loaded: of several, those that can be read are. Undefined = there is something to read. */
export const loadingRefusal = (
  chains: ReadonlyArray<ChainId>,
  status: SyncStatus["Service"],
): ChainSyncing | undefined => {
  const loading = chains.flatMap((chainId) => {
    const chain = status.find(chainId)
    return chain !== undefined && isLoading(chain) ? [chain] : []
  })
  const [first] = loading
  if (first === undefined || loading.length < chains.length) return undefined
  const seconds = Math.max(...loading.map(({ secondsLeft = latest }) => secondsLeft))
  return new ChainSyncing({
    message: loading.map(words).join("; "),
    retryAfter: Math.min(latest, Math.max(soonest, seconds)),
  })
}

/** `chain 1 is being synced for the first time (copying, 41.2 % done, about 2 h 5 min left)` */
const words = ({ chainId, phase, done, secondsLeft }: ChainSyncStatus): string => {
  if (phase === "stopped")
    return `the first sync of chain ${chainId} is stopped, /ready says why: its data can be read when that is done`
  const share = done === undefined ? [] : [`${(100 * done).toFixed(1)} % done`]
  const left = secondsLeft === undefined ? [] : [`about ${spanOf(secondsLeft)} left`]
  return `chain ${chainId} is being synced for the first time (${[phase, ...share, ...left].join(", ")}): its data can be read when that is done`
}

const spanOf = (seconds: number): string => {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
