/** Which way a history goes into the ledger: a long one into an empty ledger in bulk, any other by appends that people see. */
import { Duration, Effect } from "effect"
import type { BulkLoading } from "../../../ports/Ledger.ts"
import type { FollowState } from "../state/FollowState.ts"
import { logsIn } from "./density.ts"
import type { Progress } from "./progress.ts"

/** So many logs take appends about ten seconds: nobody is kept waiting for less. */
const fewestLogs = 250_000
const longestLook = Duration.seconds(5)

/** Begins a load where it is worth it. One that was begun goes on, whatever is set by now. */
export const chooseWay = Effect.fnUntraced(function* (state: FollowState, progress: Progress) {
  const { ledger, settings } = state
  const { bulk = "auto", chainId } = settings
  const loading = ledger.bulk
  if (loading === undefined || loading.isLoading() || bulk === "off" || ledger.checkpoint().head !== undefined) return
  if (bulk === "auto") {
    const density = yield* progress.density.pipe(Effect.timeoutOption(longestLook))
    const logs = density._tag === "Some" && density.value !== undefined ? logsIn(density.value) : 0
    if (logs < fewestLogs) return
    yield* Effect.logInfo(
      `chain ${chainId}: about ${Math.round(logs).toLocaleString("en-US")} logs to go: they are loaded in bulk, and can be read when all are there`,
    )
  }
  yield* loading.begin
})

/** What was copied becomes a ledger. The blocks that came meanwhile are appended after that. */
export const finishLoad = Effect.fnUntraced(function* ({ report }: FollowState, loading: BulkLoading) {
  // Asked beside the load: where it cannot be read nothing is wrong with that.
  const tell = loading.progress.pipe(
    Effect.map(({ step }) => report.phase(step === "copying" ? "deriving" : step)),
    Effect.option,
  )
  yield* tell
  while (yield* loading.derive) yield* tell
  report.phase("backfill")
})
