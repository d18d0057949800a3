/** A budget of calls per second: a bucket that fills steadily, and never more in any second, whatever holds us up. */
import { Effect, Semaphore } from "effect"
import { steadyMillis } from "./steadyClock.ts"

export interface Budget {
  /** Calls that may go in one request. */
  readonly mostAtOnce: number
  /** Waits until so many calls, `mostAtOnce` at most, may be made; in the order in which it was asked. */
  readonly spend: (calls: number) => Effect.Effect<void>
}

/** A second, and some room for calls that take unequally long to arrive, in milliseconds. */
const spanMs = 1100

/**
 * `callsPerSecond` absent = no limit. The bucket spreads the calls; what truly went in the last second is counted too,
 * for whoever waits may wake late, together with those behind.
 */
export const makeBudget = (callsPerSecond: number | undefined): Budget => {
  if (callsPerSecond === undefined) return { mostAtOnce: Number.POSITIVE_INFINITY, spend: () => Effect.void }
  // Two where it can be: the logs of a range come with a header.
  const most = Math.max(callsPerSecond < 3 ? 1 : 2, Math.floor(callsPerSecond * 0.15))
  const perMs = (callsPerSecond * 0.9) / 1000
  const queue = Semaphore.makeUnsafe(1)
  let left = most
  let filledAt = Number.NEGATIVE_INFINITY
  /** When the calls of the last second went, ascending. */
  let went: Array<number> = []

  const waitFor = (calls: number, now: number): number => {
    if (now > filledAt) left = Math.min(most, left + (now - filledAt) * perMs)
    filledAt = now
    went = went.filter((at) => at > now - spanMs)
    const tooMany = went.length + calls - callsPerSecond
    return Math.max((calls - left) / perMs, tooMany > 0 ? went[tooMany - 1]! + spanMs - now : 0)
  }

  return {
    mostAtOnce: most,
    spend: (asked) =>
      Effect.gen(function* () {
        const calls = Math.min(asked, most)
        while (true) {
          const now = yield* steadyMillis
          const waitMs = waitFor(calls, now)
          // So little is an error of the arithmetic.
          if (waitMs < 0.001) {
            left -= calls
            for (let call = 0; call < calls; call++) went.push(now)
            return
          }
          yield* Effect.sleep(Math.ceil(waitMs))
        }
      }).pipe(queue.withPermit),
  }
}
