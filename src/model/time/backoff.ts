/** Waits between tries: twice as long after each failure in a row, up to a cap. */
import { Duration, Effect, Random, Schedule } from "effect"

export interface Backoff {
  /** After the first failure. */
  readonly firstMs: number
  readonly capMs: number
}

/** The wait after so many failures in a row, not counting the first one. For whoever keeps a time before which nothing is tried. */
export const backoffMs = ({ firstMs, capMs }: Backoff, failures: number): number =>
  Math.min(firstMs * 2 ** failures, capMs)

/** All the waits after so many failures in a row, one after the other: how long it was tried, whatever a clock says. */
export const waitedMs = (backoff: Backoff, failures: number): number =>
  Array.from({ length: failures }, (_, failure) => backoffMs(backoff, failure)).reduce((sum, wait) => sum + wait, 0)

/** Less up to a half by chance, so that those who failed together come apart. */
const jittered = (waitMs: number) => Effect.map(Random.next, (part) => waitMs * (0.5 + 0.5 * part))

/** The same for whoever counts the failures and waits there and then. */
export const sleepBackoff = (backoff: Backoff, failures: number): Effect.Effect<void> =>
  Effect.flatMap(jittered(backoffMs(backoff, failures)), Effect.sleep)

/** The same as a schedule. It never ends. */
export const backoffSchedule = ({ firstMs, capMs }: Backoff) =>
  Schedule.exponential(firstMs).pipe(
    Schedule.modifyDelay(({ duration }) => jittered(Math.min(Duration.toMillis(duration), capMs))),
  )
