/** Whether the process lives, and whether every chain is near enough to its head to be asked. */
import { Clock, Duration, Effect, Schema } from "effect"
import type { AsOf } from "../../domain/model/block.ts"
import { ChainId } from "../../domain/model/primitives.ts"
import { Freshness } from "../../ports/Freshness.ts"
import { Networks } from "../../ports/Networks.ts"
import { type ChainSyncStatus, SyncStatus } from "../../ports/SyncStatus.ts"
import type { Endpoint } from "./endpoint.ts"
import { statuses } from "./problem.ts"

export const health: Endpoint = {
  id: "health",
  path: "/health",
  style: "native",
  open: true,
  doc: {
    summary: "Whether the process lives",
    query: {},
    body: Schema.Struct({ status: Schema.Literal("ok") }),
    faults: [],
  },
  answer: () => Effect.succeed({ asOf: [], body: { status: "ok" }, fleeting: true as const }),
}

const optionalNumber = Schema.optionalKey(Schema.Finite)
/** How a chain is doing; absent = unknown. */
const Readiness = Schema.Struct({
  chainId: ChainId,
  ready: Schema.Boolean.annotateKey({ description: "Near enough to its head, and its node speaks" }),
  phase: Schema.Literals(["waiting", "backfill", "live", "stopped"]).annotateKey({
    description: "What its ingestion does",
  }),
  headBlock: optionalNumber.annotateKey({ description: "The node's newest block" }),
  indexedBlock: optionalNumber.annotateKey({ description: "The newest block that is stored" }),
  lagBlocks: optionalNumber.annotateKey({ description: "How many blocks are between the two" }),
  maxLag: Schema.Finite.annotateKey({ description: "How many there may be" }),
  firstBlock: Schema.Finite.annotateKey({ description: "Where the stored history starts" }),
  logsPerSecond: Schema.Finite.annotateKey({ description: "How fast logs are stored" }),
  blocksPerSecond: Schema.Finite.annotateKey({ description: "How fast blocks are stored" }),
  secondsLeft: optionalNumber.annotateKey({ description: "How long it takes to the head at this pace" }),
  skipped: Schema.optionalKey(Schema.Struct({ odd: Schema.Finite, poolless: Schema.Finite })).annotateKey({
    description: "Logs left out since the start: of odd shapes, and swaps at what is no pool; absent = none",
  }),
  reorgs: Schema.optionalKey(
    Schema.Struct({ count: Schema.Finite, blocks: Schema.Finite, deepest: Schema.Finite }),
  ).annotateKey({
    description: "Reorgs since the start, the blocks they took back, and the most that one did; absent = none",
  }),
  faults: Schema.optionalKey(Schema.Record(Schema.String, Schema.Finite)).annotateKey({
    description: "Answers of the node that were refused since the start, by what was wrong with them; absent = none",
  }),
  problem: Schema.optionalKey(Schema.String).annotateKey({ description: "What keeps it from going on" }),
  note: Schema.optionalKey(Schema.String).annotateKey({ description: "What to know of its data" }),
}).annotate({ identifier: "Readiness" })

/** 503 with the state of each chain until all are ready and the store answers. */
export const ready: Endpoint = {
  id: "ready",
  path: "/ready",
  style: "native",
  open: true,
  doc: {
    summary: "Whether the store answers and every chain is near its head",
    description: "503 with the same body until it is so.",
    query: {},
    body: Schema.Struct({
      status: Schema.Literals(["ready", "not ready"]),
      store: Schema.Literals(["ok", "unreachable"]),
      chains: Schema.Array(Readiness),
    }),
    faults: [],
  },
  answer: Effect.fnUntraced(function* () {
    const { chains } = yield* Networks
    const status = yield* SyncStatus
    const stored = yield* readStore(chains.map((chain) => chain.chainId))
    const now = yield* Clock.currentTimeMillis
    const states = status.list().map((chain) =>
      stateOf(
        chain,
        stored?.find(({ chainId }) => chainId === chain.chainId),
        now,
      ),
    )
    const isReady = stored !== undefined && states.every((chain) => chain.ready)
    return {
      asOf: [],
      fleeting: true as const,
      status: isReady ? statuses.ok : statuses.notReady,
      body: {
        status: isReady ? "ready" : "not ready",
        store: stored === undefined ? "unreachable" : "ok",
        chains: states,
      },
    }
  }),
}

/** undefined = the store does not answer in time. */
const readStore = Effect.fnUntraced(
  function* (chains: ReadonlyArray<string>) {
    const asOf: ReadonlyArray<AsOf> | undefined = yield* (yield* Freshness).asOf(chains)
    return asOf
  },
  Effect.timeout(Duration.seconds(2)),
  Effect.catchCause(() => Effect.succeed(undefined)),
)

/** Milliseconds, above two polls, after which a silent node makes its chain not ready. */
const silence = 30_000

/** Where the store knows more than this process (another instance writes), the store counts. Unknown = absent. */
const stateOf = (chain: ChainSyncStatus, stored: AsOf | undefined, now: number) => {
  const { chainId, phase, headBlock, heardAt, firstBlock, maxLag, pollMs, skipped, reorgs } = chain
  const { logsPerSecond, blocksPerSecond } = chain
  const faults = Object.entries(chain.faults).filter(([, count]) => count > 0)
  const silent = heardAt !== undefined && now - heardAt > silence + 2 * pollMs
  const silentFor = silent ? `no word from the node for ${Math.round((now - heardAt) / 1000)} s` : undefined
  // What was wrong before it fell silent may be why, or long over.
  const before = chain.problem === undefined ? "" : `; before that: ${chain.problem}`
  const problem = silentFor === undefined || phase === "stopped" ? chain.problem : silentFor + before
  const indexedBlock = stored?.blockNumber ?? chain.indexedBlock
  const lag =
    headBlock === undefined || indexedBlock === undefined
      ? undefined
      : Math.max(0, headBlock - indexedBlock, (stored?.nodeHead ?? 0) - indexedBlock)
  const blocksLeft = lag ?? (headBlock === undefined ? undefined : headBlock - firstBlock + 1)
  return {
    chainId,
    // Who hears of no new head knows nothing of its lag.
    ready: phase !== "stopped" && !silent && lag !== undefined && lag <= maxLag,
    phase,
    headBlock,
    indexedBlock,
    lagBlocks: lag,
    maxLag,
    firstBlock,
    logsPerSecond: Math.round(logsPerSecond),
    blocksPerSecond: Math.round(blocksPerSecond * 100) / 100,
    secondsLeft:
      blocksLeft === undefined || !(blocksPerSecond > 0) ? undefined : Math.ceil(blocksLeft / blocksPerSecond),
    ...(skipped.odd + skipped.poolless > 0 ? { skipped } : {}),
    ...(reorgs.count > 0 ? { reorgs } : {}),
    ...(faults.length > 0 ? { faults: Object.fromEntries(faults) } : {}),
    problem,
    ...(firstBlock > 0
      ? { note: `history starts at block ${firstBlock}: tokens that existed before it are unverified` }
      : {}),
  }
}
