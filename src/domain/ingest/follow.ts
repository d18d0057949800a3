/** Follows one chain for ever: source → decode → movements → ledger, through backfill, live blocks and reorgs. */
import { Effect, Option } from "effect"
import { makeSurvive } from "../../model/time/survive.ts"
import { ChainSource } from "../../ports/ChainSource.ts"
import { HistorySource } from "../../ports/HistorySource.ts"
import { makeDoubts } from "./evidence/doubts.ts"
import { makeHistory } from "./history/History.ts"
import type { FollowedChain } from "./openAndFollow.ts"
import { keepOpening } from "./reopenLedger.ts"
import { makeCommitSize } from "./state/commitSize.ts"
import type { ForkTooDeep } from "./state/forkErrors.ts"
import type { FollowSettings } from "./state/settings.ts"
import type { Followed } from "./status/FollowedLedger.ts"
import { keepTime } from "./status/pulse.ts"
import { makeReport } from "./status/report.ts"
import { makeChainTraits } from "./verify/verifier.ts"

/** Between two looks whether ledger and node fit again. */
const lookAgainMs = 10_000

const bugMet = "a bug was met, which the log names; it is tried again every few seconds"

/**
 * Never ends and never fails. What may pass is tried again every few seconds; what cannot (another chain's node, a
 * ledger made with other settings, a fork below the window) stops this chain, says so in its status and in the log,
 * and leaves the others alone. Where node and ledger fit again, as after a rebuild, it goes on by itself. So it does after
 * a bug, which is the log's to name.
 * Interruption lets an append or rollback under way finish.
 */
export const follow = Effect.fn("follow")(function* (settings: FollowSettings, followed: Followed) {
  const chain = yield* begin(settings, followed)
  const { report } = chain
  let said: string | undefined
  let fork: ForkTooDeep | undefined
  const survive = makeSurvive(`chain ${settings.chainId}`)
  while (true) {
    const error = yield* survive(Effect.flip(keepOpening(chain, fork)))
    report.phase(error === undefined ? "waiting" : "stopped")
    report.problem(error?.message ?? bugMet)
    if (error !== undefined && said !== error.message)
      yield* Effect.logError(`chain ${settings.chainId} stopped: ${error.message}`)
    said = error?.message
    fork = error?._tag === "ForkTooDeep" ? error : undefined
    yield* Effect.sleep(lookAgainMs)
  }
})

/** As `follow`, but fails where that stops. */
export const followUntilStopped = Effect.fn("followUntilStopped")(function* (
  settings: FollowSettings,
  followed: Followed,
) {
  return yield* keepOpening(yield* begin(settings, followed))
})

const begin = Effect.fnUntraced(function* (settings: FollowSettings, followed: Followed) {
  const node = (yield* ChainSource).of(settings.chainId)
  if (settings.startBlock > 0) {
    yield* Effect.logWarning(
      `chain ${settings.chainId}: history starts at block ${settings.startBlock}; tokens that existed before it are unverified`,
    )
  }
  const report = yield* makeReport(settings.chainId)
  const { source, trust } = yield* keepTime(node, report, settings)
  const learned = { traits: makeChainTraits(settings.addsLogs), doubts: makeDoubts() }
  const client = Option.getOrUndefined(yield* Effect.serviceOption(HistorySource))?.of(settings.chainId)
  const history = client && makeHistory(settings, client, report)
  const commitSize = makeCommitSize(settings.chainId)
  const chain: FollowedChain = { settings, followed, node: source, trust, report, history, commitSize, ...learned }
  return chain
})
