/** What is said of a share that is done, and how long the rest takes, by the pace of the last minutes. Pure. */

/** A share (0 to 1) of the work that was done at a moment. */
interface Mark {
  readonly at: number
  readonly done: number
}

const spanMs = 180_000
const muchLess = 0.05
/** Before that nothing is said. */
const firstSpanMs = 2000
/** What has not moved for so long since it was first looked at is taken for a step of this share. */
const still = { ms: 20_000, step: 0.02 }

export interface Told {
  /** 0 to 1. A guess that was a little too high stands until the rest has caught up with it. */
  readonly done: number
  /** Undefined = not known yet. */
  readonly secondsLeft: number | undefined
}

export interface Pace {
  /** The share that is done now, steady milliseconds. */
  readonly mark: (at: number, share: number) => Told
}

/** What does not move for a while makes the rest longer, and is never forgotten: the oldest mark of the span stays. */
export const makePace = (): Pace => {
  let marks: Array<Mark> = []
  return {
    mark: (at, share) => {
      const last = marks.at(-1)?.done ?? 0
      // A share that falls by much is of another goal, one that falls by little was a guess.
      if (share < last - muchLess) marks = []
      const done = Math.max(share, marks.at(-1)?.done ?? 0)
      marks.push({ at, done })
      while (marks.length > 2 && marks[1]!.at <= at - spanMs && marks[1]!.done < done) marks.shift()
      const first = marks[0]!
      const passed = at - first.at
      const isStill = done <= first.done
      if (isStill ? done === 0 || passed < still.ms : passed < firstSpanMs) return { done, secondsLeft: undefined }
      const moved = isStill ? still.step : done - first.done
      return { done, secondsLeft: Math.ceil(((1 - done) * passed) / moved / 1000) }
    },
  }
}
