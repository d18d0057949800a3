/** Cuts a page out of rows held in memory. */
import type { PageRequest, Rows } from "../../model/page.ts"
import { type ChainId, compareChainIds, type Hash } from "../../model/primitives.ts"
import type { FeedKey, FeedRange, PlacedTransaction } from "../../model/transfer.ts"
import type { Window } from "../../ports/HolderStore.ts"
import type { MemoryChain } from "./state.ts"

/** `compare` is the display order; keys may name places where no row is any more. */
export const pageOf = <Row, Key>(
  rows: ReadonlyArray<Row>,
  keyOf: (row: Row) => Key,
  compare: (a: Key, b: Key) => number,
  { limit, after, before }: PageRequest<Key>,
  skip = 0,
): Rows<Row, Key> => {
  const sorted = rows.map((row) => ({ row, key: keyOf(row) })).sort((a, b) => compare(a.key, b.key))
  const candidates = sorted.filter(
    ({ key }) => (after === undefined || compare(key, after) > 0) && (before === undefined || compare(key, before) < 0),
  )
  const page = before === undefined ? candidates.slice(skip, skip + limit) : candidates.slice(-limit)
  return {
    items: page.map(({ row }) => row),
    keys: page.map(({ key }) => key),
    hasMore: candidates.length > skip + page.length,
  }
}

/** UTF-8 byte order, which is code point order (not UTF-16 order). */
export const compareText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

export const compareBigInts = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** One page of a compatibility action. */
export const cut = <Row>(rows: ReadonlyArray<Row>, { page, offset }: Window): ReadonlyArray<Row> =>
  rows.slice((page - 1) * offset, page * offset)

/** A row's place in a feed. */
export const feedKeyOf = (
  chainId: ChainId,
  { time, blockNumber, logIndex, sub = 0 }: Omit<FeedKey, "chainId" | "sub"> & { readonly sub?: number },
): FeedKey => ({ time, chainId, blockNumber, logIndex, sub })

/** One chain by place in the chain, many by time first. */
export const feedOrder =
  (direction: "asc" | "desc") =>
  (a: FeedKey, b: FeedKey): number => {
    const ascending =
      (a.chainId === b.chainId ? 0 : a.time - b.time || compareChainIds(a.chainId, b.chainId)) ||
      a.blockNumber - b.blockNumber ||
      a.logIndex - b.logIndex ||
      a.sub - b.sub
    return direction === "asc" ? ascending : -ascending
  }

export const isInRange = (
  chain: Pick<MemoryChain, "finalizedBlock" | "settings" | "headers">,
  { blockNumber, time, txHash }: Pick<FeedKey, "blockNumber" | "time"> & { readonly txHash: Hash },
  {
    blockNumberFrom = 0,
    blockNumberTo = Infinity,
    timestampFrom = -Infinity,
    timestampTo = Infinity,
    finalized,
    transaction,
  }: FeedRange,
): boolean =>
  blockNumber >= blockNumberFrom &&
  blockNumber <= blockNumberTo &&
  time >= timestampFrom &&
  time <= timestampTo &&
  (finalized === undefined || blockNumber <= chain.finalizedBlock) &&
  (transaction === undefined || (transaction.hash === txHash && isPlaced(chain, blockNumber, transaction)))

/** In the block that was told, where it is the ledger's own; else in any that is not final. */
const isPlaced = (
  { finalizedBlock, settings, headers }: Pick<MemoryChain, "finalizedBlock" | "settings" | "headers">,
  blockNumber: number,
  { blocks }: PlacedTransaction,
): boolean => {
  if (blocks === undefined) return true
  const told = blocks[settings.chainId]
  const isOwn =
    told !== undefined &&
    (told.number <= finalizedBlock || headers.some(({ number, hash }) => number === told.number && hash === told.hash))
  return isOwn ? blockNumber === told.number : blockNumber > finalizedBlock
}
