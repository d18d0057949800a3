/** Ends of times that are equally long: one timer for all of them, since they come in the order in which they began. */

export interface Deadlines {
  /** `end` is called once the time is over, unless the function that is given was called before. */
  readonly begin: (end: () => void) => () => void
}

interface Deadline {
  /** By the clock of `performance.now()`. */
  readonly at: number
  readonly end: () => void
}

export const makeDeadlines = (milliseconds: number): Deadlines => {
  const open = new Set<Deadline>()
  let isArmed = false
  const arm = (wait: number): void => {
    isArmed = true
    // Nobody who is waited for hangs on this alone: a server that listens does not end.
    setTimeout(look, Math.ceil(wait)).unref()
  }
  const look = (): void => {
    isArmed = false
    const now = performance.now()
    for (const deadline of open) {
      if (deadline.at > now) {
        arm(deadline.at - now)
        return
      }
      open.delete(deadline)
      deadline.end()
    }
  }
  return {
    begin: (end) => {
      const own: Deadline = { at: performance.now() + milliseconds, end }
      open.add(own)
      if (!isArmed) arm(milliseconds)
      return () => {
        open.delete(own)
      }
    },
  }
}
