/** Which logs are in a block whose receipts count them anew: those prove what is in it and how often, and nothing of the places. Pure. */
import type { Log } from "../../../model/block.ts"
import type { StoredRow } from "../../../ports/AuditStore.ts"
import type { Contracts } from "../../ingest/decode/sorting.ts"
import { contentOf, rowsOfLogs } from "./compareRows.ts"

export const notInReceipts = "its receipts, which fit its header, do not hold them"

export interface CountedAnew {
  /** Of one contract: the ledger has nothing at their places. */
  readonly logs: ReadonlyArray<Log>
  /** All of the block's, of all contracts. */
  readonly receipts: ReadonlyArray<Log>
  /** What the ledger has of the contract in the block. */
  readonly stored: ReadonlyArray<StoredRow>
  readonly contracts: Contracts
  /** The block's logs by its hash, of each node that gives them. */
  readonly words: ReadonlyArray<ReadonlyArray<Log>>
}

export interface Weighed {
  readonly believed: ReadonlyArray<Log>
  /** The ledger has them, at other places. */
  readonly known: ReadonlyArray<Log>
  /** The receipts do not hold them. */
  readonly disproved: ReadonlyArray<Log>
  /** Why others are not believed; undefined = all are, or are known. */
  readonly denial: string | undefined
}

/**
 * Two nodes show a log's place, or one that none contradicts: where as much is told as the receipts hold beside what is
 * stored, and no other node has it, or another log, elsewhere. Never more is believed than the receipts hold.
 */
export const weighCountedAnew = ({ logs, receipts, stored, contracts, words }: CountedAnew): Weighed => {
  const contentsOf = (of: ReadonlyArray<Log>) => rowsOfLogs(of, contracts).map(contentOf)
  const proven = countsOf(contentsOf(receipts.filter(({ address }) => address === logs[0]?.address)))
  const room = countsOf(stored.map(contentOf))
  for (const [content, count] of proven) room.set(content, count - (room.get(content) ?? 0))
  const hasRoom = (log: Log) => contentsOf([log]).every((content) => (room.get(content) ?? 0) > 0)
  const events = countsOf(receipts.map(eventText))
  const held = logs.filter((log) => events.has(eventText(log)))
  const disproved = logs.filter((log) => !events.has(eventText(log)))
  const open = held.filter(hasRoom)
  const told = countsOf(contentsOf(open))
  const isContested = (log: Log) =>
    contentsOf([log]).some((content) => told.get(content)! > room.get(content)!) ||
    words.some((word) => contradicts(word, log, events.get(eventText(log))!))
  const believed: Array<Log> = []
  const denials = new Set<string>(disproved.length > 0 ? [notInReceipts] : [])
  const voicesOf = (log: Log) => words.filter((word) => word.some((other) => isSame(other, log))).length
  const contested = new Set(open.filter(isContested))
  for (const log of open) {
    const voices = voicesOf(log)
    if (voices === 0) denials.add("no node gives them by its hash")
    else if (voices === 1 && contested.has(log)) denials.add("nodes tell of them at different places of the block")
    else if (hasRoom(log)) {
      believed.push(log)
      for (const content of contentsOf([log])) room.set(content, room.get(content)! - 1)
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

/** Of whatever place in its block. */
export const eventText = ({ address, topics, data, txHash }: Log): string => [address, ...topics, data, txHash].join()

const countsOf = (texts: ReadonlyArray<string>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
