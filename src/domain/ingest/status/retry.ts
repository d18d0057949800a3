/** Waits after failures: half a second, doubling up to 30 s, each less up to a half by chance. */
import { Effect } from "effect"
import { type Backoff, backoffSchedule, sleepBackoff } from "../../../model/time/backoff.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { Report } from "./report.ts"

const waits: Backoff = { firstMs: 500, capMs: 30_000 }

/** Never ends. */
export const growingWaits = (capMs = waits.capMs) => backoffSchedule({ ...waits, capMs })

/** The same waits for whoever counts failures himself: after the nth in a row (n from 0). */
export const backoff = (failures: number): Effect.Effect<void> => sleepBackoff(waits, failures)

/** Tries again for as long as the node fails. */
export const retryUnavailable = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>,
  schedule = growingWaits(),
) => {
  const isPassing = ({ _tag }: E): boolean => _tag === "SourceUnavailable"
  // The waits never end: of that the type of a schedule says nothing.
  return Effect.retry(effect, { schedule, while: isPassing }) as Effect.Effect<A, Exclude<E, SourceUnavailable>, R>
}

/** The same of failures that are reported: once it succeeds the chain's status does not name them any more. */
export const retryReported = <A, E extends { readonly _tag: string }, R>(
  report: Pick<Report, "problem">,
  effect: Effect.Effect<A, E, R>,
) =>
  Effect.suspend(() => {
    let hasFailed = false
    const noted = Effect.tapError(effect, () =>
      Effect.sync(() => {
        hasFailed = true
      }),
    )
    return Effect.tap(retryUnavailable(noted), () =>
      Effect.sync(() => {
        if (hasFailed) report.problem(undefined)
      }),
    )
  })

/** Asks again until the node answers; meanwhile the chain's status says what is wrong. */
export const untilAnswered = <A, R>(
  report: Pick<Report, "problem" | "refused">,
  ask: Effect.Effect<A, SourceUnavailable, R>,
): Effect.Effect<A, never, R> => retryReported(report, Effect.tapError(ask, report.refused))
