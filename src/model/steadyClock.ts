/** Time that only ever passes: for waits, ages and rates, whatever is done to the machine's clock. */
import { Clock, Effect } from "effect"

/** Milliseconds since some moment of this process. */
export const steadyMillis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, millisOf)

/** The same of a clock at hand. */
export const steadyMillisOf = (clock: Clock.Clock): number => millisOf(clock.monotonicTimeNanosUnsafe())

function millisOf(nanos: bigint): number {
  return Number(nanos / 1000n) / 1000
}
