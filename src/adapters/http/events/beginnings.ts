/** When a stream of events begins: a caller begins so many a second, and all callers together begin theirs in rotation. */
import { Effect } from "effect"
import { makeShares } from "../../../domain/turns/shares.ts"
import { RateLimited } from "../contract/faults.ts"

export interface BeginningLimits {
  /** Streams that a caller may begin at once. */
  readonly atOnce: number
  /** And in each second after that. */
  readonly perSecond: number
}

export interface Beginnings {
  /** Waits for the turn; refused where the caller begins too many, or too many wait. */
  readonly take: (caller: string) => Effect.Effect<void, RateLimited>
}

/**
 * A turn lasts so long whatever is done in it: so all callers begin 1,000 streams a second, one of them 500. The beginning of one
 * takes 0.2 ms of CPU, which would be all there is where they are dropped and begun anew.
 */
const turnMs = 20
const turns = { turns: 20, perCaller: 10, mostWaiting: 2000, mostWaitingPerCaller: 500 }

const mostCallers = 10_000

/** `now`: milliseconds that only pass. */
export const makeBeginnings = (
  { atOnce, perSecond }: BeginningLimits,
  now: () => number = () => performance.now(),
): Beginnings => {
  const shares = makeShares(turns, now)
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
    for (const oldest of callers.keys()) {
      if (callers.size <= mostCallers) break
      callers.delete(oldest)
    }
    return isTaken ? undefined : Math.max(1, Math.ceil((1 - left) / perSecond))
  }

  return {
    take: (caller) =>
      Effect.suspend(() => {
        const retryAfter = refusalOf(caller)
        if (retryAfter !== undefined) {
          const message = `too many streams of events were begun: a caller may begin ${perSecond} a second (EVENT_STREAMS_PER_SECOND), try again in ${retryAfter} seconds`
          return Effect.fail(new RateLimited({ message, retryAfter }))
        }
        const ticket = shares.join(caller, Number.POSITIVE_INFINITY)
        if (!("leave" in ticket)) {
          const message = "too many streams of events are about to begin: try again in 2 seconds"
          return Effect.fail(new RateLimited({ message, retryAfter: 2 }))
        }
        return Effect.callback<void>((resume) => {
          ticket.whenServed(() => {
            setTimeout(ticket.leave, turnMs)
            resume(Effect.void)
          })
          return Effect.sync(ticket.leave)
        })
      }),
  }
}
