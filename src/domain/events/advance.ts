/** What a consumer at a position is told of a slice of the ledger, and where it stands then: the same for replay and live. */
import { EventsGone } from "../../model/errors.ts"
import type { LedgerEvent } from "../../model/events/event.ts"
import { behind, comparePlaces, type EventPlace, endOfBlock } from "../../model/events/place.ts"
import { type ChainPosition, hashPrefix, positionText } from "../../model/events/position.ts"
import type { Correction, EventSlice, LedgerMark } from "../../ports/EventStore.ts"

/** What a consumer hears, before anything is filtered. */
export type Change =
  | { readonly type: "added"; readonly event: LedgerEvent; readonly position: ChainPosition; readonly late?: true }
  | { readonly type: "retracted"; readonly event: LedgerEvent; readonly position: ChainPosition }
  | { readonly type: "finalized"; readonly mark: LedgerMark; readonly position: ChainPosition }

export interface Advance {
  readonly changes: ReadonlyArray<Change>
  readonly position: ChainPosition
  /** More can be read at once. */
  readonly hasMore: boolean
}

/** The ledger has not come to where the position is: another instance was ahead. */
export const isAhead = ({ mark }: EventSlice, position: ChainPosition, onlyFinal: boolean): boolean =>
  mark.birth === position.birth &&
  (position.corrections > mark.corrections ||
    // Of the next heal it was told already: that one is to come here.
    (position.corrections === mark.corrections && (position.told !== undefined || isAbove(position, mark, onlyFinal))))

/** The position knows of a correction that this very making of the ledger has not: it comes yet, or was lost in a restore. */
export const lacksCorrection = ({ birth, corrections }: LedgerMark, position: ChainPosition): boolean =>
  birth === position.birth && corrections < position.corrections

/** Such a position, where the correction does not come any more. What is final here is final there. */
export const goneOfLost = (mark: LedgerMark, position: ChainPosition): EventsGone =>
  gone(
    { ...position, corrections: mark.corrections },
    "the database lost what the position knows of: it was restored, or the server that had it is no longer written",
    mark.finalizedBlock + 1,
  )

/** Where only final blocks are told, all above them is ahead: whoever stood there would pass over what becomes final below. */
const isAbove = ({ at }: ChainPosition, { asOf, finalizedBlock }: LedgerMark, onlyFinal: boolean): boolean =>
  comparePlaces(at, endOfBlock(onlyFinal ? finalizedBlock : asOf.blockNumber)) > 0

/** The slice must have been read from the position on, with its `corrections` as `since`. `onlyFinal`: of final blocks alone. */
export const advance = (slice: EventSlice, position: ChainPosition, onlyFinal: boolean): Advance | EventsGone => {
  const { mark } = slice
  const another = goneOfAnother(mark, position)
  if (another !== undefined) return another
  if (slice.correction !== undefined) return corrected(slice.correction, position, onlyFinal)
  if (isReplaced(slice, position)) return gone(position, "the ledger has another history than the one that gave it")
  const to = comparePlaces(slice.to, position.at) > 0 ? slice.to : position.at
  const isPast = !slice.hasMore || to.block > mark.finalizedBlock
  // What is final is told behind the rows of a slice: a place among them knows of the blocks below alone.
  const finalAt = (block: number) => Math.max(position.final, Math.min(mark.finalizedBlock - 1, block))
  const told = { ...position, corrections: mark.corrections }
  const events = slice.events.filter(({ at }) => comparePlaces(at, position.at) >= 0 && comparePlaces(at, slice.to) < 0)
  const changes: Array<Change> = events.map((event) => ({
    type: "added",
    event,
    position: withHash({ ...told, at: behind(event.at), final: finalAt(event.at.block) }, event.blockHash),
  }))
  const last = events.at(-1)
  const lastHash = to !== position.at && last?.at.block === to.block ? last.blockHash : undefined
  const final = isPast ? mark.finalizedBlock : finalAt(to.block)
  const moved = withHash({ ...told, at: to, final }, hashOf(slice, to) ?? lastHash)
  const next = to === position.at && position.hash !== undefined ? { ...moved, hash: position.hash } : moved
  if (isPast && mark.finalizedBlock > position.final) changes.push({ type: "finalized", mark, position: next })
  return { changes, position: next, hasMore: slice.hasMore }
}

const withHash = ({ hash: _, ...position }: ChainPosition, hash: string | undefined): ChainPosition =>
  hash === undefined ? position : { ...position, hash: hashPrefix(hash) }

const hashOf = ({ mark }: EventSlice, to: EventPlace): string | undefined => {
  if (to.block === mark.asOf.blockNumber) return mark.asOf.hash
  return to.block === mark.finalizedBlock ? mark.finalizedHash : undefined
}

