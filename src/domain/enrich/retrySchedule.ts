/** When what failed is tried again: each time after twice as long. Plain data, by key. */
import { type Backoff, backoffMs } from "../../model/time/backoff.ts"

const delays: Backoff = { firstMs: 4000, capMs: 600_000 }

export interface RetrySchedule {
  /** Not postponed, or for long enough. It is remembered for as long as this is asked. */
  isDue(key: string, now: number): boolean
  /** Times it was postponed. */
  tries(key: string): number
  /** Times of them that it was the item that failed, for all we know. */
  refusals(key: string): number
  postpone(key: string, now: number, refused: boolean): void
  remove(key: string): void
  /** How many there are. Those that nobody has asked for in a long while are forgotten. */
  size(now: number): number
}

interface Postponed {
  readonly until: number
  readonly tries: number
  readonly refusals: number
  /** Since it was last looked at what is to be forgotten. */
  isWanted: boolean
}

export const makeRetrySchedule = (): RetrySchedule => {
  const all = new Map<string, Postponed>()
  let forgottenAt = Number.NEGATIVE_INFINITY
  return {
    isDue: (key, now) => {
      const found = all.get(key)
      if (found === undefined) return true
      found.isWanted = true
      return found.until <= now
    },
    tries: (key) => all.get(key)?.tries ?? 0,
    refusals: (key) => all.get(key)?.refusals ?? 0,
    postpone: (key, now, refused) => {
      const { tries, refusals } = all.get(key) ?? { tries: 0, refusals: 0 }
      const until = now + backoffMs(delays, tries)
      all.set(key, { until, tries: tries + 1, refusals: refusals + (refused ? 1 : 0), isWanted: true })
    },
    remove: (key) => void all.delete(key),
    size: (now) => {
      if (now >= forgottenAt + delays.capMs) {
        forgottenAt = now
        // No age tells: one list may take longer to be asked about than anything is put off.
        for (const [key, found] of all) {
          if (!found.isWanted) all.delete(key)
          found.isWanted = false
        }
      }
      return all.size
    },
  }
}
