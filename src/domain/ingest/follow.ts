/** Follows one chain for ever: source → decode → movements → ledger, through backfill, live blocks and reorgs. */
import { Effect, Option, Result } from "effect"
import { steadyMillis } from "../../model/steadyClock.ts"
import { ChainSource, type ChainSourceClient } from "../../ports/ChainSource.ts"
import { Ledger, LedgerUnavailable } from "../../ports/Ledger.ts"
import { runErrands } from "../enrich/jobs.ts"
import { mostBlocks } from "./live.ts"
import { makePoolFinder } from "./pools.ts"
import { endsThereAgain, type ForkTooDeep } from "./reorg.ts"
import { type Following, type FollowSettings, ledgerSettingsOf } from "./state.ts"
import { keepTime, type Pulse } from "./status/pulse.ts"
import { makeReport, type Report } from "./status/report.ts"
import { backoff, patiently } from "./status/retry.ts"
import { run } from "./turns.ts"
import { type Hints, makeHints } from "./verify/bloomCheck.ts"
import { findForeign, readGenesis } from "./verify/identity.ts"

export type { FollowSettings } from "./state.ts"

/**
 * Never ends and never fails. What may pass is tried again with growing waits; what cannot (another chain's node, a
 * ledger made with other settings, a fork below the window) stops this chain, says so in its status and in the log,
 * and leaves the others alone. Where node and ledger fit again, as after a rebuild, it goes on by itself.
 * Interruption lets an append or rollback under way finish.
 */
export const follow = Effect.fn("follow")(function* (settings: FollowSettings) {
  const pursuit = yield* begin(settings)
  const { report } = pursuit
  let said: string | undefined
  let fork: ForkTooDeep | undefined
  while (true) {
    const error = yield* Effect.flip(pursue(pursuit, fork))
    report.phase("stopped")
    report.problem(error.message)
    if (said !== error.message) yield* Effect.logError(`chain ${settings.chainId} stopped: ${error.message}`)
    said = error.message
    fork = error._tag === "ForkTooDeep" ? error : undefined
    yield* Effect.sleep(lookAgain)
  }
})

/** Milliseconds between two looks whether ledger and node fit again. */
const lookAgain = 10_000

/** As `follow`, but fails where that stops. */
export const followUntilStopped = Effect.fn("followUntilStopped")(function* (settings: FollowSettings) {
  return yield* pursue(yield* begin(settings))
})

/** What is kept of a chain from one look at its ledger to the next. */
interface Pursuit {
  readonly settings: FollowSettings
  readonly source: ChainSourceClient
  readonly trust: Pulse["trust"]
  readonly report: Report
  readonly hints: Hints
}

const begin = Effect.fnUntraced(function* (settings: FollowSettings) {
  const node = (yield* ChainSource).of(settings.chainId)
  if (settings.startBlock > 0) {
    yield* Effect.logWarning(
      `chain ${settings.chainId}: history starts at block ${settings.startBlock}; tokens that existed before it are unverified`,
    )
  }
  const report = yield* makeReport(settings.chainId)
  const { source, trust } = yield* keepTime(node, report, settings.pollMs)
  report.phase("waiting")
  const pursuit: Pursuit = { settings, source, trust, report, hints: makeHints() }
  return pursuit
})

/** `fork`: where it ended before. A ledger with the same head still would end there again. */
const pursue = Effect.fnUntraced(function* (pursuit: Pursuit, fork?: ForkTooDeep) {
  const { settings, source, trust, report } = pursuit
  const foreign = yield* patiently(report, findForeign(source, settings))
  trust(foreign === undefined)
  if (foreign !== undefined) return yield* foreign
  const genesisHash = yield* patiently(report, readGenesis(source))
  for (let failures = 0; ; failures++) {
    const before = yield* steadyMillis
    const end = yield* openAndRun(pursuit, genesisHash, fork).pipe(
      Effect.scoped,
      // A bug must not end a chain in silence.
      Effect.catchDefect((cause) => new LedgerUnavailable({ cause })),
      Effect.result,
    )
    if (Result.isSuccess(end)) continue
    const error = end.failure
    if (error._tag === "ForeignNode") trust(false)
    if (error._tag === "LedgerRefused" || error._tag === "ForkTooDeep" || error._tag === "ForeignNode")
      return yield* error
    const problem = error._tag === "LedgerUnavailable" ? error.problem : error.message
    const why = problem ?? "it is opened again"
    yield* Effect.logWarning(`chain ${settings.chainId}: the ledger cannot be written: ${why}`, error)
    report.phase("waiting")
    report.problem(problem ?? "the store cannot be reached; trying again with growing waits")
    if ((yield* steadyMillis) - before > 60_000) failures = 0
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
  { settings, source, report, hints }: Pursuit,
  genesisHash: string,
  fork: ForkTooDeep | undefined,
) {
  const { chainId, wrappedNative, tokens, swaps, poolManagers } = settings
  const ledger = yield* Ledger
  const patience = yield* Effect.sleep(3000).pipe(
    Effect.andThen(
      Effect.sync(() => {
        report.phase("waiting")
        report.problem("waiting for the ledger: it is being opened, or another instance writes it")
      }),
    ),
    // Who waits serves what the other writes, and must know how far behind the head that is.
    Effect.andThen(watchHead(settings, source, report)),
    Effect.forkScoped,
  )
  const writer = yield* ledger.open(ledgerSettingsOf(settings, genesisHash))
  patience.interruptUnsafe()
  const checkpoint = yield* writer.checkpoint
  if (fork && (yield* patiently(report, endsThereAgain(fork, source, checkpoint)))) return yield* fork
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
    checkpoint,
    nodeHead: -1,
    byHash: new Map(),
    genesisHash,
    lackingSince: undefined,
    step: mostBlocks,
  }
  report.phase("waiting")
  report.problem(undefined)
  report.indexed(checkpoint)
  yield* runErrands(following).pipe(Effect.forkScoped)
  return yield* run(following)
})
