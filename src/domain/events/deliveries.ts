/** What consumers are told of changes: rows, what is taken back, what is final, and signs of life. */
import { added, type Delivery, type LedgerEvent, retracted } from "../../model/events/event.ts"
import { type EventFilter, passes } from "../../model/events/filter.ts"
import { comparePlaces, endOfBlock } from "../../model/events/place.ts"
import type { ChainPosition } from "../../model/events/position.ts"
import { dateTimeOf } from "../../model/primitives.ts"
import type { LedgerMark } from "../../ports/EventStore.ts"
import type { Change } from "./advance.ts"

const finalizedData = ({ asOf, finalizedBlock, finalizedHash }: LedgerMark): object => ({
  chainId: asOf.chainId,
  block: finalizedBlock,
  ...(finalizedHash === undefined ? {} : { hash: finalizedHash }),
})

/** The last block all of whose events were told. */
const wholeBlock = ({ at }: ChainPosition): number =>
  Math.max(0, comparePlaces(at, endOfBlock(at.block)) < 0 ? at.block - 1 : at.block)

/** The newest block whose rows a consumer is to be told. Of final blocks alone those above them say nothing. */
const lastBlock = ({ asOf, finalizedBlock }: LedgerMark, onlyFinal: boolean): number =>
  onlyFinal ? Math.max(0, finalizedBlock) : asOf.blockNumber

/** Of a consumer that has still to be told more: the block that it is at. What it has told itself does not end there. */
const behindData = (mark: LedgerMark, position: ChainPosition, onlyFinal: boolean): object => {
  const { asOf, finalizedBlock } = mark
  const block = wholeBlock(position)
  return {
    chainId: asOf.chainId,
    block,
    // A server that is behind does not know yet what was told to be final.
    finalizedBlock: Math.max(finalizedBlock, position.final),
    lagBlocks: Math.max(1, asOf.nodeHead - asOf.blockNumber + lastBlock(mark, onlyFinal) - block),
  }
}

const heartbeatData = (mark: LedgerMark, onlyFinal: boolean): object => {
  const { asOf, finalizedBlock, finalizedHash } = mark
  const { hash, time } = onlyFinal ? { hash: finalizedHash, time: undefined } : asOf
  return {
    chainId: asOf.chainId,
    block: lastBlock(mark, onlyFinal),
    ...(hash === undefined ? {} : { hash }),
    ...(time === undefined ? {} : { timestamp: dateTimeOf(time) }),
    finalizedBlock,
    lagBlocks: Math.max(0, asOf.nodeHead - asOf.blockNumber),
  }
}

/** The same object for the same row, whoever is sent it: its text is made once. */
const rows = new WeakMap<LedgerEvent, object>()
const addedOf = (chainId: ChainPosition["chainId"], event: LedgerEvent, position: ChainPosition): Delivery => {
  const data = rows.get(event)
  if (data !== undefined) return { type: event.kind, data, position }
  const delivery = added(chainId, event, position)
  rows.set(event, delivery.data)
  return delivery
}

export const deliveryOf = (change: Change): Delivery => {
  const { position } = change
  if (change.type === "finalized") return { type: "finalized", data: finalizedData(change.mark), position }
  const { chainId } = position
  if (change.type === "retracted") return retracted(chainId, change.event, position)
  return change.late ? added(chainId, change.event, position, true) : addedOf(chainId, change.event, position)
}

/** Those that pass, in order. */
export const delivered = (changes: ReadonlyArray<Change>, filter: EventFilter): ReadonlyArray<Delivery> =>
  changes.filter((change) => change.type === "finalized" || passes(filter, change.event)).map(deliveryOf)

/** A sign of life, with the position of who has been told all up to there; `isBehind`: and of whom there is more to tell. */
export const heartbeatOf = (
  mark: LedgerMark,
  position: ChainPosition,
  onlyFinal: boolean,
  isBehind = false,
): Delivery => ({
  type: "heartbeat",
  data: isBehind ? behindData(mark, position, onlyFinal) : heartbeatData(mark, onlyFinal),
  position,
})
