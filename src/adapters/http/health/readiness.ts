/** How each chain is doing, by this process's ingestion and by the store: what `/ready` and `/metrics` tell. */
import { Cause, Clock, Duration, Effect } from "effect"
import { blocksBehind, isFresh, lagDoubt, silenceOf } from "../../../domain/lag/ledgerLag.ts"
import type { AsOf } from "../../../model/block.ts"
import { StoreUnavailable } from "../../../model/errors.ts"
import { type ChainId, dateTimeOf } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import { Freshness } from "../../../ports/Freshness.ts"
import { Networks } from "../../../ports/Networks.ts"
import { ReadServers } from "../../../ports/ReadServers.ts"
import { type ChainSyncStatus, type HistoryStatus, isLoading, SyncStatus } from "../../../ports/SyncStatus.ts"

/** Every followed chain: its status, where its ledger stands, and what follows from both. `stored` undefined = the store does not answer. */
export const readStates = Effect.gen(function* () {
  const { chains, role, problem, refusal } = yield* Networks
  const servers = (yield* ReadServers).list()
  const { stored, why } = yield* readStore(chains.map((chain) => chain.chainId))
  const now = yield* steadyMillis
  const seconds = (yield* Clock.currentTimeMillis) / 1000
  // Who only follows refuses everything, and is asked whether it follows.
  const refusedOf = (chainId: ChainId) => (role === "writer" ? undefined : refusal?.([chainId]))
  const whole = problem?.() ?? servers.find(({ isUsed }) => isUsed)?.problem ?? why
  const states = (yield* SyncStatus).list().map((status) => {
    const asOf = stored?.find(({ chainId }) => chainId === status.chainId)
    const refused = refusedOf(status.chainId)
    const state = stateOf(status, asOf, { now, seconds, refused })
    const isStandby = refused === undefined && standsBy(status, now)
    // What a healthy stand-by waits for is no trouble.
    const isWell = state.problem === undefined || (isStandby && silenceOf(status, now) === undefined)
    return { status, asOf, state, isStandby, isWell }
  })
  /** All of it may be answered for. */
  const isReady = stored !== undefined && whole === undefined && states.every(({ state }) => state.ready)
  return { stored, now, role, servers, problem: whole, isReady, chains: states }
})

const storeTimeout = Duration.seconds(2)

interface Found {
  /** undefined = the store does not answer in time. */
  readonly stored?: ReadonlyArray<AsOf>
  /** Why it does not, in plain words without secrets. */
  readonly why?: string
}

const readStore = Effect.fnUntraced(
  function* (chains: ReadonlyArray<ChainId>) {
    const found: Found = { stored: yield* (yield* Freshness).asOf(chains) }
    return found
  },
  Effect.timeoutOrElse({ duration: storeTimeout, orElse: () => Effect.succeed<Found>({ why: late }) }),
  Effect.catchCause((cause) => Effect.succeed<Found>({ why: whyOf(Cause.squash(cause)) })),
)

const late = `the store has not answered for ${Duration.toSeconds(storeTimeout)} s`

const whyOf = (error: unknown): string => {
  const said = error instanceof StoreUnavailable ? error.said : undefined
  return said ?? "the store cannot be reached"
}

/** The counts by their names, and for one version by their former ones too. */
const withFormerNames = ({ malformed, unknownPool }: ChainSyncStatus["skipped"]) => ({
  malformed,
  unknownPool,
  odd: malformed,
  poolless: unknownPool,
})

const historyOf = ({ source, isUsed, left, blocks, compared }: HistoryStatus) => ({
  source,
  used: isUsed,
  ...(left === undefined ? {} : { left }),
  blocks: blocks.history,
  blocksOfNode: blocks.node,
  blocksCompared: compared,
})

const pricesOf = ({ hoursLeft, from }: NonNullable<ChainSyncStatus["prices"]>) => ({
  hoursLeft,
  ...(from === undefined ? {} : { from: dateTimeOf(from * 3600) }),
})

/** Whoever waits waits for something. */
const waitingFor = ({ phase, headBlock }: ChainSyncStatus): string | undefined => {
  if (phase !== "waiting") return undefined
  return headBlock === undefined
    ? "waiting for the node's first answer"
    : "waiting for the ledger to be opened and its first blocks to be read"
}

