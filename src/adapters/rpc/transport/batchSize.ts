/** How many calls a node takes in one request: learned from what it refuses, tried larger again slowly. */
import { type Backoff, backoffMs } from "../../../model/time/backoff.ts"

export interface BatchSize {
  /** Calls of one request at most, for now. */
  readonly current: number
  /** More calls than have gone well since fewer were found to be wanted. */
  readonly isUnproven: (calls: number) => boolean
  /** The node said that it takes fewer. `now` in milliseconds, here and below. */
  readonly refused: (calls: number, now: number) => void
  /** A request of so many calls failed as a whole; for whatever reason, it may have been its length. */
  readonly failed: (calls: number, now: number) => void
  /** A request of so many calls was answered. */
  readonly answered: (calls: number, now: number) => void
}

/** Until longer requests are tried again. */
const regrowth: Backoff = { firstMs: 15_000, capMs: 600_000 }
/** So many failures, without an answer to a request as long, are not by chance. */
const failuresUntilShrink = 4

/** `most`: calls of a request to a node that takes any number. */
export const makeBatchSize = (most: number): BatchSize => {
  let current = most
  let proven = most
  let growsAt = 0
  let shrinks = 0
  let failures = 0
  /** The shortest request of those that failed. */
  let shortest = Number.POSITIVE_INFINITY

  const forget = () => {
    failures = 0
    shortest = Number.POSITIVE_INFINITY
  }
  const shrink = (size: number, now: number) => {
    forget()
    if (size < current) {
      current = size
      proven = Math.min(proven, size)
      growsAt = now + backoffMs(regrowth, shrinks++)
    }
  }

  return {
    get current() {
      return current
    },
    isUnproven: (calls) => calls > proven,
    refused: (calls, now) => shrink(Math.ceil(calls / 2), now),
    failed: (calls, now) => {
      // Not even one call is answered: it is not the length.
      if (calls === 1) return forget()
      if (calls > proven) return shrink(proven, now)
      failures++
      shortest = Math.min(shortest, calls)
    },
    answered: (calls, now) => {
      if (calls >= shortest) forget()
      else if (failures >= failuresUntilShrink) shrink(Math.max(calls, Math.ceil(shortest / 2)), now)
      proven = Math.max(proven, calls)
      if (calls >= most) shrinks = 0
      if (calls >= current && current < most && now >= growsAt) current = Math.min(most, current * 2)
    },
  }
}
