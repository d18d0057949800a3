/** Time that only ever passes: for waits, ages and rates, whatever is done to the machine's clock. */
import { Clock, Effect } from "effect"

/** Milliseconds since some moment of this process. */
export const steadyMillis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, millisOf)

/** The same of a clock at hand. */
export const steadyMillisOf = (clock: Clock.Clock): number => millisOf(clock.monotonicTimeNanosUnsafe())

/** Runs an effect by a clock whose milliseconds only ever pass: effect's `Cache` goes by the clock at hand, which may jump. */
export const bySteadyClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) => Effect.provideService(effect, Clock.Clock, steadyClockOf(clock)))

const currentMillis = (): number => performance.timeOrigin + performance.now()

const steadyClockOf = (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: currentMillis,
  currentTimeMillis: Effect.sync(currentMillis),
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration),
})

function millisOf(nanos: bigint): number {
  return Number(nanos / 1000n) / 1000
}
