/** When a segment or a rollback may not touch the ledger: rules every Ledger adapter holds, in one place. Pure. */
import { type BlockHeader, maxBlockNumber } from "../../../model/block.ts"
import type { Checkpoint, Segment } from "../../../model/event.ts"
import type { MissingRows } from "../../../ports/Ledger.ts"

/** 3 bytes in the store. */
export const maxLogIndex = 2 ** 24 - 1

/** Why the segment does not follow the checkpoint or contradicts itself; undefined = it may be appended. */
export const segmentRefusal = (checkpoint: Checkpoint, segment: Segment): string | undefined => {
  const { fromBlock, toBlock, head, parentHash, approvals = [], odd = [] } = segment
  const bare = odd.filter(({ hasRows }) => !hasRows)
  const stored = checkpoint.head
  if (fromBlock !== checkpoint.nextBlock)
    return `the segment starts at block ${fromBlock}, the ledger goes on at ${checkpoint.nextBlock}`
  if (toBlock < fromBlock || toBlock > maxBlockNumber) return `the segment ends at block ${toBlock}, which cannot be`
  if (head.number !== toBlock) return `the segment ends at block ${toBlock}, its head is block ${head.number}`
  if (stored !== undefined && parentHash !== undefined && parentHash !== stored.hash) {
    return `the parent of block ${fromBlock} is ${parentHash}, the ledger's head is ${stored.hash}`
  }
  const timeBefore = stored?.time ?? 0
  return (
    headersRefusal(segment) ??
    rowsRefusal(segment, segment.movements, timeBefore) ??
    rowsRefusal(segment, segment.nfts, timeBefore) ??
    rowsRefusal(segment, segment.swaps, timeBefore) ??
    rowsRefusal(segment, approvals, timeBefore) ??
    rowsRefusal(segment, odd, timeBefore) ??
    sharedLog(segment.movements, segment.nfts) ??
    sharedLog(segment.movements, segment.swaps) ??
    sharedLog(segment.nfts, segment.swaps) ??
    sharedLog(segment.movements, approvals) ??
    sharedLog(segment.nfts, approvals) ??
    sharedLog(segment.swaps, approvals) ??
    sharedLog(segment.movements, bare) ??
    sharedLog(segment.nfts, bare) ??
    sharedLog(segment.swaps, bare) ??
    sharedLog(approvals, bare)
  )
}

/** Where the ledger stands after the segment. */
export const checkpointAfter = ({ firstBlock, finalizedBlock }: Checkpoint, segment: Segment): Checkpoint => ({
  nextBlock: segment.toBlock + 1,
  firstBlock,
  head: segment.head,
  finalizedBlock: finalAfter(finalizedBlock, segment),
})

/** The newest final block behind the segment; `before`: ahead of it, where an older version may have stored one that never came. */
export const finalAfter = (
  before: number,
  { head, finalizedBlock }: Pick<Segment, "head" | "finalizedBlock">,
): number => Math.min(head.number, Math.max(before, finalizedBlock))

/** Why an append may not go on, or a rollback not begin. */
export const appendIsOpen = "an append is open: commit or discard it first"

/** Why blocks from `fromBlock` on cannot be taken back; undefined = they can. */
export const rollbackRefusal = (
  checkpoint: Checkpoint,
  kept: ReadonlyArray<BlockHeader>,
  fromBlock: number,
): string | undefined => {
  if (fromBlock > checkpoint.nextBlock)
    return `block ${fromBlock} is not stored yet, the ledger goes on at ${checkpoint.nextBlock}`
  if (fromBlock < checkpoint.firstBlock)
    return `block ${fromBlock} is before the ledger's first block ${checkpoint.firstBlock}`
  if (fromBlock === checkpoint.nextBlock) return undefined
  const wholeLedger = fromBlock === checkpoint.firstBlock && checkpoint.finalizedBlock < fromBlock
  if (wholeLedger || kept.some((header) => header.number === fromBlock - 1)) return undefined
  return `block ${fromBlock - 1} is below the reorg window (final up to block ${checkpoint.finalizedBlock})`
}

