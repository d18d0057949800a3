/** A budget of calls per second: a bucket that fills steadily and that every call is taken from. */
import { Clock, Effect } from "effect"

export interface Budget {
  /** Calls that may go in one request. */
  readonly mostAtOnce: number
  /** Waits until so many calls may be made; in the order in which it was asked. */
  readonly spend: (calls: number) => Effect.Effect<void>
}

/** `callsPerSecond` absent = no limit. After a rest a quarter of a second's calls may go at once. */
export const makeBudget = (callsPerSecond: number | undefined): Budget => {
  if (callsPerSecond === undefined) return { mostAtOnce: Number.POSITIVE_INFINITY, spend: () => Effect.void }
  const most = Math.max(1, callsPerSecond / 4)
  let left = most
  let countedAt = Number.NEGATIVE_INFINITY
  return {
    mostAtOnce: Math.max(1, Math.floor(callsPerSecond / 2)),
    spend: Effect.fnUntraced(function* (calls: number) {
      const now = yield* Clock.currentTimeMillis
      if (now > countedAt) left = Math.min(most, left + ((now - countedAt) / 1000) * callsPerSecond)
      countedAt = Math.max(countedAt, now)
      // Taken before it is there: whoever comes next waits behind.
      left -= calls
      if (left < 0) yield* Effect.sleep(Math.ceil((-left / callsPerSecond) * 1000))
    }),
  }
}
