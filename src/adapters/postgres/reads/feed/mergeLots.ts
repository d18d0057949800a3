/** A page out of what is known of its chains: which rows are on it, and which chains have to be asked before that can be said. */
import { firstBeyond, hasEnded, type LedgerPoint, type Lot, lengthened, type Seek } from "./lots.ts"
import type { PositionKey } from "./positionKey.ts"

/** One chain of a page. */
export interface Reading {
  readonly seek: Seek
  readonly now: LedgerPoint
  /** What is known of it, as far as that is true of this ledger. */
  readonly lots: ReadonlyArray<Lot>
  /** Rows that the page may begin with, from `first` on; absent = the chain has to be asked. */
  lot?: Lot
  readonly first: number
  /** The one of `lots` that it was. */
  origin?: Lot
}

export const beginReading = (seek: Seek, now: LedgerPoint, lots: ReadonlyArray<Lot>): Reading => {
  for (const lot of lots) {
    const first = firstBeyond(lot, seek, now)
    if (first !== undefined) return { seek, now, lots, lot, origin: lot, first }
  }
  return { seek, now, lots, first: 0 }
}

/** What the chain was asked for: of a lot what follows its last row, else what lies beyond the page's start. */
export const told = (reading: Reading, more: Pick<Lot, "times" | "keys" | "endedAt">): void => {
  const { lot, now, seek } = reading
  const { key } = seek
  reading.lot =
    lot === undefined ? { ...more, start: { key, head: now.head, headTime: now.headTime } } : lengthened(lot, more)
}

/** The page's rows, each chain's in the order read; or the chains that have to be asked first. */
export type Merged =
  | { readonly missing: ReadonlyArray<Reading> }
  | { readonly taken: ReadonlyArray<{ readonly reading: Reading; readonly keys: ReadonlyArray<PositionKey> }> }

export const mergeLots = (readings: ReadonlyArray<Reading>, limit: number): Merged => {
  const next = readings.map(({ first }) => first)
  const chains = readings.map(({ seek }) => Number(seek.chainId))
  const isOver = (index: number): boolean => {
    const { lot, seek, now } = readings[index]!
    return lot !== undefined && next[index] === lot.keys.length && hasEnded(lot, seek, now)
  }
  const isMissing = (index: number): boolean => {
    const { lot } = readings[index]!
    return lot === undefined || (next[index] === lot.keys.length && !isOver(index))
  }
  const timeOf = (index: number): number => readings[index]!.lot!.times[next[index]!]!
  const isDown = readings[0]?.seek.direction === "desc"
  const isAhead = (one: number, other: number): boolean => {
    const difference = timeOf(one) - timeOf(other) || chains[one]! - chains[other]!
    return isDown ? difference > 0 : difference < 0
  }
  const all = readings.map((_, index) => index)
  const missing = all.filter(isMissing)
  if (missing.length > 0) return { missing: missing.map((index) => readings[index]!) }
  const going = new Set(all.filter((index) => !isOver(index)))
  for (let row = 0; row < limit && going.size > 0; row++) {
    let best: number | undefined
    for (const index of going) if (best === undefined || isAhead(index, best)) best = index
    next[best!]!++
    if (isMissing(best!) && row + 1 < limit) return { missing: [readings[best!]!] }
    if (isMissing(best!) || isOver(best!)) going.delete(best!)
  }
  return {
    taken: readings.flatMap((reading, index) => {
      const keys = reading.lot!.keys.slice(reading.first, next[index])
      return keys.length === 0 ? [] : [{ reading, keys }]
    }),
  }
}
