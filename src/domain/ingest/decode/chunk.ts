/** Chunks of a chain, checked against its headers, and their assembly into segments. Pure. */
import type { ApprovalMovement } from "../../../model/approval.ts"
import type { BlockHeader, Log, OddLog } from "../../../model/block.ts"
import type { EventCounts, Movement, NftMovement, PoolFacts, Segment, SwapMovement } from "../../../model/event.ts"
import type { FaultKind } from "../../../model/fault.ts"
import { addCounts } from "./sorting.ts"

/** A range of whole blocks as read from the node, ready to be joined to its neighbours. */
export interface Chunk {
  /** Header of the first block. */
  readonly first: BlockHeader
  /** Header of the last block. */
  readonly head: BlockHeader
  /** Headers to keep. */
  readonly headers: ReadonlyArray<BlockHeader>
  /** Of each group of 256 blocks the first header that was read; absent = of `headers`. */
  readonly landmarks?: ReadonlyArray<BlockHeader>
  readonly movements: ReadonlyArray<Movement>
  readonly nfts: ReadonlyArray<NftMovement>
  readonly swaps: ReadonlyArray<SwapMovement>
  /** Absent = none. */
  readonly approvals?: ReadonlyArray<ApprovalMovement>
  /** Absent = none. */
  readonly odd?: ReadonlyArray<OddLog>
  /** Of the swaps' pools, as far as they are pools, and of those initialized here. */
  readonly pools: ReadonlyArray<PoolFacts>
  readonly counts: EventCounts
  /** The node's head when the chunk was read. */
  readonly nodeHead: number
}

/** Rows that the ledger has to take. */
export const rowsOf = (rows: Pick<Chunk, "movements" | "nfts" | "swaps" | "approvals" | "odd">): number =>
  rows.movements.length + rows.nfts.length + rows.swaps.length + (rows.approvals?.length ?? 0) + (rows.odd?.length ?? 0)

/** Bytes of an odd log that take as much memory as a row. */
const bytesOfRow = 256

/** The same as memory: an odd log counts by its length too. */
export const weightOf = (rows: Parameters<typeof rowsOf>[0]): number =>
  (rows.odd ?? []).reduce((sum, { data }) => sum + Math.floor(data.length / bytesOfRow), rowsOf(rows))

/** Why answers of the node cannot be true together. */
export interface Contradiction {
  readonly kind: FaultKind
  readonly message: string
}

/** Why these logs cannot belong to these headers (any of the range's, by number); undefined = they can. */
export const logsContradiction = (
  logs: ReadonlyArray<Log>,
  headers: ReadonlyMap<number, BlockHeader>,
): Contradiction | undefined => {
  for (const { blockNumber, blockHash } of logs) {
    const header = headers.get(blockNumber)
    if (header !== undefined && header.hash !== blockHash) {
      return { kind: "fork", message: `logs and header of block ${blockNumber} disagree` }
    }
  }
  return undefined
}

/** Why `next` cannot come after `before`; undefined = it can. They need not be neighbours. */
export const linkContradiction = (before: BlockHeader, next: BlockHeader): Contradiction | undefined => {
  if (next.number === before.number + 1 && next.parentHash !== before.hash) {
    return { kind: "fork", message: `block ${next.number} is not a child of block ${before.number}` }
  }
  if (next.time < before.time) {
    return { kind: "time", message: `block ${next.number} is older than block ${before.number} before it` }
  }
  return undefined
}

/** The same over a whole list of headers. */
export const chainContradiction = (headers: ReadonlyArray<BlockHeader>): Contradiction | undefined => {
  for (let index = 1; index < headers.length; index++) {
    const found = linkContradiction(headers[index - 1]!, headers[index]!)
    if (found !== undefined) return found
  }
  return undefined
}

/** What the ledger keeps of a header. */
export const bare = ({ number, hash, parentHash, time }: BlockHeader): BlockHeader => ({
  number,
  hash,
  parentHash,
  time,
})

/** The first of each group of 256 blocks; `headers` ascend. */
export const firstOfGroups = (headers: ReadonlyArray<BlockHeader>): ReadonlyArray<BlockHeader> =>
  headers.filter(({ number }, place) => place === 0 || number >> 8 !== headers[place - 1]!.number >> 8)

/** Neighbouring chunks (at least one, ascending) as one segment. `final`: the newest final block; what is not there yet is not final. */
export const segmentOf = (chunks: ReadonlyArray<Chunk>, final: number): Segment => {
  const first = chunks[0]!.first
  const { head, nodeHead } = chunks[chunks.length - 1]!
  const finalizedBlock = Math.max(-1, Math.min(final, head.number))
  const headers = chunks.flatMap((chunk) => chunk.headers)
  return {
    fromBlock: first.number,
    toBlock: head.number,
    parentHash: first.parentHash,
    head,
    // The newest final one too, and the head always: there a rollback of the block above ends.
    headers: headers.filter(({ number }) => number >= finalizedBlock || number === head.number),
    landmarks: chunks.flatMap((chunk) => chunk.landmarks ?? firstOfGroups(chunk.headers)),
    movements: chunks.flatMap((chunk) => chunk.movements),
    nfts: chunks.flatMap((chunk) => chunk.nfts),
    swaps: chunks.flatMap((chunk) => chunk.swaps),
    approvals: chunks.flatMap((chunk) => chunk.approvals ?? []),
    odd: chunks.flatMap((chunk) => chunk.odd ?? []),
    pools: chunks.flatMap((chunk) => chunk.pools),
    counts: chunks.map((chunk) => chunk.counts).reduce(addCounts),
    nodeHead,
    finalizedBlock,
  }
}
