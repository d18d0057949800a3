/** The EventStore port in memory. */
import { Effect, Layer } from "effect"
import type { LedgerEvent } from "../../model/events/event.ts"
import { comparePlaces, endOfBlock } from "../../model/events/place.ts"
import { type EventSlice, EventStore, type EventsQuery } from "../../ports/EventStore.ts"
import { isPartial } from "./audits.ts"
import { eventsFrom } from "./events.ts"
import { isSuspect, tokenRecord } from "./MemoryTokens.ts"
import { transferRecord } from "./MemoryTransfers.ts"
import { type MemoryChain, MemoryChains, snapshotOf, storedChains } from "./state.ts"
import { swapRecord } from "./swaps.ts"

/** Nobody calls: the ledger is looked at. */
const lookMs = 10

export const layer = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    const read = (query: EventsQuery) =>
      Effect.sync(() => {
        const [chain] = storedChains(chains, [query.chainId])
        return chain && sliceOf(chain, query)
      })
    return EventStore.of({
      read,
      readHead: read,
      watch: () => Effect.succeed({ listen: () => {}, lookMs: () => lookMs, missed: () => {} }),
    })
  }),
)

const sliceOf = (chain: MemoryChain, { from, onlyFinal, limit, since }: EventsQuery): EventSlice => {
  const [asOf] = snapshotOf([chain], undefined).asOf
  const finalizedBlock = Math.min(chain.finalizedBlock, asOf!.blockNumber)
  const hashOf = (block: number) => chain.headers.find(({ number }) => number === block)?.hash
  const end = endOfBlock(onlyFinal === true ? finalizedBlock : asOf!.blockNumber)
  const all = shownEvents(chain, from.block).filter(
    ({ at }) => comparePlaces(at, from) >= 0 && comparePlaces(at, end) < 0,
  )
  const events = all.slice(0, limit)
  const [finalizedHash, hashAt] = [hashOf(finalizedBlock), hashOf(from.block)]
  const change = since === undefined ? undefined : chain.corrections[since]
  return {
    mark: {
      asOf: asOf!,
      finalizedBlock,
      ...(finalizedHash === undefined ? {} : { finalizedHash }),
      settings: "000000",
      birth: chain.birth,
      corrections: chain.corrections.length,
    },
    events,
    to: all.length > limit ? all[limit]!.at : end,
    hasMore: all.length > limit,
    ...(change === undefined
      ? {}
      : {
          correction: { ...change, number: since! + 1, isForgotten: false, added: change.added.map(restored(chain)) },
        }),
    ...(hashAt === undefined ? {} : { hashAt }),
  }
}

const shownEvents = (chain: MemoryChain, from: number): ReadonlyArray<LedgerEvent> =>
  eventsFrom(chain, from, {
    transfer: (row) => transferRecord(chain, row, []),
    swap: (row) => swapRecord(chain, row),
    token: (token) => tokenRecord(chain, token, !isSuspect(token) && !isPartial(chain, token)),
  })

/** As the list has it, where it still does. */
const restored = (chain: MemoryChain) => (event: LedgerEvent) =>
  shownEvents(chain, event.at.block).find(
    ({ kind, standard, at, txHash }) =>
      kind === event.kind &&
      standard === event.standard &&
      txHash === event.txHash &&
      comparePlaces(at, event.at) === 0,
  ) ?? event
