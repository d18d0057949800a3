/** Time that only ever passes: for waits, ages and rates, whatever is done to the machine's clock. */
import { Clock, Effect } from "effect"

/** Milliseconds since some moment of this process. */
export const steadyMillis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, millisOf)

/** The same of a clock at hand. */
export const steadyMillisOf = (clock: Clock.Clock): number => millisOf(clock.monotonicTimeNanosUnsafe())

function millisOf(nanos: bigint): number {
  return Number(nanos / 1000n) / 1000
}

/** Runs it by a clock that only ever passes: effect's caches count lifetimes by the wall clock otherwise. */
export const onSteadyClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) => {
    const steady: Clock.Clock = Object.assign(Object.create(clock), {
      currentTimeMillisUnsafe: () => steadyMillisOf(clock),
      currentTimeMillis: Effect.sync(() => steadyMillisOf(clock)),
    })
    return Effect.provideService(effect, Clock.Clock, steady)
  })