/** Why rows that were missed may not be taken in; undefined = they may. `kept`: the headers kept for reorgs. */
export const missingRefusal = (
  { firstBlock, nextBlock, head }: Checkpoint,
  kept: ReadonlyArray<BlockHeader>,
  { movements, nfts, odd = [], headers }: MissingRows,
): string | undefined => {
  if (head === undefined) return "the ledger has no block yet"
  const given = new Map(headers.map((header) => [header.number, header]))
  const other = kept.find(({ number, hash }) => (given.get(number)?.hash ?? hash) !== hash)
  if (other !== undefined) return `block ${other.number} is stored with another header`
  const bare = [...movements, ...nfts, ...odd].find(({ blockNumber, time }) => given.get(blockNumber)?.time !== time)
  if (bare !== undefined) return `log ${bare.logIndex} of block ${bare.blockNumber} came without its header`
  const range = { fromBlock: firstBlock, toBlock: nextBlock - 1, head }
  return (
    rowsRefusal(range, movements, 0) ??
    rowsRefusal(range, nfts, 0) ??
    rowsRefusal(range, odd, 0) ??
    sharedLog(movements, nfts)
  )
}

const headersRefusal = ({ headers, fromBlock, toBlock, head }: Segment): string | undefined => {
  let previous: BlockHeader | undefined
  for (const header of headers) {
    if (header.number < fromBlock || header.number > toBlock)
      return `header ${header.number} lies outside of the segment`
    if (previous !== undefined && header.number <= previous.number) return `header ${header.number} is out of order`
    if (previous !== undefined && header.number === previous.number + 1 && header.parentHash !== previous.hash) {
      return `header ${header.number} is not a child of header ${previous.number}`
    }
    previous = header
  }
  if (previous?.number === toBlock && previous.hash !== head.hash) return `two different headers of block ${toBlock}`
  return undefined
}

/** A row's place in the chain; rows of one log differ by `sub`. */
interface Row {
  readonly blockNumber: number
  readonly logIndex: number
  readonly sub?: number
  readonly time: number
}

const rowsRefusal = (
  { fromBlock, toBlock, head }: Pick<Segment, "fromBlock" | "toBlock" | "head">,
  rows: ReadonlyArray<Row>,
  timeBefore: number,
): string | undefined => {
  let previous: Row | undefined
  for (const row of rows) {
    const { blockNumber, logIndex, time } = row
    if (blockNumber < fromBlock || blockNumber > toBlock)
      return `log ${logIndex} of block ${blockNumber} lies outside of the segment`
    if (!(logIndex >= 0 && logIndex <= maxLogIndex)) return `log index ${logIndex} in block ${blockNumber} cannot be`
    if (previous !== undefined && !follows(row, previous)) {
      return `log ${logIndex} of block ${blockNumber} comes twice or out of order`
    }
    if (time < (previous?.time ?? timeBefore)) return `block ${blockNumber} is older than the block before it`
    previous = row
  }
  if (head.time < (previous?.time ?? timeBefore)) return `block ${head.number} is older than the block before it`
  return undefined
}

const follows = (row: Row, previous: Row): boolean =>
  row.blockNumber !== previous.blockNumber
    ? row.blockNumber > previous.blockNumber
    : row.logIndex !== previous.logIndex
      ? row.logIndex > previous.logIndex
      : (row.sub ?? 0) > (previous.sub ?? -1) && previous.sub !== undefined

/** A log is one thing. Both lists are in order. */
const sharedLog = (rows: ReadonlyArray<Row>, others: ReadonlyArray<Row>): string | undefined => {
  let place = 0
  for (const { blockNumber, logIndex } of others) {
    const isBefore = (row: Row) =>
      row.blockNumber < blockNumber || (row.blockNumber === blockNumber && row.logIndex < logIndex)
    while (place < rows.length && isBefore(rows[place]!)) place++
    const other = rows[place]
    if (other?.blockNumber === blockNumber && other.logIndex === logIndex) {
      return `log ${logIndex} of block ${blockNumber} comes twice or out of order`
    }
  }
  return undefined
}
