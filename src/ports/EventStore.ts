/** Reads a ledger as events: rows in log order, and what changed behind a place that was read already. */
import { Context, type Effect, type Scope } from "effect"
import type { AsOf } from "../model/block.ts"
import type { StoreError } from "../model/errors.ts"
import type { LedgerEvent } from "../model/events/event.ts"
import type { EventFilter } from "../model/events/filter.ts"
import type { EventPlace } from "../model/events/place.ts"
import type { ChainId, Hash } from "../model/primitives.ts"

/** Where a ledger stands. */
export interface LedgerMark {
  readonly asOf: AsOf
  readonly finalizedBlock: number
  /** Of that block, where it is known. */
  readonly finalizedHash?: Hash
  /** See `ChainPosition`. */
  readonly settings: string
  readonly birth: string
  /** Rollbacks and heals so far. */
  readonly corrections: number
}

/** Rows of blocks that were there before changed. */
export interface Correction {
  readonly number: number
  /** Single rows changed. Otherwise blocks were taken back: `fromBlock` and all above. */
  readonly isHeal: boolean
  /** Below it nothing changed. */
  readonly fromBlock: number
  /** Its rows are not kept any more. */
  readonly isForgotten: boolean
  /** Rows that went, ascending; each as what the log said. */
  readonly removed: ReadonlyArray<LedgerEvent>
  /** Rows that a heal brought, ascending; those that are gone again as what the log said. */
  readonly added: ReadonlyArray<LedgerEvent>
}

export interface EventsQuery {
  readonly chainId: ChainId
  /** Rows from this place on. */
  readonly from: EventPlace
  /** Up to the newest final block alone. Absent = up to the head. */
  readonly onlyFinal?: boolean
  /** Rows of each list that are read at most. */
  readonly limit: number
  /** Rows that cannot pass may be left out, or not. */
  readonly filter: EventFilter
  /** The first correction above this one is wanted; absent = none is. */
  readonly since?: number
}

export interface EventSlice {
  readonly mark: LedgerMark
  /** In order, all that lie below `to`. */
  readonly events: ReadonlyArray<LedgerEvent>
  readonly to: EventPlace
  /** More may lie behind `to`, in the blocks that were asked for. */
  readonly hasMore: boolean
  /** There may be further ones. The rows that were read are those after all of them. */
  readonly correction?: Correction
  /** Of the block of `from`, where a reorg may still take it. */
  readonly hashAt?: Hash
}

export interface Watched {
  /** From now on calls for the chain are wanted, whether there is such a chain already or not. */
  readonly listen: (chainId: ChainId) => void
  /** Milliseconds after which to look at the chain without having been called: calls may be lost, and not every store can make them. */
  readonly lookMs: (chainId: ChainId) => number
  /** There was something new of the chain, and nobody called. */
  readonly missed: (chainId: ChainId) => void
}

export class EventStore extends Context.Service<
  EventStore,
  {
    /** All of one snapshot; undefined = the chain has no stored block. */
    read(query: EventsQuery): Effect.Effect<EventSlice | undefined, StoreError>
    /** `read` over connections that no caller's reads can take: for the one who reads for all. */
    readHead(query: EventsQuery): Effect.Effect<EventSlice | undefined, StoreError>
    /** `wake` is called after commits that changed the ledger of a chain that is listened to, while the scope lives. */
    watch(wake: (chainId: ChainId) => void): Effect.Effect<Watched, never, Scope.Scope>
  }
>()("cowry/EventStore") {}
