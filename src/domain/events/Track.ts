/** The one reader of a chain's newest events, for all who stand at the head: it reads while somebody does. */
import { Effect, Semaphore } from "effect"
import { EventsGone, type StoreError } from "../../model/errors.ts"
import type { LedgerEvent } from "../../model/events/event.ts"
import type { EventFilter } from "../../model/events/filter.ts"
import { comparePlaces, type EventPlace } from "../../model/events/place.ts"
import type { ChainPosition } from "../../model/events/position.ts"
import type { ChainId } from "../../model/primitives.ts"
import type { EventSlice, EventStore } from "../../ports/EventStore.ts"
import { advance, type Change, isAhead, isSameStand } from "./advance.ts"
import { type BlockRange, type Consumer, Groups } from "./groups.ts"
import { mostKept, RecentEvents, type Stood } from "./recent.ts"

/** Rows of each list that are read at once. */
const headRows = 5000
const noFilter: EventFilter = {}

export interface Attached extends Consumer {
  /** The reader lost its place: whoever was attached goes on from where it stood. */
  readonly detached: (stand: Stood) => void
}

/** As callers are shown it. */
export type Shown = (slice: EventSlice) => EventSlice

export class Track {
  private readonly groups = new Groups()
  private readonly filters = new Map<Attached, EventFilter>()
  private readonly turns = Semaphore.makeUnsafe(1)
  private readonly looksBack = Semaphore.makeUnsafe(1)
  private readonly recent = new RecentEvents()
  /** Who waits for what lies behind to be read. */
  private readonly backers = new Set<ChainPosition>()
  private at: Stood | undefined

  constructor(
    private readonly store: EventStore["Service"],
    private readonly chainId: ChainId,
    readonly onlyFinal: boolean,
    private readonly shown: Shown,
    /** Whether many catch up. */
    private readonly isCrowded: () => boolean,
  ) {}

  get size(): number {
    return this.filters.size
  }

  /** Where everybody stands who is attached; undefined = nobody is. */
  get stand() {
    return this.at
  }

  /** Where nobody is attached yet, all are to stand here. False = they stand elsewhere. `awaited`: see `Groups.add`. */
  attach(filter: EventFilter, consumer: Attached, { position, mark }: Stood, awaited?: BlockRange): boolean {
    if (this.at === undefined) {
      this.at = { position, mark }
      this.recent.begin(position.at)
    } else if (!isSameStand(this.at.position, position)) return false
    this.groups.add(filter, consumer, awaited)
    this.filters.set(consumer, filter)
    return true
  }

  detach(consumer: Attached): void {
    const filter = this.filters.get(consumer)
    if (filter === undefined) return
    this.filters.delete(consumer)
    this.groups.remove(filter, consumer)
    if (this.size === 0) this.at = undefined
  }

  /** What passes from a position on up to where everybody stands, from memory; undefined = it must be read. */
  recall(position: ChainPosition, filter: EventFilter): EventSlice | undefined {
    return this.at && this.recent.slice(position, this.at, filter)
  }

  keeps(position: ChainPosition): boolean {
    return this.at !== undefined && this.recent.holds(position, this.at)
  }

  /** Where many come from a little behind, what they all missed is read once. What stood in the way is for each to find. */
  lookBack(position: ChainPosition): Effect.Effect<void, StoreError> {
    const isWorth = () => {
      const stand = this.at?.position
      const isSame = stand?.birth === position.birth && stand.corrections === position.corrections
      return isSame && this.isCrowded() && this.recent.roomBefore(position) > 0
    }
    const look = Effect.suspend(() => (isWorth() ? this.readBack(this.farthest(position)) : Effect.void))
    return Effect.suspend(() => {
      if (!isWorth()) return Effect.void
      this.backers.add(position)
      return Effect.ensuring(
        this.looksBack.withPermit(look),
        Effect.sync(() => void this.backers.delete(position)),
      )
    })
  }

