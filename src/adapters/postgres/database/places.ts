/** Connections of a pool as places: a statement waits for a free one, never behind another in the driver. */

export interface Places {
  /** Starts once a place is free; whoever started calls `done`, once or more. Gives what ends the waiting. */
  readonly take: (start: (done: () => void) => void) => () => void
}

export const makePlaces = (count: number): Places => {
  let free = count
  const waiting = new Set<() => void>()
  return {
    take: (start) => {
      const begin = () => {
        let isDone = false
        start(() => {
          if (isDone) return
          isDone = true
          const [next] = waiting
          if (next === undefined) free++
          else {
            waiting.delete(next)
            next()
          }
        })
      }
      if (free > 0) {
        free--
        begin()
      } else waiting.add(begin)
      return () => waiting.delete(begin)
    },
  }
}
