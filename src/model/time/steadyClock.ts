/** Time that only ever passes: for waits, ages and rates, whatever is done to the machine's clock. */
import { Clock, Effect } from "effect"

/** Milliseconds since some moment of this process. */
export const steadyMillis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, millisOf)

/** The same of a clock at hand. */
export const steadyMillisOf = (clock: Clock.Clock): number => millisOf(clock.monotonicTimeNanosUnsafe())

/** Runs it by a clock that only ever passes: effect's caches count lifetimes by the clock at hand, which may jump. */
export const onSteadyClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) => Effect.provideService(effect, Clock.Clock, steadyClockOf(clock)))

const steadyClocks = new WeakMap<Clock.Clock, Clock.Clock>()

/** Set by the clock at hand, once: where whoever began a lookup has left, effect counts its lifetime by that one. */
const steadyClockOf = (clock: Clock.Clock): Clock.Clock => {
  const known = steadyClocks.get(clock)
  if (known !== undefined) return known
  const origin = clock.currentTimeMillisUnsafe() - steadyMillisOf(clock)
  const millis = () => origin + steadyMillisOf(clock)
  const own = { currentTimeMillisUnsafe: millis, currentTimeMillis: Effect.sync(millis) }
  const made: Clock.Clock = Object.assign(Object.create(clock), own)
  steadyClocks.set(clock, made)
  return made
}

function millisOf(nanos: bigint): number {
  return Number(nanos / 1000n) / 1000
}
