/** A stream of many chains costs what it tells: no rows before the answer, no more parts than there is room for, and of an id what moved. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { Context, Effect, Fiber, Layer } from "effect"
import { Beats } from "../../src/adapters/http/events/Beats.ts"
import { EventStream } from "../../src/adapters/http/events/EventStream.ts"
import { Unread } from "../../src/adapters/http/events/Unread.ts"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { EventHub } from "../../src/domain/events/EventHub.ts"
import type { Subscription } from "../../src/domain/events/subscription.ts"
import { EventsGone } from "../../src/model/errors.ts"
import { endOfBlock } from "../../src/model/events/place.ts"
import { type ChainPosition, positionsText, positionText } from "../../src/model/events/position.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { EventStore } from "../../src/ports/EventStore.ts"
import type { Chain } from "../../src/ports/Networks.ts"
import { always } from "../support/always.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { prefix, startService, type TestService } from "./support.ts"

const ids = Array.from({ length: 12 }, (_, place) => ChainId.make(String(place + 1)))
const chains = ids.map((chainId): Chain => ({ chainId, network: "mainnet", ecosystems: [] }))
/** Whether each read asked for rows, by chain. */
const rowsAsked = new Map<ChainId, Array<boolean>>()
/** As a server that takes its time. */
const watched = Layer.effect(
  EventStore,
  Effect.map(EventStore, (store) => ({
    ...store,
    read: (query) =>
      Effect.suspend(() => {
        rowsAsked.set(query.chainId, [...(rowsAsked.get(query.chainId) ?? []), query.filter.kinds?.length !== 0])
        return Effect.delay(store.read(query), 1)
      }),
  })),
)

let service: TestService
beforeAll(async () => {
  service = await startService({
    chains,
    heartbeatMs: 20,
    storeLayer: Layer.provideMerge(watched, MemoryStore.layer),
  })
  const chain = new TestChain()
  chain.block(Array.from({ length: 5 }, (_, place) => transfer(address(0x70), address(0), address(place + 1), 1n)))
  for (const chainId of ids) {
    const writer = await service.open(chainId)
    await service.run(writer.append(chain.segment(0)))
  }
})
beforeEach(() => rowsAsked.clear())
afterAll(async () => {
  service.app.endStreams()
  await service.close()
})

const beginnings = (): Promise<ReadonlyArray<ChainPosition>> =>
  service.run(
    EventHub.use((hub) =>
      Effect.forEach(ids, (chainId) =>
        Effect.map(hub.startPosition({ chainId, onlyFinal: false, start: "beginning" }), (position) => position!),
      ),
    ),
  )

test("of several chains no row is read to see whether their positions stand, and all are told", async () => {
  const after = positionsText(await beginnings())
  rowsAsked.clear()
  const reader = (await service.fetch(`${prefix("all")}/events?after=${after}`)).body!.getReader()
  let text = ""
  const isToldOf = (chainId: ChainId) => text.includes(`event: heartbeat\ndata: {"chainId":"${chainId}"`)
  while (!ids.every(isToldOf)) text += new TextDecoder().decode((await reader.read()).value)
  await reader.cancel()
  expect(text.split("event: transfer").length - 1).toBe(5 * ids.length)
  expect(ids.map((chainId) => rowsAsked.get(chainId)?.[0])).toEqual(ids.map(() => false))
})

test("an id of `all` is gone on from where one of its chains has left since; of one chain it is not", async () => {
  const begun = await beginnings()
  const left = positionText({ ...begun[0]!, chainId: ChainId.make("999") })
  const after = `${left}~${positionsText(begun)}`
  const all = await service.fetch(`${prefix("all")}/events?after=${after}`)
  expect(all.status).toBe(200)
  const reader = all.body!.getReader()
  let text = ""
  while (!text.includes("event: transfer")) text += new TextDecoder().decode((await reader.read()).value)
  await reader.cancel()
  expect(text).not.toContain("999.")
  for (const path of [`${prefix("1")}/events?after=${after}`, `${prefix("all")}/events?after=${left}`]) {
    const refused = await service.fetch(path)
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { message: expect.stringContaining("after: expected the id of an event of this path") },
    ])
  }
})

