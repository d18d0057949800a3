/** Ranges as nodes told them and nobody else confirmed: how many logs each held and a sum over them, enough to see later whether another node tells the same. Pure. */
import type { Log } from "../../../model/block.ts"
import type { BlockRange } from "../verify/rangeAnswers.ts"

/** What one node told of these blocks. */
export interface Told extends BlockRange {
  readonly logs: number
  readonly sum: number
}

/** `logs`: all of these blocks, as they were stored. */
export const toldOf = ({ from, to }: BlockRange, logs: ReadonlyArray<Log>): Told => {
  let sum = 0
  for (const { blockNumber, logIndex } of logs) {
    const mixed = Math.imul(Math.imul(blockNumber, 0x9e3779b1) ^ logIndex, 0x85ebca6b)
    sum = (sum + (mixed ^ (mixed >>> 15))) | 0
  }
  return { from, to, logs: logs.length, sum }
}

export const isSame = (a: Told, b: Told): boolean => a.logs === b.logs && a.sum === b.sum

const mostKept = 4096

/** One more. Where they are too many, neighbours are put together: numbers and sums of neighbours add up. */
export const withTold = (kept: ReadonlyArray<Told>, told: Told): ReadonlyArray<Told> =>
  kept.length < mostKept ? [...kept, told] : joinPairs([...kept, told].sort((a, b) => a.from - b.from))

const joinPairs = (sorted: ReadonlyArray<Told>): ReadonlyArray<Told> => {
  const joined: Array<Told> = []
  let isPair = false
  for (const next of sorted) {
    const last = joined.at(-1)
    isPair = !isPair && last !== undefined && last.to + 1 === next.from
    if (isPair && last) joined[joined.length - 1] = joinedTold(last, next)
    else joined.push(next)
  }
  // Those that have no neighbours, as where most ranges were checked: the oldest go.
  return joined.slice(-mostKept)
}

const joinedTold = (a: Told, b: Told): Told => ({
  from: a.from,
  to: b.to,
  logs: a.logs + b.logs,
  sum: (a.sum + b.sum) | 0,
})