/** A position of another ledger than this one. What a resync changes, and from which block on, nobody knows: it may be what was final. */
export const goneOfAnother = (mark: LedgerMark, { settings, birth }: ChainPosition): EventsGone | undefined => {
  if (settings !== mark.settings)
    return new EventsGone({ reason: "the ledger was replaced by one with other settings, which has other rows" })
  if (birth !== mark.birth)
    return new EventsGone({ reason: "the ledger was built anew since, and any of its rows may be another" })
  return undefined
}

/** The next heal is told whole. */
export const untold = ({ told: _, ...position }: ChainPosition): ChainPosition => position

/** A block that is above the final ones, with another hash, though nothing was taken back. */
const isReplaced = ({ hashAt }: EventSlice, { hash, at, final }: ChainPosition): boolean =>
  at.block > final && hash !== undefined && hashAt !== undefined && hashPrefix(hashAt) !== hash

/** `below`: what changed, if that is known, did so from this block on. A position below it is gone on from. */
const gone = (position: ChainPosition, reason: string, below = Number.POSITIVE_INFINITY): EventsGone => {
  const { hash: _, ...rest } = untold(position)
  const block = Math.min(position.final, position.at.block, below - 1)
  const after = positionText({ ...rest, at: endOfBlock(block), final: block })
  return new EventsGone({ reason, after, block })
}

const corrected = (correction: Correction, position: ChainPosition, onlyFinal: boolean): Advance | EventsGone => {
  const { number, isHeal, fromBlock, isForgotten, removed, added } = correction
  const whole = untold(position)
  const next = { ...whole, corrections: number }
  const isBehind = ({ at }: LedgerEvent) => comparePlaces(at, position.at) < 0
  if (position.at.block < fromBlock) return { changes: [], position: next, hasMore: true }
  if (isForgotten) {
    const what = isHeal ? "rows came in late since, and which" : "blocks were taken back since, and what they held"
    return gone(position, `${what} is no longer known`, fromBlock)
  }
  if (isHeal) {
    return {
      changes: healed(removed.filter(isBehind), added.filter(isBehind), position, onlyFinal),
      position: next,
      hasMore: true,
    }
  }
  const changes = removed
    .filter(isBehind)
    .toReversed()
    .map(
      (event): Change => ({
        type: "retracted",
        event,
        position: withHash({ ...whole, at: event.at }, event.blockHash),
      }),
    )
  return { changes, position: withHash({ ...next, at: endOfBlock(fromBlock - 1) }, undefined), hasMore: true }
}

/** Of final blocks nothing is retracted: there a contract that begins elsewhere now stays where it was told. */
const healed = (
  removed: ReadonlyArray<LedgerEvent>,
  added: ReadonlyArray<LedgerEvent>,
  position: ChainPosition,
  onlyFinal: boolean,
): ReadonlyArray<Change> => {
  const isMoved = (event: LedgerEvent) =>
    event.kind === "token" && removed.some((it) => it.standard === event.standard && it.tokens[0] === event.tokens[0])
  const changes: ReadonlyArray<Change> = [
    ...(onlyFinal ? [] : removed.toReversed()).map((event): Change => ({ type: "retracted", event, position })),
    ...added
      .filter((event) => !(onlyFinal && isMoved(event)))
      .map((event): Change => ({ type: "added", event, position, late: true })),
  ]
  return changes
    .map((change, place): Change => ({ ...change, position: { ...position, told: place + 1 } }))
    .slice(position.told ?? 0)
}

/** Where a consumer begins that was told nothing. */
export const beginningOf = ({ mark }: EventSlice, chainId: ChainPosition["chainId"]): ChainPosition => ({
  chainId,
  settings: mark.settings,
  birth: mark.birth,
  corrections: mark.corrections,
  at: endOfBlock(mark.asOf.firstBlock - 1),
  final: -1,
})

/** Behind all that there is. */
export const headOf = (slice: EventSlice, chainId: ChainPosition["chainId"], onlyFinal: boolean): ChainPosition => {
  const { mark } = slice
  const block = onlyFinal ? mark.finalizedBlock : mark.asOf.blockNumber
  const place = { ...beginningOf(slice, chainId), at: endOfBlock(block), final: mark.finalizedBlock }
  return withHash(place, hashOf(slice, place.at))
}

/** Whether two consumers were told the same. */
export const isSameStand = (a: ChainPosition, b: ChainPosition): boolean =>
  a.birth === b.birth &&
  a.corrections === b.corrections &&
  a.told === b.told &&
  a.final === b.final &&
  comparePlaces(a.at, b.at) === 0
