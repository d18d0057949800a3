/** Who is served next: reads of one cost have so many turns, and callers take them in rotation. Pure, but for the clock at hand. */

/** What one cost of reads may use. */
export interface ShareLimits {
  /** Reads that go on at once. */
  readonly turns: number
  /** Turns of one caller: fewer than all, so that who comes next finds one. */
  readonly perCaller: number
  /** Reads that wait at once, of everybody and of one caller. */
  readonly mostWaiting: number
  readonly mostWaitingPerCaller: number
  /** Absent = the wait cannot be foretold: turns last as long as a client likes. */
  readonly foretold?: true
}

/** A place in the queue, then a turn. */
export interface Ticket {
  /** Called once, at once where a turn is free. */
  readonly whenServed: (serve: () => void) => void
  /** Gives up the place or the turn; a second time it does nothing. */
  readonly leave: () => void
  /**
   * Gives up the turn for as long as something else is waited for. Where as many step aside as may wait it is kept: nothing is
   * done then, here and in `again`.
   */
  readonly stepAside: () => void
  /** Into the queue again, where nobody is refused that had a turn: `whenServed` tells. */
  readonly again: () => void
  /** Whether somebody waits who would be served if this turn ended. Who is told so ends it: nobody else is told for the same one. */
  readonly mustYield: () => boolean
}

/** No place: it is told after how many milliseconds there may be one. */
export interface Refused {
  readonly retryAfterMs: number
}

export interface Shares {
  /** `longestWaitMs`: who would wait longer by all that is known gets no place. */
  readonly join: (caller: string, longestWaitMs: number) => Ticket | Refused
  /** For who has waited too long. */
  readonly refuse: (caller: string) => Refused
  /** When a place that is asked for now would be served, as far as is known. */
  readonly expectedWaitMs: (caller: string) => number
  readonly counts: () => { readonly running: number; readonly waiting: number; readonly refused: number }
}

interface Caller {
  running: number
  readonly waiting: Array<() => void>
  /** Those that wait for something else. */
  aside: number
}

/** How much the newest turn weighs in the mean of their durations. */
const weight = 0.1

export const makeShares = (limits: ShareLimits, now: () => number = () => performance.now()): Shares => {
  // In the order of the rotation: who was served goes to its end.
  const callers = new Map<string, Caller>()
  const counts = { running: 0, waiting: 0, refused: 0 }
  /** Turns that were told to end, and have not. */
  let yielding = 0
  let meanMs = 0
  let aside = 0

  const serveNext = (): void => {
    while (counts.running < limits.turns && counts.waiting > 0) {
      const next = callers
        .entries()
        .find(([, { waiting, running }]) => waiting.length > 0 && running < limits.perCaller)
      if (next === undefined) return
      const [name, caller] = next
      callers.delete(name)
      callers.set(name, caller)
      counts.waiting--
      caller.waiting.shift()!()
    }
  }

  /** Each caller ahead is served as often as this one, as far as it waits. */
  const expectedWaitMs = (name: string): number => {
    const own = callers.get(name)
    const place = (own?.waiting.length ?? 0) + 1
    const hasTurn = counts.running < limits.turns && (own?.running ?? 0) < limits.perCaller && place === 1
    if (hasTurn) return 0
    let ahead = 0
    for (const [other, { waiting }] of callers) ahead += other === name ? place : Math.min(waiting.length, place)
    return meanMs * Math.max(Math.max(ahead, place) / limits.turns, place / limits.perCaller)
  }

  const refuse = (name: string): Refused => {
    counts.refused++
    return { retryAfterMs: expectedWaitMs(name) }
  }

  return {
    refuse,
    expectedWaitMs,
    counts: () => ({ ...counts }),
    join: (name, longestWaitMs) => {
      const known = callers.get(name)
      if (counts.waiting >= limits.mostWaiting || (known?.waiting.length ?? 0) >= limits.mostWaitingPerCaller)
        return refuse(name)
      if (limits.foretold === true && expectedWaitMs(name) > longestWaitMs) return refuse(name)
      const caller = known ?? { running: 0, waiting: [], aside: 0 }
      callers.set(name, caller)

      let state: "waiting" | "running" | "aside" | "over" = "waiting"
      let began = 0
      let isYielding = false
      let onServed: (() => void) | undefined
      const serve = (): void => {
        state = "running"
        began = now()
        caller.running++
        counts.running++
        onServed?.()
      }
      const queue = (): void => {
        state = "waiting"
        caller.waiting.push(serve)
        counts.waiting++
        serveNext()
      }
      const endTurn = (): void => {
        caller.running--
        counts.running--
        if (isYielding) yielding--
        isYielding = false
      }
      const comeBack = (): void => {
        caller.aside--
        aside--
      }
      queue()
      return {
        whenServed: (served) => {
          onServed = served
          if (state === "running") served()
        },
        leave: () => {
          if (state === "over") return
          if (state === "waiting") {
            caller.waiting.splice(caller.waiting.indexOf(serve), 1)
            counts.waiting--
          }
          // A turn that was stepped out of says nothing of how long one takes.
          if (state === "running") {
            endTurn()
            const tookMs = now() - began
            meanMs = meanMs === 0 ? tookMs : meanMs + weight * (tookMs - meanMs)
          }
          if (state === "aside") comeBack()
          state = "over"
          if (caller.running + caller.waiting.length + caller.aside === 0) callers.delete(name)
          serveNext()
        },
        stepAside: () => {
          if (state !== "running" || aside >= limits.mostWaiting || caller.aside >= limits.mostWaitingPerCaller) return
          endTurn()
          state = "aside"
          caller.aside++
          aside++
          serveNext()
        },
        again: () => {
          if (state !== "aside") return
          comeBack()
          queue()
        },
        mustYield: () => {
          let wanted = -yielding
          for (const [other, { waiting, running }] of callers)
            wanted += Math.min(waiting.length, limits.perCaller - running + (other === name ? 1 : 0))
          if (state !== "running" || isYielding || wanted <= 0) return isYielding
          yielding++
          isYielding = true
          return true
        },
      }
    },
  }
}
