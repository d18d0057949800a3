/** Ranges as nodes told them: how many logs each held and a sum over them, enough to see later whether another node tells the same. Pure. */
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

/** Neighbours are one as long as they hold no more than can be asked of another node in one go. */
const mostLogs = 20_000
const mostBlocks = 100_000
/** Ranges come nearly in order: a neighbour is among the newest. */
const newest = 16
/** About 100 bytes each; above that the oldest go. */
const mostKept = 65_536

/**
 * One more, put together with its neighbours where there are some: their numbers and sums add up. Gives the blocks, first and
 * last, of those that went.
 */
export const keepTold = (kept: Array<Told>, told: Told): BlockRange | undefined => {
  for (let place = kept.length - 1; place >= Math.max(0, kept.length - newest); place--) {
    const other = kept[place]!
    const isBefore = other.to + 1 === told.from
    if (!isBefore && told.to + 1 !== other.from) continue
    const joined = isBefore ? joinedTold(other, told) : joinedTold(told, other)
    if (joined.logs > mostLogs || joined.to - joined.from >= mostBlocks) continue
    kept.splice(place, 1)
    return keepTold(kept, joined)
  }
  kept.push(told)
  return kept.length > mostKept ? kept.splice(0, mostKept / 8).reduce(spanOf, undefined) : undefined
}

/** The first block and the last of both. */
export const spanOf = (span: BlockRange | undefined, { from, to }: BlockRange): BlockRange =>
  span === undefined ? { from, to } : { from: Math.min(span.from, from), to: Math.max(span.to, to) }

const joinedTold = (a: Told, b: Told): Told => ({
  from: a.from,
  to: b.to,
  logs: a.logs + b.logs,
  sum: (a.sum + b.sum) | 0,
})
