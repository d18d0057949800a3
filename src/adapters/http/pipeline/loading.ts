/** What a chain's ledger would have to answer while it is loaded in bulk is refused: with what is done of it, and when to come again. */
import { Cause, type Context, Effect, Exit, Option } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { Freshness } from "../../../ports/Freshness.ts"
import { type ChainSyncStatus, isLoading, SyncStatus } from "../../../ports/SyncStatus.ts"
import { ChainSyncing, type Fault } from "../contract/faults.ts"
import type { Soon } from "../turns/soon.ts"
import type { Reply } from "./requestResponse.ts"

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

type Replied = Exit.Exit<Reply, Fault>

/**
 * The reply, unless it is of ledgers without blocks and the database has a load of each of them, or their first blocks by now. A
 * process that does not follow a chain hears of its load seconds later, and of one whose process died not at all.
 */
export const unlessLoaded = (
  replied: Replied,
  chains: ReadonlyArray<ChainId>,
  context: Context.Context<Freshness | SyncStatus>,
): Soon<Replied> => (isOfNothing(replied) ? lookedAt(replied, chains, context) : replied)

/** Whether ledgers were read for it, and have no block. */
const isOfNothing = (replied: Replied): boolean => {
  if (Exit.isSuccess(replied)) return replied.value.isRead === true && replied.value.asOf.length === 0
  const fault = Option.getOrUndefined(Cause.findErrorOption(replied.cause))
  return fault !== undefined && "asOf" in fault && fault.asOf?.length === 0
}

const lookedAt = async (
  replied: Replied,
  chains: ReadonlyArray<ChainId>,
  context: Context.Context<Freshness | SyncStatus>,
): Promise<Replied> => {
  const looked = await Effect.runPromiseExitWith(context)(emptyRefusal(chains))
  if (Exit.isSuccess(looked) && looked.value === undefined) return replied
  if (Exit.isSuccess(replied) && replied.value.chunks !== undefined) await Effect.runPromise(replied.value.chunks.close)
  return Exit.isSuccess(looked) ? Exit.fail(looked.value!) : Exit.failCause(looked.cause)
}

const emptyRefusal = Effect.fnUntraced(function* (chains: ReadonlyArray<ChainId>) {
  if (chains.length === 0) return undefined
  const freshness = yield* Freshness
  const loaded = (yield* freshness.loaded?.(chains) ?? Effect.succeed([])).length
  if (loaded < chains.length && (yield* freshness.asOf(chains)).length === 0) return undefined
  const status = yield* SyncStatus
  return (
    loadingRefusal(chains, status) ?? new ChainSyncing({ message: chains.map(begun).join("; "), retryAfter: soonest })
  )
})

const begun = (chainId: ChainId): string =>
  `chain ${chainId} is being synced for the first time: its data can be read when that is done`

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
