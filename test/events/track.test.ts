/** What was read of the time before is kept only where nothing came late or was taken back while it was read. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { Track } from "../../src/domain/events/Track.ts"
import type { LedgerEvent } from "../../src/model/events/event.ts"
import { behind, comparePlaces, endOfBlock } from "../../src/model/events/place.ts"
import type { ChainPosition } from "../../src/model/events/position.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { Correction, EventSlice, EventStore, EventsQuery, LedgerMark } from "../../src/ports/EventStore.ts"
import { address, hash } from "../support/chain/testChain.ts"

const chainId = ChainId.make("43114")
const head = 10
const rowOf = (block: number): LedgerEvent =>
  ({
    kind: "transfer",
    standard: "erc20",
    at: { block, logIndex: 0, place: 1 },
    txHash: hash(`tx ${block}`),
    blockHash: hash(`${block}`),
    tokens: [address(0x70)],
    record: {},
  }) as unknown as LedgerEvent

test("a row that came late while what lies behind was read is in what is told from memory, or nothing is", async () => {
  /** Of every block but the fifth. */
  const rows = Array.from({ length: head }, (_, index) => rowOf(index + 1)).filter(({ at }) => at.block !== 5)
  const corrections: Array<Correction> = []
  const markOf = () =>
    ({
      asOf: { chainId, blockNumber: head, firstBlock: 0, hash: hash(`${head}`) },
      finalizedBlock: head,
      settings: "abcdef",
      birth: "abcdef",
      corrections: corrections.length,
    }) as unknown as LedgerMark
  const sliceOf = ({ from, since }: EventsQuery, most: number): EventSlice => {
    const found = rows
      .filter(({ at }) => comparePlaces(at, from) >= 0)
      .toSorted((one, other) => comparePlaces(one.at, other.at))
    const events = found.slice(0, most)
    const correction = corrections.find(({ number }) => number > (since ?? Number.POSITIVE_INFINITY))
    return {
      mark: markOf(),
      events,
      to: events.length < found.length ? behind(events.at(-1)!.at) : endOfBlock(head),
      hasMore: events.length < found.length,
      ...(correction === undefined ? {} : { correction }),
    }
  }
  let pages = 0
  const store = {
    readHead: (query: EventsQuery) => Effect.sync(() => sliceOf(query, 100)),
    // In pages of eight rows. Before the second the fifth block's row comes in, and the reader hears of it.
    read: (query: EventsQuery) =>
      Effect.andThen(
        Effect.suspend(() => (++pages === 2 ? heal : Effect.void)),
        Effect.sync(() => sliceOf(query, 8)),
      ),
  } as unknown as EventStore["Service"]
  const heal = Effect.suspend(() => {
    rows.push(rowOf(5))
    corrections.push({ number: 1, isHeal: true, fromBlock: 5, isForgotten: false, removed: [], added: [rowOf(5)] })
    return Effect.asVoid(track.turn)
  })
  const track: Track = new Track(
    store,
    chainId,
    false,
    (slice) => slice,
    () => true,
  )
  const positionAt = (block: number, known: number): ChainPosition => ({
    chainId,
    settings: "abcdef",
    birth: "abcdef",
    corrections: known,
    at: endOfBlock(block),
    final: head,
  })
  const isAttached = track.attach(
    {},
    { push: () => true, detached: () => {} },
    { position: positionAt(head, 0), mark: markOf() },
  )
  expect(isAttached).toBe(true)
  await Effect.runPromise(track.lookBack(positionAt(0, 0)))
  // Who is behind the row's place, and knows that there was a correction.
  const told = track.recall(positionAt(2, 1), {})?.events.map(({ at }) => at.block)
  expect(told ?? [3, 4, 5, 6, 7, 8, 9, 10]).toEqual([3, 4, 5, 6, 7, 8, 9, 10])
})
