/** What a consumer asks for, and what it is given of what it missed. */
import type { Effect } from "effect"
import type { Delivery } from "../../model/events/event.ts"
import type { EventFilter } from "../../model/events/filter.ts"
import type { ChainPosition } from "../../model/events/position.ts"
import type { ChainId } from "../../model/primitives.ts"
import type { LedgerMark } from "../../ports/EventStore.ts"
import type { Batch } from "./groups.ts"

/** Where a consumer begins. */
export type Start = "beginning" | "now" | ChainPosition

export interface Subscription {
  readonly chainId: ChainId
  readonly filter: EventFilter
  /** Blocks come when they are final: nothing is ever retracted. */
  readonly onlyFinal: boolean
  readonly start: Start
  /** In whose turn it is read what was missed; absent = all of these share one. */
  readonly caller?: string
  /** False = there is no room for it: nothing of it was taken. `must`: it comes after `room`, and is taken in any case. */
  readonly push: (batch: Batch, must: boolean) => boolean
  /** Waits until there is room for more of what was missed. */
  readonly room: Effect.Effect<void>
  /** Whether there is room still, when the turn to read has come: many may have waited for it who share the room. Absent = there is. */
  readonly hasRoom?: () => boolean
  /** Called where the chain, and the place in it, are first known, and whenever the consumer is moved without being sent anything. */
  readonly stand: (stand: Stand) => void
}

/** Where a consumer is. */
export interface Stand {
  readonly position: () => ChainPosition
  /** A sign of life. */
  readonly heartbeat: () => Delivery
}

/** Of what a consumer missed. */
export interface Part {
  readonly deliveries: ReadonlyArray<Delivery>
  /** Where one stood before them, and where one stands then. */
  readonly from: ChainPosition
  readonly position: ChainPosition
  readonly hasMore: boolean
  readonly mark: LedgerMark
}

/** The ledger has not come to where one stands. */
export interface Behind {
  readonly start: ChainPosition
  readonly behind: LedgerMark
}
