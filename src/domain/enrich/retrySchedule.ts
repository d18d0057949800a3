/** What failed and is to be tried later: each time after twice as long. Plain data, by key. */

/** Of the first try, in milliseconds. */
const shortestDelay = 4000
const longestDelay = 600_000

export interface PutOff {
  /** Not put off, or for long enough. */
  isDue(key: string, now: number): boolean
  /** Times it was put off. */
  tries(key: string): number
  /** Times of them that it was the item that failed, for all we know. */
  refusals(key: string): number
  add(key: string, now: number, refused: boolean): void
  delete(key: string): void
  /** How many there are. Those that nobody has asked for in a long while are forgotten. */
  size(now: number): number
}

export const makePutOff = (): PutOff => {
  const all = new Map<string, { readonly until: number; readonly tries: number; readonly refusals: number }>()
  let forgottenAt = Number.NEGATIVE_INFINITY
  return {
    isDue: (key, now) => (all.get(key)?.until ?? now) <= now,
    tries: (key) => all.get(key)?.tries ?? 0,
    refusals: (key) => all.get(key)?.refusals ?? 0,
    add: (key, now, refused) => {
      const { tries, refusals } = all.get(key) ?? { tries: 0, refusals: 0 }
      const until = now + Math.min(shortestDelay * 2 ** tries, longestDelay)
      all.set(key, { until, tries: tries + 1, refusals: refusals + (refused ? 1 : 0) })
    },
    delete: (key) => void all.delete(key),
    size: (now) => {
      if (now >= forgottenAt + longestDelay) {
        forgottenAt = now
        for (const [key, { until }] of all) if (until + longestDelay < now) all.delete(key)
      }
      return all.size
    },
  }
}
