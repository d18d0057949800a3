/** Follows one chain for ever: source → decode → movements → ledger, through backfill, live blocks and reorgs. */
import { Clock, Effect, Option, Result } from "effect"
import { ChainSource, type ChainSourceClient, SourceUnavailable } from "../../ports/ChainSource.ts"
import { Ledger, LedgerUnavailable } from "../../ports/Ledger.ts"
import { backfill } from "./backfill.ts"
import { runErrands } from "./errands.ts"
import { type Following, type FollowSettings, windowOf } from "./following.ts"
import { type Hints, makeHints } from "./hints.ts"
import { advance, mostBlocks } from "./live.ts"
import { backoff, patiently } from "./patience.ts"
import { makePoolFinder } from "./pools.ts"
import { keepTime } from "./pulse.ts"
import { reconcile } from "./reorg.ts"
import { makeReport, type Report } from "./report.ts"

export type { FollowSettings } from "./following.ts"

/**
 * Never ends and never fails. What may pass is tried again with growing waits; what cannot (another chain's node, a
 * ledger made with other settings, a fork below the window) stops this chain, says so in its status and in the log,
 * and leaves the others alone. Interruption lets an append or rollback under way finish.
 */
export const follow = Effect.fn("follow")(function* (settings: FollowSettings) {
  const node = (yield* ChainSource).of(settings.chainId)
  if (settings.startBlock > 0) {
    yield* Effect.logWarning(
      `chain ${settings.chainId}: history starts at block ${settings.startBlock}; tokens that existed before it are unverified`,
    )
  }
  const report = yield* makeReport(settings.chainId)
  const source = yield* keepTime(node, report)
  const stop = (message: string) =>
    Effect.sync(() => {
      report.phase("stopped")
      report.problem(message)
    }).pipe(
      Effect.andThen(Effect.logError(`chain ${settings.chainId} stopped: ${message}`)),
      Effect.andThen(Effect.never),
    )
  report.phase("waiting")
  const foreign = yield* patiently(report, wrongChain(source, settings))
  if (foreign !== undefined) return yield* stop(foreign)
  const genesisHash = yield* patiently(report, readGenesis(source))
  const hints = makeHints()
  for (let failures = 0; ; failures++) {
    const before = yield* Clock.currentTimeMillis
    const end = yield* openAndRun(settings, source, report, hints, genesisHash).pipe(
      Effect.scoped,
      // A bug must not end a chain in silence.
      Effect.catchDefect((cause) => new LedgerUnavailable({ cause })),
      Effect.result,
    )
    if (Result.isSuccess(end)) continue
    const error = end.failure
    if (error._tag === "LedgerRefused" || error._tag === "ForkTooDeep") return yield* stop(error.message)
    yield* Effect.logWarning(`chain ${settings.chainId}: the ledger cannot be written, it is opened again`, error)
    report.phase("waiting")
    report.problem(
      error._tag === "SegmentRefused" ? error.message : "the store cannot be reached; trying again with growing waits",
    )
    if ((yield* Clock.currentTimeMillis) - before > 60_000) failures = 0
    yield* backoff(failures)
  }
})

const watchHead = Effect.fnUntraced(function* ({ pollMs }: FollowSettings, source: ChainSourceClient, report: Report) {
  while (true) {
    const head = yield* Effect.option(source.head)
    if (Option.isSome(head)) report.head(head.value.number)
    yield* Effect.sleep(Math.max(pollMs, 1000))
  }
})

const openAndRun = Effect.fnUntraced(function* (
  settings: FollowSettings,
  source: ChainSourceClient,
  report: Report,
  hints: Hints,
  genesisHash: string,
) {
  const { chainId, startBlock, wrappedNative, tokens, swaps, poolManagers } = settings
  const only = tokens === undefined ? {} : { tokens }
  const ledger = yield* Ledger
  const patience = yield* Effect.sleep(3000).pipe(
    Effect.andThen(
      Effect.sync(() => report.problem("waiting for the ledger: it is being opened, or another instance writes it")),
    ),
    // Who waits serves what the other writes, and must know how far behind the head that is.
    Effect.andThen(watchHead(settings, source, report)),
    Effect.forkScoped,
  )
  const writer = yield* ledger.open({
    chainId,
    genesisHash,
    firstBlock: startBlock,
    wrappedNative,
    swaps,
    poolManagers,
    ...only,
  })
  patience.interruptUnsafe()
  const following: Following = {
    settings,
    contracts: {
      wrappedNative: new Set(wrappedNative),
      swaps,
      poolManagers: new Set(poolManagers),
      ...(tokens && { tokens: new Set(tokens) }),
    },
    source,
    writer,
    report,
    pools: yield* makePoolFinder(chainId),
    hints,
    waiting: new Set(),
    checkpoint: yield* writer.checkpoint,
    nodeHead: -1,
    byHash: new Map(),
    step: mostBlocks,
  }
  report.problem(undefined)
  report.indexed(following.checkpoint)
  yield* runErrands(following).pipe(Effect.forkScoped)
  return yield* run(following)
})

/** A fork below the window is believed only when the node says so again and again: it stops the chain. */
const triesOfDeepFork = 3

const run = Effect.fnUntraced(function* (following: Following) {
  const { report, settings } = following
  let failures = 0
  let deepForks = 0
  while (true) {
    const turned = yield* turn(following).pipe(
      Effect.catchTag("Detached", ({ kind, message }) =>
        Effect.filterOrFail(reconcile(following), Boolean, () => new SourceUnavailable({ kind, message })),
      ),
      Effect.result,
    )
    if (Result.isSuccess(turned)) {
      if (failures > 0) report.problem(undefined)
      failures = 0
      deepForks = 0
      if (turned.success === "more") continue
      report.phase("live")
      yield* Effect.sleep(settings.pollMs)
      continue
    }
    const error = turned.failure
    if (error._tag === "ForkTooDeep" ? ++deepForks >= triesOfDeepFork : error._tag !== "SourceUnavailable") {
      return yield* error
    }
    yield* error._tag === "SourceUnavailable" ? report.refused(error) : report.doubted(error.message)
    yield* backoff(failures++)
  }
})

/** One look at the head, and what follows from it. "more" = there is more to do at once. */
const turn = Effect.fnUntraced(function* (following: Following) {
  const { source, report, settings, checkpoint } = following
  const head = yield* source.head
  following.nodeHead = head.number
  report.head(head.number)
  if (head.number < settings.startBlock) {
    return yield* new SourceUnavailable({
      kind: "behind",
      message: `the node is at block ${head.number}, START_BLOCK_${settings.chainId} is ${settings.startBlock}`,
    })
  }
  if (checkpoint.nextBlock <= head.number - windowOf(settings)) {
    yield* backfill(following)
    return "more"
  }
  return yield* advance(following, head)
})

const wrongChain = Effect.fnUntraced(function* (source: ChainSourceClient, { chainId }: FollowSettings) {
  const actual = yield* source.chainId
  if (actual === chainId) return undefined
  return `a node of RPC_URL_${chainId} is of chain ${actual}: correct the setting and start again`
})

const readGenesis = Effect.fnUntraced(function* (source: ChainSourceClient) {
  const [genesis] = yield* source.headers([0])
  if (genesis === undefined) return yield* new SourceUnavailable({ kind: "behind", message: "the node has no block 0" })
  return genesis.hash
})
