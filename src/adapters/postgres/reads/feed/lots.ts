/** What is known of a chain's feed: rows that follow each other, so that a page further on begins among them without a search. */
import { type ChainId, compareChainIds, type Hash } from "../../../../model/primitives.ts"
import { makeLastUsed } from "../../../../model/time/lastUsed.ts"
import type { FeedKey } from "../../../../model/transfer.ts"
import type { PageStart } from "./bounds.ts"
import type { FeedKind } from "./feed.ts"
import { type PositionKey, positionKeyOf } from "./positionKey.ts"

/** A chain's ledger, as a snapshot has it. */
export interface LedgerPoint {
  /** Another one where the chain was indexed anew. */
  readonly table: number
  /** Rollbacks and healings so far: nothing else changes what lies below the head. */
  readonly rollbacks: number
  readonly head: number
  readonly headTime: number
  readonly hash: Hash
}

/** Rows of a feed in the order read: none is missing between two of them. */
export interface Lot {
  readonly times: ReadonlyArray<number>
  readonly keys: ReadonlyArray<PositionKey>
  /** The key that they were asked beyond, and the ledger then: no row lies between it and the first. Absent = that is not known. */
  readonly start?: { readonly key: FeedKey; readonly head: number; readonly headTime: number }
  /** The head at which no more rows followed; absent = more may. */
  readonly endedAt?: number
}

/** A page's start as one chain's rows are held against it. */
export interface Seek extends PageStart {
  readonly chainId: ChainId
  readonly kind: FeedKind
}

/** The index of the first row beyond the key, or the number of them where none is; undefined = the lot does not tell. */
export const firstBeyond = (lot: Lot, seek: Seek, now: LedgerPoint): number | undefined => {
  const { times, keys } = lot
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBeyond(seek, times[middle]!, keys[middle]!)) high = middle
    else low = middle + 1
  }
  const isBegun = low > 0 || beginsBefore(lot, seek, now)
  const isFollowed = low < keys.length || hasEnded(lot, seek, now)
  return isBegun && isFollowed ? low : undefined
}

/** Whether no row follows the last. Newer rows may have come since; older ones never do. */
export const hasEnded = ({ endedAt }: Lot, { direction }: PageStart, { head }: LedgerPoint): boolean =>
  endedAt !== undefined && (direction === "desc" || endedAt === head)

const isBeyond = ({ chainId, kind, key, direction }: Seek, time: number, position: PositionKey): boolean => {
  const side = compareChainIds(chainId, key.chainId)
  const own = positionOf(kind, key)
  // As statements have it: on the key's own chain the place counts, on the others the time.
  if (side === 0) return direction === "desc" ? position < own : position > own
  if (time !== key.time) return direction === "desc" ? time < key.time : time > key.time
  return direction === "desc" ? side < 0 : side > 0
}

/** Whether no row lies between the key and the lot's first, blocks that came since it was read included. */
const beginsBefore = ({ start, keys }: Lot, seek: Seek, now: LedgerPoint): boolean => {
  const { key, direction, chainId } = seek
  if (start === undefined || !startsBefore(seek, start.key)) return false
  if (direction === "asc") return keys.length > 0 || start.head === now.head
  if (start.head === now.head) return true
  return key.chainId === chainId ? key.blockNumber <= start.head : start.headTime > key.time
}

/** Whether all of the chain's rows beyond the seek's key are beyond this one. A place and a time are not compared: anybody may write a cursor. */
const startsBefore = ({ chainId, kind, key, direction }: Seek, start: FeedKey): boolean => {
  const isOwn = key.chainId === chainId
  if (isOwn !== (start.chainId === chainId)) return false
  const [earlier, later] = direction === "desc" ? [key, start] : [start, key]
  return isOwn
    ? positionOf(kind, earlier) <= positionOf(kind, later)
    : (earlier.time - later.time || compareChainIds(earlier.chainId, later.chainId)) <= 0
}

const positionOf = (kind: FeedKind, { blockNumber, logIndex, sub }: FeedKey): PositionKey =>
  positionKeyOf(kind, blockNumber, logIndex, sub)

/** The lot with what follows it, as a later snapshot of the same ledger has it. */
export const lengthened = ({ times, keys, start }: Lot, more: Pick<Lot, "times" | "keys" | "endedAt">): Lot => ({
  ...more,
  times: [...times, ...more.times],
  keys: [...keys, ...more.keys],
  ...(start && { start }),
})

/** Rows of a lot: of more, those ahead of the last page are forgotten. */
const longest = 512

/** What is remembered of it. The row ahead of the page's first says that none lies between the two. */
export const shortened = (lot: Lot, first: number): Lot => {
  const { times, keys, endedAt } = lot
  if (keys.length <= longest || first < 2) return lot
  const end = endedAt === undefined ? {} : { endedAt }
  return { times: times.slice(first - 1), keys: keys.slice(first - 1), ...end }
}

/** What is known of one chain's feed. */
export interface KnownChain {
  /** The newest in which it was found true. */
  readonly ledger: LedgerPoint
  /** The last used first. */
  readonly lots: ReadonlyArray<Lot>
}

/** Whether it is true of this ledger too. `hash`: what that has of the known head; null = it is final, and its hash no more known. */
export const isTrueOf = ({ ledger }: KnownChain, now: LedgerPoint, hash: Hash | null): boolean =>
  ledger.table === now.table &&
  ledger.rollbacks === now.rollbacks &&
  // A snapshot may be older than what another has found since.
  ledger.head <= now.head &&
  // A database that was restored, and has gone on since, may have met another fork.
  (ledger.head === now.head ? ledger.hash === now.hash : hash === null || hash === ledger.hash)

/** Lots of one chain: as many walks of one feed are remembered. */
const mostLots = 4

export const withLot = (lots: ReadonlyArray<Lot>, lot: Lot, instead: Lot | undefined): ReadonlyArray<Lot> =>
  [lot, ...lots.filter((it) => it !== instead && it !== lot)].slice(0, mostLots)

/** By chain. */
export type KnownChains = ReadonlyMap<ChainId, KnownChain>

/** Rows that are remembered in all, about 50 bytes each; the feeds last used. */
const mostRows = 200_000
/** That a lot counts for beside its rows. */
const overheadRows = 8

/** What is known of feeds, by name. */
export const makeKnownFeeds = (most = mostRows) => {
  const feeds = makeLastUsed<KnownChains>(most, (chains) =>
    [...chains.values()].reduce((sum, { lots }) => sum + sizeOf(lots), 0),
  )
  return { find: (name: string): KnownChains => feeds.find(name) ?? new Map(), keep: feeds.keep }
}

const sizeOf = (lots: ReadonlyArray<Lot>): number =>
  lots.reduce((sum, { keys }) => sum + keys.length + overheadRows, overheadRows)
