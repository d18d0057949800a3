/** What lies unread of all streams of events together: bounded, whoever opened them, and what many were sent counts once. */
import { expect, test } from "bun:test"
import { Context, Effect } from "effect"
import { Beats } from "../../src/adapters/http/events/Beats.ts"
import { EventStream } from "../../src/adapters/http/events/EventStream.ts"
import { Unread } from "../../src/adapters/http/events/Unread.ts"
import { EventHub } from "../../src/domain/events/EventHub.ts"
import type { Batch } from "../../src/domain/events/groups.ts"
import type { Subscription } from "../../src/domain/events/subscription.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { problemOf } from "../support/failure.ts"

const chainId = ChainId.make("7")
const at = { block: 1, logIndex: 0, place: 0 }
const batchOf = (bytes: number): Batch => ({
  deliveries: [
    {
      type: "transfer",
      data: { text: "x".repeat(bytes) },
      position: { chainId, settings: "abcdef", birth: "ffffff", corrections: 0, at, final: 0 },
    },
  ],
})

/** Streams of callers of their own, each with what it is sent by. */
const openMany = async (count: number, mostBytes: number) => {
  const unread = new Unread(mostBytes)
  const pushed: Array<Subscription> = []
  const hub = Context.make(EventHub, {
    subscribe: (subscription) =>
      Effect.andThen(
        Effect.sync(() => pushed.push(subscription)),
        Effect.never,
      ),
    next: () => Effect.undefined,
    startPosition: () => Effect.undefined,
    counts: () => ({ live: 0, behind: 0 }),
  })
  const dropped: Array<number> = []
  const ended: Array<number> = []
  const streams = Array.from({ length: count }, (_, place) => {
    const stream = new EventStream(hub, {
      chains: [{ chainId, start: "now" }],
      ...{ filter: {}, onlyFinal: false, caller: `caller ${place}`, beats: new Beats(60_000), patienceMs: 60_000 },
      ...{ unread, isLetIn: () => true, ended: () => ended.push(place), dropped: () => dropped.push(place) },
    })
    return { stream, send: (batch: Batch) => pushed[place]!.push(batch, false) }
  })
  while (pushed.length < count) await Bun.sleep(1)
  return { unread, streams, dropped, ended }
}

test("where it is too much those who have most of it unread are let go, until there is room, and come back", async () => {
  const { unread, streams, dropped, ended } = await openMany(6, 100_000)
  for (const [place, bytes] of [10_000, 45_000, 5000, 30_000, 1000].entries()) streams[place]!.send(batchOf(bytes))
  await Promise.resolve()
  expect([dropped, unread.bytes > 90_000]).toEqual([[], true])
  streams[5]!.send(batchOf(20_000))
  await Promise.resolve()
  expect([dropped, ended]).toEqual([[1], [1]])
  expect(unread.bytes).toBeLessThanOrEqual(75_000)
  expect(await problemOf(streams[1]!.stream.body.getReader().read())).toContain("the client reads too slowly")
  for (const { stream } of streams) stream.close()
  expect(unread.bytes).toBe(0)
})

test("what was read lies there no more, and what all were sent lies there once", async () => {
  const { unread, streams, dropped } = await openMany(50, 100_000)
  const shared = batchOf(60_000)
  for (const { send } of streams) expect(send(shared)).toBe(true)
  await Promise.resolve()
  expect([dropped, unread.bytes < 65_000]).toEqual([[], true])
  const readers = streams.map(({ stream }) => stream.body.getReader())
  // The words that each begins with, and the rows.
  for (const reader of readers) for (let piece = 0; piece < 2; piece++) await reader.read()
  expect(unread.bytes).toBe(0)
  const other = streams[7]!
  for (let time = 0; time < 20; time++) {
    other.send(batchOf(40_000))
    await readers[7]!.read()
  }
  expect([dropped, unread.bytes]).toEqual([[], 0])
  for (const reader of readers) await reader.cancel()
})
