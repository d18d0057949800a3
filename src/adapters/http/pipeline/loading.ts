/** What a chain's ledger would have to answer while it is loaded in bulk is refused: with what is done of it, and when to come again. */
import { Cause, type Context, Effect, Exit, Option } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { Freshness } from "../../../ports/Freshness.ts"
import { type ChainSyncStatus, isLoading, SyncStatus } from "../../../ports/SyncStatus.ts"
import type { Answer } from "../contract/call.ts"
import { type Cost, isOfStore } from "../contract/cost.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { ChainSyncing, type Fault } from "../contract/faults.ts"
import { after, type Soon } from "../turns/soon.ts"
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

/**
 * Whether the points of an answer are those of a read of ledgers, also where they are none. Lists may ask the node beside them; what
 * other services' paths give is never kept, and read all the same.
 */
export const isOfLedger = (
  { style, foreign }: Endpoint,
  cost: Cost | undefined,
  { outside, chains = 1, fleeting }: Answer,
): boolean => {
  if (cost === undefined || outside !== undefined || chains === 0) return false
  return foreign !== undefined || (fleeting !== true && (style === "native" || isOfStore(cost)))
}

type Replied = Exit.Exit<Reply, Fault>

/**
 * An answer, unless it is of ledgers without blocks and the database has a load of each of them. Where they have blocks by now it
 * is made again. A process that does not follow a chain hears of its load seconds later, and of one whose process died not at all.
 */
export const unlessLoaded = (
  make: () => Soon<Replied>,
  chains: ReadonlyArray<ChainId>,
  context: Context.Context<Freshness | SyncStatus>,
): Soon<Replied> =>
  after(make(), (replied) => {
    if (!isOfNothing(replied) || chains.length === 0) return replied
    const wanted = Exit.isSuccess(replied) ? (replied.value.chains ?? 1) : 1
    return Effect.runPromiseExitWith(context)(lookAt(chains, wanted)).then((looked): Soon<Replied> => {
      if (Exit.isFailure(looked)) return instead(replied, () => Exit.failCause(looked.cause))
      const found = looked.value
      if (found === "empty") return replied
      return instead(replied, found === "blocks" ? make : () => Exit.fail(found))
    })
  })

/** Whether ledgers were read for it, and have no block. */
const isOfNothing = (replied: Replied): boolean => {
  if (Exit.isSuccess(replied)) return replied.value.isRead === true && replied.value.asOf.length === 0
  const fault = Option.getOrUndefined(Cause.findErrorOption(replied.cause))
  return fault !== undefined && "asOf" in fault && fault.asOf?.length === 0
}

/** Nobody reads what is left of the first one. */
const instead = async (replied: Replied, other: () => Soon<Replied>): Promise<Replied> => {
  if (Exit.isSuccess(replied) && replied.value.chunks !== undefined) await Effect.runPromise(replied.value.chunks.close)
  return other()
}

/** `chains`: those that the path names; so many of them are `wanted`, which ones is not known here. */
const lookAt = Effect.fnUntraced(function* (chains: ReadonlyArray<ChainId>, wanted: number) {
  const freshness = yield* Freshness
  const found = yield* freshness.loaded?.(chains) ?? Effect.succeed([])
  const points = yield* freshness.asOf(chains)
  // What lies beside a ledger with blocks is left over.
  const loaded = found.filter((chainId) => points.every((point) => point.chainId !== chainId))
  if (loaded.length < wanted) return points.length === 0 ? "empty" : "blocks"
  const refusal = loadingRefusal(loaded, yield* SyncStatus)
  return refusal ?? new ChainSyncing({ message: loaded.map(begun).join("; "), retryAfter: soonest })
})

const begun = (chainId: ChainId): string =>
  `chain ${chainId} is being synced for the first time: its data can be read when that is done`

/** `chain 1 is being synced for the first time (copying, 41.2 % done, about 2 h 5 min left)` */
const words = ({ chainId, phase, done, secondsLeft }: ChainSyncStatus): string => {
  const share = done === undefined ? [] : [`${(100 * done).toFixed(1)} % done`]
  const left = secondsLeft === undefined ? [] : [`about ${spanOf(secondsLeft)} left`]
  return `chain ${chainId} is being synced for the first time (${[phase, ...share, ...left].join(", ")}): its data can be read when that is done`
}

const spanOf = (seconds: number): string => {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
