/** Which logs are in a block whose receipts count them anew: those prove what is in it and how often, and nothing of the places. Pure. */
import type { Log } from "../../../model/block.ts"
import {
  countsOf,
  eventText,
  type Lacked,
  nodesDiffer,
  noNode,
  notInReceipts,
  roomBeside,
  type Weighed,
} from "./weighed.ts"

export interface CountedAnew extends Lacked {
  /** All of the block's, of all contracts. */
  readonly receipts: ReadonlyArray<Log>
  /** The block's logs by its hash, of each node that gives them. */
  readonly words: ReadonlyArray<ReadonlyArray<Log>>
}

/**
 * Two nodes show a log's place, or one that none contradicts: where as much is told as the receipts hold beside what is
 * stored, and no other node has it, or another log, elsewhere. Never more is believed than the receipts hold.
 */
export const weighCountedAnew = ({ receipts, words, ...lacked }: CountedAnew): Weighed => {
  const { logs } = lacked
  const room = roomBeside(receipts, lacked)
  const events = countsOf(receipts.map(eventText))
  const held = logs.filter((log) => events.has(eventText(log)))
  const disproved = logs.filter((log) => !events.has(eventText(log)))
  const open = held.filter(room.has)
  const crowded = room.crowded(open)
  const isContested = (log: Log) =>
    crowded.has(log) || words.some((word) => contradicts(word, log, events.get(eventText(log))!))
  const believed: Array<Log> = []
  const denials = new Set<string>(disproved.length > 0 ? [notInReceipts] : [])
  const voicesOf = (log: Log) => words.filter((word) => word.some((other) => isSame(other, log))).length
  const contested = new Set(open.filter(isContested))
  for (const log of open) {
    const voices = voicesOf(log)
    if (voices === 0) denials.add(noNode)
    else if (voices === 1 && contested.has(log)) denials.add(nodesDiffer)
    else if (room.has(log)) {
      believed.push(log)
      room.take(log)
    }
  }
  return { believed, known: held.filter((log) => !open.includes(log)), disproved, denial: [...denials][0] }
}

/** It has another log in this place, or all of this event, and none of them here. */
const contradicts = (word: ReadonlyArray<Log>, log: Log, count: number): boolean => {
  const here = word.find(({ logIndex }) => logIndex === log.logIndex)
  if (here !== undefined) return !isSame(here, log)
  return word.filter((other) => eventText(other) === eventText(log)).length >= count
}

const isSame = (a: Log, b: Log): boolean => a.logIndex === b.logIndex && eventText(a) === eventText(b)
