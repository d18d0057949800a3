/** What consumers are told of a ledger: rows of its lists as they come and go, and how far it is. */
import type { Address, ChainId, Hash } from "../primitives.ts"
import type { Standard } from "../token.ts"
import type { EventPlace } from "./place.ts"
import type { ChainPosition } from "./position.ts"

export const eventKinds = ["transfer", "swap", "token"] as const
/** `token`: a contract is seen first. */
export type EventKind = (typeof eventKinds)[number]

/** A row of a list, as an event. */
export interface LedgerEvent {
  readonly kind: EventKind
  /** Of swaps: ERC-20. */
  readonly standard: Standard
  readonly at: EventPlace
  readonly txHash: Hash
  /** Absent = no reorg takes the block, and it is not kept. */
  readonly blockHash?: Hash
  /** The contracts that it is about: one, or of a swap two. */
  readonly tokens: ReadonlyArray<Address>
  readonly from?: Address
  readonly to?: Address
  /** As the list has it. Of a row that was taken back: what the log said. */
  readonly record: object
}

/** The same for the same row of the same transaction, whoever tells it, whenever. */
const eventIdOf = (chainId: ChainId, { at, txHash }: Pick<LedgerEvent, "at" | "txHash">): string =>
  `${chainId}-${at.block}-${at.logIndex}-${at.place}-${txHash.slice(2, 18)}`

/** What is sent: its name, its body, and where a consumer stands that has it. */
export interface Delivery {
  readonly type: EventKind | "retract" | "finalized" | "heartbeat"
  readonly data: object
  readonly position: ChainPosition
}

/** A row came. `late`: behind the consumer's back, far below; a node had left it out. */
export const added = (chainId: ChainId, event: LedgerEvent, position: ChainPosition, late = false): Delivery => ({
  type: event.kind,
  data: { id: eventIdOf(chainId, event), ...placed(event), ...(late ? { late } : {}), ...event.record },
  position,
})

/** A row that was sent is no longer one. */
export const retracted = (chainId: ChainId, event: LedgerEvent, position: ChainPosition): Delivery => ({
  type: "retract",
  data: { id: eventIdOf(chainId, event), retracts: event.kind, ...placed(event), ...event.record },
  position,
})

const placed = ({ standard, at, blockHash }: LedgerEvent) => ({
  standard,
  block: at.block,
  ...(blockHash === undefined ? {} : { hash: blockHash }),
})