test("who has no room is not read for, however many chains waited for their turns at once", async () => {
  const told: Array<ChainId> = []
  const waiting = new Set<ChainId>()
  const subscribed = Effect.forEach(
    ids,
    (chainId) =>
      EventHub.use((hub) =>
        hub.subscribe({
          chainId,
          filter: {},
          onlyFinal: false,
          caller: "one",
          start: "beginning",
          push: () => {
            told.push(chainId)
            return true
          },
          // Room for one part.
          room: Effect.suspend(() => {
            if (told.length === 0) return Effect.void
            waiting.add(chainId)
            return Effect.never
          }),
          hasRoom: () => told.length === 0,
          stand: () => {},
        }),
      ),
    { concurrency: "unbounded", discard: true },
  )
  const reading = service.run(Effect.forkDetach(subscribed))
  while (waiting.size + told.length < ids.length) await Bun.sleep(1)
  await service.run(Fiber.interrupt(await reading))
  // One caller's reads go on three at a time, and the next takes its turn as the first of them ends.
  expect(told.length).toBeGreaterThan(0)
  expect(told.length).toBeLessThanOrEqual(4)
})

test("of an id of many chains only what moved is written anew", async () => {
  let written = 0
  const positions = (await beginnings()).map(
    (position): ChainPosition => ({
      ...position,
      get settings() {
        written++
        return position.settings
      },
    }),
  )
  const moved = Array.from({ length: 100 }, (_, place): ChainPosition => {
    const { chainId, birth, corrections, final } = positions[4]!
    return { chainId, settings: "abcdef", birth, corrections, at: { block: place, logIndex: 0, place: 0 }, final }
  })
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
  const stream = new EventStream(hub, {
    chains: ids.map((chainId, place) => ({ chainId, start: positions[place]! })),
    ...{ filter: {}, onlyFinal: false, caller: "one", beats: new Beats(60_000), patienceMs: 60_000 },
    unread: new Unread(1e9),
    ...{ isLetIn: () => true, ended: () => {}, dropped: () => {} },
  })
  while (pushed.length < ids.length) await Bun.sleep(1)
  pushed[4]!.push({ deliveries: moved.map((position) => ({ type: "transfer", data: {}, position })) }, true)
  stream.close()
  const text = await new Response(stream.body).text()
  // Each chain's own once.
  expect(written).toBeLessThan(2 * ids.length)
  expect([...text.matchAll(/^id: (\S+)$/gmu)].map(([, id]) => id)).toEqual(
    moved.map((position) => positionsText(positions.with(4, position))),
  )
})

/** By a stream of several chains, whose first one is of another ledger. */
const gone = (position: ChainPosition) => ({ ...position, birth: "ffffff", hash: "0123456789abcdef" })

test("where one chain's position is gone the others go on where they stand", async () => {
  const after = (await beginnings()).map((position) => ({ ...position, at: endOfBlock(0), final: -1 }))
  const [first, ...others] = after
  for (const [position, reason] of [
    [gone(first!), "the ledger was built anew since"],
    [{ ...first!, settings: "abcdef" }, "the ledger was replaced by one with other settings"],
  ] as const) {
    const response = await service.fetch(`${prefix("all")}/events?after=${positionsText([position, ...others])}`)
    expect(response.status).toBe(410)
    const { message } = (await response.json()) as { message: string }
    expect(message).toStartWith(`chain 1: ${reason}`)
    expect(message).toEndWith(`: forget all that was told of it, and go on with after=${positionsText(others)}`)
  }
})

test("also where it is gone while the stream tells", async () => {
  const [first, other] = await beginnings()
  const told = new EventsGone({ reason: "rows are no longer kept", block: 3, after: positionText(first!) })
  const hub = always<EventHub["Service"]>(Effect.never, {
    subscribe: ({ chainId }) => (chainId === "1" ? Effect.fail(told) : Effect.never),
  })
  const unread = new Unread(1e9)
  const wish = { filter: {}, onlyFinal: false, caller: "one", beats: new Beats(1000), unread, patienceMs: 1000 }
  const stream = new EventStream(Context.make(EventHub, hub), {
    ...wish,
    chains: [first!, other!].map((start) => ({ chainId: start.chainId, start })),
    ...{ isLetIn: () => true, ended: () => {}, dropped: () => {} },
  })
  const [, data] = /event: gone\ndata: (.*)/.exec(await new Response(stream.body).text())!
  expect(JSON.parse(data!)).toEqual({
    chainId: "1",
    message: `chain 1: rows are no longer kept: forget what was told of blocks above 3, and go on with after=${positionsText([first!, other!])}`,
    after: positionsText([first!, other!]),
  })
})
