/** Where pages by offset ended: the next page of a walk begins there, in place of walking to it again. True for one revision of a ledger. */
import type { AsOf } from "../../../../model/block.ts"
import type { TransferFilter } from "../../../../model/transfer.ts"
import type { Direction, TransferFeed } from "../feed/feed.ts"
import type { PositionKey } from "../feed/positionKey.ts"

/** A row, by the rows up to it, itself included. */
export interface PageMark {
  readonly rows: number
  readonly positionKey: PositionKey
}

export interface PageMarks {
  /** The last mark that passes over no more than these rows. */
  readonly find: (walk: string, skip: number) => PageMark | undefined
  readonly add: (walk: string, mark: PageMark) => void
}

/** Walks that are remembered, the last used; marks of each, the last made. */
const mostWalks = 2000
const mostMarks = 128

/** What a walk is of: equal texts walk over the same rows. */
export const walkName = (
  { chain, kind }: TransferFeed,
  filter: TransferFilter,
  direction: Direction,
  { revision, hash }: AsOf,
): string => JSON.stringify([chain.chainId, revision, hash, kind, direction, Object.entries(filter).sort()])

export const makePageMarks = (): PageMarks => {
  const walks = new Map<string, Array<PageMark>>()
  return {
    find: (walk, skip) => {
      const marks = walks.get(walk) ?? []
      const passed = marks.filter(({ rows }) => rows <= skip)
      return passed.reduce<PageMark | undefined>(
        (best, mark) => (mark.rows > (best?.rows ?? 0) ? mark : best),
        undefined,
      )
    },
    add: (walk, mark) => {
      const marks = (walks.get(walk) ?? []).filter(({ rows }) => rows !== mark.rows).slice(1 - mostMarks)
      walks.delete(walk)
      walks.set(walk, [...marks, mark])
      for (const oldest of walks.keys()) {
        if (walks.size <= mostWalks) return
        walks.delete(oldest)
      }
    },
  }
}