  /** Of those who wait, the one that missed most, if a way leads back to it. */
  private farthest(position: ChainPosition): ChainPosition {
    let farthest = position
    for (const each of this.backers) {
      const isSame = each.birth === position.birth && each.corrections === position.corrections
      if (isSame && comparePlaces(each.at, farthest.at) < 0 && this.recent.roomBefore(each) > 0) farthest = each
    }
    return farthest
  }

  /** From the beginning of its block: there the rows show which block it is. */
  private readBack(position: ChainPosition): Effect.Effect<void, StoreError> {
    const { recent, chainId, onlyFinal } = this
    const { start } = recent
    const first: EventPlace = { block: position.at.block, logIndex: 0, place: 0 }
    const readOn = (
      from: EventPlace,
      before: ReadonlyArray<LedgerEvent>,
      hash?: string,
    ): Effect.Effect<void, StoreError> => {
      const room = recent.roomBefore(position) - before.length
      if (room <= 0) return Effect.sync(() => recent.isTooFar(position))
      const query = { chainId, from, onlyFinal, limit: Math.min(headRows, room), filter: noFilter }
      return Effect.flatMap(this.store.read(query), (slice) => {
        // Somebody else came, or a reorg.
        if (slice === undefined || start === undefined || recent.start !== start) return Effect.void
        const { birth, corrections } = this.at?.position ?? {}
        if (slice.mark.birth !== birth || slice.mark.corrections !== corrections) return Effect.void
        const found = this.shown(slice).events.filter(({ at }) => comparePlaces(at, start) < 0)
        const events = [...before, ...found]
        const known = from === first ? slice.hashAt : hash
        if (comparePlaces(slice.to, start) >= 0) return Effect.sync(() => recent.prepend(first, events, known))
        return slice.hasMore ? readOn(slice.to, events, known) : Effect.void
      })
    }
    return readOn(first, [])
  }

  /** Tells everybody what is new. Gives whether there was anything. One at a time. */
  readonly turn: Effect.Effect<boolean, StoreError> = Effect.suspend(() => this.turns.withPermit(this.readOn(false)))

  private readOn(moved: boolean): Effect.Effect<boolean, StoreError> {
    return Effect.suspend(() => {
      if (this.at === undefined) return Effect.succeed(moved)
      const { position } = this.at
      const query = {
        chainId: this.chainId,
        from: position.at,
        onlyFinal: this.onlyFinal,
        limit: headRows,
        filter: noFilter,
        since: position.corrections,
      }
      return Effect.flatMap(this.store.readHead(query), (slice) => {
        // Nobody is attached any more, or all are anew.
        if (slice === undefined || this.at?.position !== position) return Effect.succeed(moved)
        if (isAhead(slice, position, this.onlyFinal)) return this.lose(moved)
        const next = advance(this.shown(slice), position, this.onlyFinal)
        if (next instanceof EventsGone) return this.lose(moved)
        const isMoved = !isSameStand(position, next.position)
        const before = this.at
        this.at = { position: next.position, mark: slice.mark }
        this.keep(next.changes, before, this.at)
        const slow = next.changes.length > 0 ? this.groups.fanOut(next.changes) : []
        // They read what they had no room for themselves.
        for (const consumer of slow as ReadonlyArray<Attached>) {
          this.detach(consumer)
          consumer.detached(before)
        }
        return next.hasMore ? this.readOn(true) : Effect.succeed(moved || isMoved)
      })
    })
  }

  private keep(changes: ReadonlyArray<Change>, before: Stood, now: Stood): void {
    // A correction: what was kept was taken back, or is no longer all there was.
    if (now.position.corrections !== before.position.corrections || now.position.told !== undefined)
      this.recent.begin(now.position.at)
    else {
      const events = changes.flatMap((change) => (change.type === "added" ? [change.event] : []))
      this.recent.add(events, before, now, this.isCrowded() ? mostKept.crowd : mostKept.quiet)
    }
  }

  private lose(moved: boolean): Effect.Effect<boolean> {
    return Effect.sync(() => {
      const [all, stood] = [[...this.filters.keys()], this.at]
      for (const consumer of all) this.detach(consumer)
      if (stood !== undefined) for (const consumer of all) consumer.detached(stood)
      return moved
    })
  }
}
