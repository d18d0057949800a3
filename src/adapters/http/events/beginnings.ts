/** How many streams of events a caller begins: as many at once as it may have open, then so many a second. */
import { Result } from "effect"
import { RateLimited } from "../contract/faults.ts"

export interface BeginningLimits {
  /** Streams that a caller may begin at once. */
  readonly atOnce: number
  /** And in each second after that. */
  readonly perSecond: number
}

export interface Beginnings {
  readonly take: (caller: string) => Result.Result<void, RateLimited>
}

const mostCallers = 10_000

/** `now`: milliseconds that only pass. */
export const makeBeginnings = (
  { atOnce, perSecond }: BeginningLimits,
  now: () => number = () => performance.now(),
): Beginnings => {
  // In the order in which callers last asked.
  const callers = new Map<string, { left: number; at: number }>()

  /** Seconds to wait; undefined = the caller may begin one, and did. */
  const refusalOf = (caller: string): number | undefined => {
    const known = callers.get(caller)
    const passed = known === undefined ? 0 : (now() - known.at) / 1000
    const left = known === undefined ? atOnce : Math.min(atOnce, known.left + passed * perSecond)
    const isTaken = left >= 1
    callers.delete(caller)
    callers.set(caller, { left: isTaken ? left - 1 : left, at: now() })
    if (callers.size > mostCallers) callers.delete(callers.keys().next().value!)
    return isTaken ? undefined : Math.max(1, Math.ceil((1 - left) / perSecond))
  }

  return {
    take: (caller) => {
      const retryAfter = refusalOf(caller)
      if (retryAfter === undefined) return Result.succeed(undefined)
      const message = `too many streams of events were begun: a caller may begin ${perSecond} a second (EVENT_STREAMS_PER_SECOND), try again in ${retryAfter} seconds`
      return Result.fail(new RateLimited({ message, retryAfter }))
    },
  }
}
