/** The next part of what a consumer missed: by the lists' own statements, filtered by them where they can. */
import { Effect } from "effect"
import type { StoreError } from "../../model/errors.ts"
import type { LedgerEvent } from "../../model/events/event.ts"
import { type EventFilter, hasParties, wantsKind, wantsStandard } from "../../model/events/filter.ts"
import { behind, comparePlaces, type EventPlace, endOfBlock } from "../../model/events/place.ts"
import type { ChainPosition } from "../../model/events/position.ts"
import type { ChainId } from "../../model/primitives.ts"
import { standards } from "../../model/token.ts"
import type { EventSlice, EventStore, LedgerMark } from "../../ports/EventStore.ts"
import type { TransferStore } from "../../ports/TransferStore.ts"

/** Rows of each list that are read at once. */
const partRows = 400

export interface CatchUpStores {
  readonly events: EventStore["Service"]
  readonly transfers: TransferStore["Service"]
}

export interface CatchUpQuery {
  readonly chainId: ChainId
  readonly filter: EventFilter
  readonly onlyFinal: boolean
  readonly position: ChainPosition
}

/** Read from the position on; undefined = the chain has no stored block. */
export const readPart = (
  { events, transfers }: CatchUpStores,
  { chainId, filter, onlyFinal, position }: CatchUpQuery,
): Effect.Effect<EventSlice | undefined, StoreError> => {
  const { tokenAddress, kinds, standard } = filter
  const query = { chainId, from: position.at, onlyFinal, limit: partRows, since: position.corrections }
  // What an index gives is filtered there, the rest by whoever reads this.
  const indexed: EventFilter = {
    ...(hasParties(filter) ? { kinds: ["transfer"] } : kinds && { kinds }),
    ...(standard && { standard }),
    ...(tokenAddress && { tokenAddress }),
  }
  const unwalked = events.read({ ...query, filter: indexed })
  if (!hasParties(filter) || !wantsKind(filter, "transfer")) return unwalked
  const wanted = standards.filter((each) => wantsStandard(filter, each))
  return Effect.gen(function* () {
    const standing = events.read({ ...query, limit: 1, onlyFinal: true, filter: { kinds: [] } })
    const slice = yield* standing
    const end = slice?.mark.finalizedBlock ?? -1
    if (slice === undefined || slice.correction !== undefined || position.at.block >= end) return yield* unwalked
    const walked = Effect.forEach(wanted, (each) =>
      transfers.list({
        standard: each,
        chains: [chainId],
        filter: { ...partiesOf(filter), blockNumberFrom: Math.max(0, position.at.block), blockNumberTo: end },
        direction: "asc",
        page: { limit: partRows, ...keyBefore(chainId, position.at) },
        count: false,
        include: ["blockHash"],
      }),
    )
    const lists = yield* Effect.catchTag(walked, "QueryTooSlow", () => Effect.succeed(undefined))
    // Of an address with very many others the rows are gone through as they come.
    if (lists === undefined) return yield* unwalked
    // A row that a heal brought meanwhile would be told once more, as a late one.
    const now = yield* standing
    if (now === undefined || !isSameLedger(now.mark, slice.mark)) return yield* unwalked
    const found = lists.flatMap(({ value }, index) =>
      value.items.map((item, place): LedgerEvent => {
        const { blockHash, ...record } = item
        const { blockNumber: block, logIndex, sub } = value.keys[place]!
        return {
          kind: "transfer",
          standard: wanted[index]!,
          at: { block, logIndex, place: sub + 1 },
          txHash: record.txHash,
          ...(blockHash === undefined ? {} : { blockHash }),
          tokens: [record.tokenAddress],
          from: record.from,
          to: record.to,
          record,
        }
      }),
    )
    found.sort((a, b) => comparePlaces(a.at, b.at))
    const lasts = lists.flatMap(({ value }) => (value.hasMore ? [value.keys.at(-1)!] : []))
    const [last] = lasts
      .map((key): EventPlace => ({ block: key.blockNumber, logIndex: key.logIndex, place: key.sub + 1 }))
      .sort(comparePlaces)
    const to = last === undefined ? endOfBlock(end) : behind(last)
    // What is not final yet comes by the next part.
    return {
      ...slice,
      events: found.filter(({ at }) => comparePlaces(at, to) < 0),
      to,
      hasMore: last !== undefined || !onlyFinal,
    }
  })
}

/** Whether no row went or came behind the other's back. */
const isSameLedger = (a: LedgerMark, b: LedgerMark): boolean => a.birth === b.birth && a.corrections === b.corrections

const partiesOf = ({ tokenAddress, address, from, to }: EventFilter) => ({
  ...(tokenAddress && { tokenAddress }),
  ...(address && { address }),
  ...(from && { from }),
  ...(to && { to }),
})

/** The key of a row just below the place, whether there is one or not. */
const keyBefore = (chainId: ChainId, { block, logIndex, place }: EventPlace) => {
  if (block < 0 || (place < 2 && logIndex === 0)) return {}
  const at = place < 2 ? { logIndex: logIndex - 1, sub: 2 ** 31 - 2 } : { logIndex, sub: place - 2 }
  return { after: { time: 0, chainId, blockNumber: block, ...at } }
}
