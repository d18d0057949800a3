/** The one reader of a chain's newest events, for all who stand at the head: it reads while somebody does. */
import { Effect, Semaphore } from "effect"
import { EventsGone, type StoreError } from "../../model/errors.ts"
import type { EventFilter } from "../../model/events/filter.ts"
import type { ChainPosition } from "../../model/events/position.ts"
import type { ChainId } from "../../model/primitives.ts"
import type { EventSlice, EventStore, LedgerMark } from "../../ports/EventStore.ts"
import { advance, isAhead, isSameStand } from "./advance.ts"
import { type BlockRange, type Consumer, Groups } from "./groups.ts"

/** Rows of each list that are read at once. */
const headRows = 5000
const noFilter: EventFilter = {}

export interface Attached extends Consumer {
  /** The reader lost its place: whoever was attached goes on from where it stood. */
  readonly detached: (stand: Stood) => void
}

/** Where all who are attached stand. */
export interface Stood {
  readonly position: ChainPosition
  readonly mark: LedgerMark
}

/** As callers are shown it. */
export type Shown = (slice: EventSlice) => EventSlice

export class Track {
  private readonly groups = new Groups()
  private readonly filters = new Map<Attached, EventFilter>()
  private readonly turns = Semaphore.makeUnsafe(1)
  private at: Stood | undefined

  constructor(
    private readonly store: EventStore["Service"],
    private readonly chainId: ChainId,
    readonly onlyFinal: boolean,
    private readonly shown: Shown,
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
    if (this.at === undefined) this.at = { position, mark }
    else if (!isSameStand(this.at.position, position)) return false
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
        if (isAhead(slice, position)) return this.lose(moved)
        const next = advance(this.shown(slice), position, this.onlyFinal)
        if (next instanceof EventsGone || slice.mark.birth !== position.birth) return this.lose(moved)
        const isMoved = !isSameStand(position, next.position)
        const before = this.at
        this.at = { position: next.position, mark: slice.mark }
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

  private lose(moved: boolean): Effect.Effect<boolean> {
    return Effect.sync(() => {
      const [all, stood] = [[...this.filters.keys()], this.at]
      for (const consumer of all) this.detach(consumer)
      if (stood !== undefined) for (const consumer of all) consumer.detached(stood)
      return moved
    })
  }
}
