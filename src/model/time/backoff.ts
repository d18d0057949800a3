/** Waits between tries: twice as long after each failure in a row, up to a cap. */
import { Effect, Random } from "effect"

export interface Backoff {
  /** After the first failure. */
  readonly firstMs: number
  readonly capMs: number
}

/** The wait after so many failures in a row, not counting the first one. For whoever keeps a time before which nothing is tried. */
export const backoffMs = ({ firstMs, capMs }: Backoff, failures: number): number =>
  Math.min(firstMs * 2 ** failures, capMs)

/** The same for whoever waits there and then: less up to a half by chance, so that those who failed together come apart. */
export const sleepBackoff = Effect.fnUntraced(function* (backoff: Backoff, failures: number) {
  yield* Effect.sleep(backoffMs(backoff, failures) * (0.5 + 0.5 * (yield* Random.next)))
})
