/** What a history tells of its blocks by itself: where it contradicts itself, how far its headers prove one another, and where its logs are not another's. Pure. */
import type { Log } from "../../../model/block.ts"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import type { HistoryHeader, HistoryPart } from "../../../ports/HistorySource.ts"
import { type Contradiction, chainContradiction } from "../decode/chunk.ts"
import type { BlockRange } from "../verify/rangeAnswers.ts"

const order = (message: string): Contradiction => ({ kind: "order", message })

/** Why these blocks cannot be: out of order, not a chain, logs of other blocks; undefined = they can. */
export const partContradiction = ({ headers, logs }: HistoryPart, { from }: BlockRange): Contradiction | undefined => {
  if (headers[0]!.number < from) return order(`block ${headers[0]!.number} comes where block ${from} was to come`)
  for (let index = 1; index < headers.length; index++) {
    const [before, { number }] = [headers[index - 1]!.number, headers[index]!]
    if (number <= before) return order(`block ${number} comes after block ${before}`)
  }
  return chainContradiction(headers) ?? logsContradiction(headers, logs)
}

/** Both ascend, each log lies in one of the blocks, each place in a block is there once. */
const logsContradiction = (
  headers: ReadonlyArray<HistoryHeader>,
  logs: ReadonlyArray<Log>,
): Contradiction | undefined => {
  let at = 0
  for (let index = 0; index < logs.length; index++) {
    const [log, before] = [logs[index]!, logs[index - 1]]
    while (at < headers.length && headers[at]!.number < log.blockNumber) at++
    const header = headers[at]
    if (header?.number !== log.blockNumber || header.hash !== log.blockHash) {
      return { kind: "logs", message: `a log of block ${log.blockNumber}, which is none of its blocks` }
    }
    if (before?.blockNumber !== log.blockNumber) continue
    const isEarlier = log.txIndex !== undefined && before.txIndex !== undefined && log.txIndex < before.txIndex
    if (log.logIndex > before.logIndex && !isEarlier) continue
    return order(`log ${log.logIndex} of block ${log.blockNumber} comes after log ${before.logIndex}`)
  }
  return undefined
}

/**
 * `whole`: every block is there and each is proven by the hash of the last. `none`: their fields do not give their hashes, or
 * blocks are left out. `later`: their fields give their hashes from some block on.
 */
export type Proven = "whole" | "none" | "later"

/** What the headers prove, where the hash of the last one is known to be right; or which of them cannot be. */
export const provenBy = (headers: ReadonlyArray<HistoryHeader>, { from, to }: BlockRange): Proven | Contradiction => {
  const isWhole = headers.length === to - from + 1
  const bare = headers.findLastIndex(({ isHashed }) => !isHashed)
  if (bare === -1) return isWhole ? "whole" : "none"
  if (!headers.slice(bare).some(({ isHashed }) => isHashed)) return "none"
  // A chain that leaves AuRa hashes other fields up to there. A fork adds fields once for all: between two that suffice all do.
  if (!headers.slice(0, bare).some(({ isHashed }) => isHashed)) return "later"
  return { kind: "fork", message: `the hash of block ${headers[bare]!.number} is not that of its fields` }
}

/** In what the history tells another block than the node does. */
export const headerDifference = (told: HistoryHeader, right: SourceHeader): string | undefined => {
  const mark = right.receipts
  const isOther = (own: string | undefined, other: string | undefined) =>
    own !== undefined && other !== undefined && own !== other
  if (told.hash !== right.hash || told.parentHash !== right.parentHash) return "another hash"
  if (told.time !== right.time) return "another time"
  if (isOther(told.receiptsRoot, mark?.root)) return "another receiptsRoot"
  return isOther(told.logsBloom, mark?.bloom) ? "another logsBloom" : undefined
}

/** The first block of which two tell different logs; both ascend. Where one leaves a transaction's place out it says nothing of it. */
export const differentBlock = (own: ReadonlyArray<Log>, others: ReadonlyArray<Log>): number | undefined => {
  for (let index = 0; index < Math.max(own.length, others.length); index++) {
    const [a, b] = [own[index], others[index]]
    if (a !== undefined && b !== undefined && isSame(a, b)) continue
    return Math.min(a?.blockNumber ?? Number.POSITIVE_INFINITY, b?.blockNumber ?? Number.POSITIVE_INFINITY)
  }
  return undefined
}

/** A block of which two tell different logs, and all that either tells of it. */
export interface DifferingBlock {
  readonly number: number
  readonly own: ReadonlyArray<Log>
  readonly others: ReadonlyArray<Log>
}

/** All of those. Both ascend. */
export const differingBlocks = (own: ReadonlyArray<Log>, others: ReadonlyArray<Log>): ReadonlyArray<DifferingBlock> => {
  const blocks = new Map<number, { readonly number: number; readonly own: Array<Log>; readonly others: Array<Log> }>()
  for (const [logs, whose] of [
    [own, "own"],
    [others, "others"],
  ] as const) {
    for (const log of logs) {
      const number = log.blockNumber
      const block = blocks.get(number) ?? { number, own: [], others: [] }
      blocks.set(number, block)
      block[whose].push(log)
    }
  }
  return [...blocks.values()]
    .filter((block) => differentBlock(block.own, block.others) !== undefined)
    .sort((a, b) => a.number - b.number)
}

const isSame = (a: Log, b: Log): boolean =>
  a.blockNumber === b.blockNumber &&
  a.logIndex === b.logIndex &&
  a.blockHash === b.blockHash &&
  a.txHash === b.txHash &&
  (a.txIndex === b.txIndex || a.txIndex === undefined || b.txIndex === undefined) &&
  a.address === b.address &&
  a.data === b.data &&
  a.topics.length === b.topics.length &&
  a.topics.every((topic, place) => topic === b.topics[place])

/** With the places of their transactions, where `others` tell them. */
export const placed = (logs: ReadonlyArray<Log>, others: ReadonlyArray<Log>): ReadonlyArray<Log> => {
  if (logs.every(({ txIndex }) => txIndex !== undefined)) return logs
  const places = new Map(others.map(({ txHash, txIndex }) => [txHash, txIndex]))
  return logs.map((log) => {
    const txIndex = log.txIndex ?? places.get(log.txHash)
    return txIndex === log.txIndex ? log : { ...log, txIndex }
  })
}
