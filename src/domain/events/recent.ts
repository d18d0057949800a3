/** The newest events of a chain as its one reader read them: who is a little behind is told from here, not by a read of its own. */
import type { LedgerEvent } from "../../model/events/event.ts"
import { type EventFilter, passes } from "../../model/events/filter.ts"
import { behind, comparePlaces, type EventPlace } from "../../model/events/place.ts"
import { type ChainPosition, hashPrefix } from "../../model/events/position.ts"
import type { EventSlice, LedgerMark } from "../../ports/EventStore.ts"

/** Where all who are attached stand. */
export interface Stood {
  readonly position: ChainPosition
  readonly mark: LedgerMark
}

/** Events that are kept while a crowd catches up, and else. */
export const mostKept = { crowd: 8000, quiet: 500 }
/** Told at once: whoever reads slowly has no more than that to take. */
export const mostTold = 1000

interface Piece {
  readonly from: EventPlace
  readonly events: ReadonlyArray<LedgerEvent>
  /** Of a block of which it need not hold rows. */
  readonly known?: readonly [block: number, hash: string]
}

/** Blocks without a row take some room too. */
const sizeOf = (events: ReadonlyArray<LedgerEvent>): number => events.length + 1

/** Whole from one place on up to where the reader stands; nothing was taken back and nothing came late within. */
export class RecentEvents {
  private pieces: Array<Piece> = []
  private size = 0
  private from: EventPlace | undefined
  /** From here no way leads back to what is kept, within what may be kept. */
  private tooFar = -1

  /** The place from which on all is here; another object wherever the place or the beginning is another. */
  get start(): EventPlace | undefined {
    return this.from
  }

  /** Nothing is known of what lies behind. Whoever reads that for an earlier beginning reads in vain, also where the place is the same. */
  begin(at: EventPlace): void {
    this.pieces = []
    this.size = 0
    this.from = { ...at }
    this.tooFar = -1
  }

  add(events: ReadonlyArray<LedgerEvent>, before: Stood, { position: { at, hash } }: Stood, most: number): void {
    const { at: from } = before.position
    this.pieces.push({ from, events, ...(hash === undefined ? {} : { known: [at.block, hash] }) })
    this.size += sizeOf(events)
    while (this.size > most && this.pieces.length > 0) {
      this.size -= sizeOf(this.pieces.shift()!.events)
      this.from = this.pieces[0]?.from ?? at
    }
  }

  /** All that lies between a place and what is kept. */
  prepend(from: EventPlace, events: ReadonlyArray<LedgerEvent>, hash: string | undefined): void {
    this.pieces.unshift({ from, events, ...(hash === undefined ? {} : { known: [from.block, hashPrefix(hash)] }) })
    this.size += sizeOf(events)
    this.from = from
  }

  /** How many events may lie before what is kept; 0 = from there it is not worth a look. */
  roomBefore({ at }: ChainPosition): number {
    if (this.from === undefined || comparePlaces(at, this.from) >= 0 || at.block <= this.tooFar) return 0
    return Math.max(0, mostKept.crowd - this.size)
  }

  /** It was looked from there in vain: the next look begins nearer, by half. */
  isTooFar({ at }: ChainPosition): void {
    if (this.from !== undefined) this.tooFar = Math.max(at.block, Math.floor((at.block + this.from.block) / 2))
  }

  /** What passes from a position on, as if it had been read now; undefined = it must be read. */
  slice(position: ChainPosition, stood: Stood, filter: EventFilter): EventSlice | undefined {
    if (!this.holds(position, stood)) return undefined
    const first = this.pieces.findLastIndex(({ from }) => comparePlaces(from, position.at) <= 0)
    const events: Array<LedgerEvent> = []
    for (const piece of this.pieces.slice(Math.max(0, first))) {
      for (const event of piece.events) {
        if (comparePlaces(event.at, position.at) < 0 || !passes(filter, event)) continue
        if (events.length === mostTold)
          return { mark: stood.mark, events, to: behind(events.at(-1)!.at), hasMore: true }
        events.push(event)
      }
    }
    return { mark: stood.mark, events, to: stood.position.at, hasMore: false }
  }

  holds(position: ChainPosition, { position: stand, mark }: Stood): boolean {
    const { at, hash, final } = position
    if (this.from === undefined || comparePlaces(at, this.from) < 0 || comparePlaces(at, stand.at) > 0) return false
    const isSame = position.birth === stand.birth && position.settings === stand.settings && position.told === undefined
    if (!isSame || position.corrections !== mark.corrections || stand.corrections !== mark.corrections) return false
    // A block that a reorg may take must be the very one: whether it is, only the ledger may know.
    return at.block <= final || hash === undefined || this.hashOf(at.block) === hash
  }

  private hashOf(block: number): string | undefined {
    for (const { known, events } of this.pieces) {
      if (known?.[0] === block) return known[1]
      const found = events.find(({ at, blockHash }) => at.block === block && blockHash !== undefined)
      if (found !== undefined) return hashPrefix(found.blockHash!)
    }
    return undefined
  }
}
