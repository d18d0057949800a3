/** Which way a history goes into the ledger: a long one into an empty ledger in bulk, any other by appends that people see. */
import { Duration, Effect } from "effect"
import { type Backoff, sleepBackoff } from "../../../model/time/backoff.ts"
import { type BulkLoading, rebuildCommand } from "../../../ports/Ledger.ts"
import type { FollowState } from "../state/FollowState.ts"
import { logsIn, looks } from "./density.ts"
import type { Progress } from "./progress.ts"

/** So many logs take appends about ten seconds: nobody is kept waiting for less. */
const fewestLogs = 250_000
const longestLook = Duration.seconds(5)
/** A chain of more blocks is not appended for good because its node was slow: it is waited for so long where fewer looks were answered. */
const longBlocks = 100_000
const longestLookAtLong = Duration.seconds(60)
const fewestLooks = 8

/** Begins a load where it is worth it. One that was begun goes on, whatever is set by now. */
export const chooseWay = Effect.fnUntraced(function* (state: FollowState, progress: Progress) {
  const { ledger, settings } = state
  const { bulk = "auto", chainId } = settings
  const loading = ledger.bulk
  if (loading === undefined || loading.isLoading() || bulk === "off" || ledger.checkpoint().head !== undefined) return
  if (bulk === "auto") {
    const isLong = progress.blocks > longBlocks
    const isKnown = () => (progress.soFar()?.answered ?? 0) >= fewestLooks
    yield* progress.density.pipe(Effect.timeoutOption(longestLook))
    if (isLong && !isKnown())
      yield* progress.density.pipe(Effect.timeoutOption(Duration.subtract(longestLookAtLong, longestLook)))
    const density = progress.soFar()
    const logs = density === undefined ? 0 : logsIn(density)
    const about = `chain ${chainId}: about ${Math.round(logs).toLocaleString("en-US")} logs to go: they are`
    if (logs < fewestLogs) {
      if (!isLong) return
      if (isKnown()) return yield* Effect.logInfo(`${about} appended, and can be read as they come`)
      return yield* Effect.logWarning(
        `chain ${chainId}: the node answered ${density?.answered ?? 0} of ${looks} looks at the chain, so nobody knows how many logs are to go: ` +
          `they are appended, which takes long where they are many: BULK_${chainId}=on and ${rebuildCommand(chainId)} load them in bulk`,
      )
    }
    yield* Effect.logInfo(`${about} loaded in bulk, and can be read when all are there`)
  }
  yield* loading.begin
})

/** Between two tries to take the empty ledger's place: meanwhile whoever reads that gets through. */
const waits: Backoff = { firstMs: 100, capMs: 2000 }
/** Vain tries that most do not come to: some two seconds. */
const untold = 2
const heldUp =
  "what was loaded waits until nobody is in the empty ledger, whose place it takes: a backup, a session left in a transaction, a vacuum"

/** What was copied becomes a ledger. The blocks that came meanwhile are appended after that. */
export const finishLoad = Effect.fnUntraced(function* ({ report, settings }: FollowState, loading: BulkLoading) {
  // Asked beside the load: where it cannot be read nothing is wrong with that.
  const tell = loading.progress.pipe(
    Effect.map(({ step }) => report.phase(step === "copying" ? "deriving" : step)),
    Effect.option,
  )
  yield* tell
  let vain = 0
  while (yield* loading.derive) {
    yield* tell
    if (!loading.isHeldUp()) continue
    if (vain === untold) {
      report.problem(heldUp)
      yield* Effect.logWarning(`chain ${settings.chainId}: ${heldUp}`)
    }
    yield* sleepBackoff(waits, vain++)
  }
  if (vain > untold) report.problem(undefined)
  report.phase("backfill")
})