/** Milliseconds after which nobody is known to follow a chain who does not tell of it: told it is every two seconds. */
const untoldMs = 30_000

/** Another process follows the chain, and this one waits until that ends. */
const standsBy = ({ awaitsLedger, toldAt }: ChainSyncStatus, now: number): boolean =>
  awaitsLedger === true && toldAt !== undefined && now - toldAt < untoldMs

const joined = (refused: string, said: string | undefined): string =>
  said === undefined ? refused : `${refused}; ${said}`

/** Minutes pass where a writer is replaced; behind them the chain may have been taken away. */
const replacedMs = 300_000

const wayOut = ({ chainId, elsewhere, heardAt = 0 }: ChainSyncStatus, now: number): string =>
  elsewhere && now - heardAt > replacedMs ? `; if nobody is to follow it any more: cowry drop ${chainId}` : ""

interface Moment {
  /** Steady milliseconds. */
  readonly now: number
  /** Of the clock, since 1970. */
  readonly seconds: number
  /** Why requests of the chain are refused here; undefined = they are not. */
  readonly refused: string | undefined
}

/** Where the store knows more than this process (another instance writes), the store counts. Unknown = absent. */
const stateOf = (chain: ChainSyncStatus, stored: AsOf | undefined, { now, seconds, refused }: Moment) => {
  const { chainId, phase, headBlock, maxLag, skipped, reorgs } = chain
  // Of a ledger that is refused the settings say something else.
  const firstBlock = stored?.firstBlock ?? chain.firstBlock
  const { logsPerSecond, blocksPerSecond } = chain
  const faults = Object.entries(chain.faults).filter(([, count]) => count > 0)
  const silentFor = silenceOf(chain, now)
  // What was wrong before it fell silent may be why, or long over.
  const before = chain.problem === undefined ? "" : `; before that: ${chain.problem}`
  const said =
    silentFor === undefined || phase === "stopped"
      ? (chain.problem ?? chain.doubt ?? waitingFor(chain))
      : silentFor + before + wayOut(chain, now)
  const problem = refused === undefined || said?.includes(refused) === true ? said : joined(refused, said)
  const indexedBlock = stored?.blockNumber ?? chain.indexedBlock
  const lag =
    headBlock === undefined || indexedBlock === undefined
      ? undefined
      : blocksBehind({ blockNumber: indexedBlock, nodeHead: stored?.nodeHead ?? 0 }, chain)
  const isSure = lagDoubt(chain, { blockNumber: indexedBlock ?? 0 }, now) === undefined
  // Of a chain of a hundred blocks a second ten are a tenth of a second.
  const isLevel = stored !== undefined && isFresh(stored, seconds)
  const blocksLeft = lag ?? (headBlock === undefined ? undefined : headBlock - firstBlock + 1)
  return {
    chainId,
    ready: refused === undefined && !isLoading(chain) && lag !== undefined && (lag <= maxLag || isLevel) && isSure,
    phase,
    ...(chain.elsewhere && { elsewhere: true as const }),
    // Of a chain followed elsewhere the ledger may have heard of more than was told last.
    headBlock: chain.elsewhere && headBlock !== undefined ? Math.max(headBlock, indexedBlock ?? 0) : headBlock,
    indexedBlock,
    lagBlocks: lag,
    maxLag,
    firstBlock,
    logsPerSecond: Math.round(logsPerSecond),
    blocksPerSecond: Math.round(blocksPerSecond * 100) / 100,
    done: chain.done === undefined ? undefined : Math.round(chain.done * 10_000) / 10_000,
    secondsLeft:
      chain.secondsLeft ??
      (blocksLeft === undefined || !(blocksPerSecond > 0) ? undefined : Math.ceil(blocksLeft / blocksPerSecond)),
    ...(skipped.malformed + skipped.unknownPool > 0 ? { skipped: withFormerNames(skipped) } : {}),
    ...(reorgs.count > 0 ? { reorgs } : {}),
    ...(faults.length > 0 ? { faults: Object.fromEntries(faults) } : {}),
    ...(chain.history && { history: historyOf(chain.history) }),
    ...(chain.prices && { prices: pricesOf(chain.prices) }),
    problem,
    ...(firstBlock > 0
      ? { note: `history starts at block ${firstBlock}: tokens that existed before it are unverified` }
      : {}),
  }
}
