/** How many streams of events a caller begins. */
import { describe, expect, test } from "bun:test"
import { Context, Effect, Layer, Result } from "effect"
import { type Beginnings, makeBeginnings } from "../../src/adapters/http/events/beginnings.ts"
import { EventHub } from "../../src/domain/events/EventHub.ts"
import { type ReadServer, ReadServers } from "../../src/ports/ReadServers.ts"
import { TestChain } from "../support/chain/testChain.ts"
import { prefix, startService, store } from "./support.ts"

const begun = (beginnings: Beginnings, caller: string, times: number) =>
  Array.from({ length: times }, () => beginnings.take(caller)).filter(Result.isSuccess).length

test("a caller begins as many as it may have at once, then so many a second; another caller has its own", () => {
  let time = 0
  const beginnings = makeBeginnings({ atOnce: 30, perSecond: 5 }, () => time)
  expect(begun(beginnings, "a", 50)).toBe(30)
  expect(begun(beginnings, "a", 10)).toBe(0)
  expect(begun(beginnings, "b", 10)).toBe(10)
  time += 1000
  expect(begun(beginnings, "a", 10)).toBe(5)
  const refused = Result.getOrThrow(Result.flip(beginnings.take("a")))
  expect(refused).toMatchObject({ _tag: "RateLimited", retryAfter: 1 })
  expect(refused.message).toBe(
    "too many streams of events were begun: a caller may begin 5 a second (EVENT_STREAMS_PER_SECOND), try again in 1 seconds",
  )
  time += 60_000
  expect(begun(beginnings, "a", 50)).toBe(30)
})

test("who has fewer a second than one waits as long", () => {
  let time = 0
  const beginnings = makeBeginnings({ atOnce: 1, perSecond: 0.25 }, () => time)
  expect(begun(beginnings, "a", 1)).toBe(1)
  time += 1000
  expect(Result.getOrThrow(Result.flip(beginnings.take("a")))).toMatchObject({ retryAfter: 3 })
})

test("ten thousand callers are known; whoever asked least lately is forgotten, and begins anew", () => {
  const beginnings = makeBeginnings({ atOnce: 1, perSecond: 1 }, () => 0)
  expect(begun(beginnings, "a", 2)).toBe(1)
  for (let other = 0; other < 9_999; other++) beginnings.take(`other ${other}`)
  expect(begun(beginnings, "a", 1)).toBe(0)
  for (let other = 0; other < 10_000; other++) beginnings.take(`another ${other}`)
  expect(begun(beginnings, "a", 2)).toBe(1)
})

test("of a service: 429 with Retry-After, and a stream that was refused is none of the caller's open ones", async () => {
  const service = await startService({ eventStreams: 2, eventStreamsPerSecond: 1 })
  const begin = () => service.fetch(`${prefix("43114")}/events`)
  for (const response of [await begin(), await begin()]) {
    expect(response.status).toBe(200)
    await response.body!.cancel()
  }
  const third = await begin()
  expect([third.status, Number(third.headers.get("retry-after"))]).toEqual([429, 1])
  expect(((await third.json()) as { message: string }).message).toContain("a caller may begin 1 a second")
  await Bun.sleep(1100)
  const again = await begin()
  expect(again.status).toBe(200)
  await again.body!.cancel()
  await service.close()
})

describe("what a caller has open is counted down however its request ends", () => {
  const most = 3
  const begun = async (init: RequestInit) => {
    const service = await startService({ eventStreams: most, eventStreamsPerSecond: 1_000_000 })
    await store(service, "43114", new TestChain().block())
    const statuses: Array<number> = []
    const path = `${prefix("43114")}/events`
    // The ones that are refused wait for the block, all at once.
    for (const requests of [most, most]) {
      const ask = async (init: RequestInit) => {
        const response = await service.fetch(path, init)
        await response.body?.cancel()
        return response.status
      }
      const ofAll = await Promise.all(Array.from({ length: requests }, () => ask(init)))
      statuses.push(...ofAll)
      // None is left over: as many may be open as before.
      const open = await Promise.all(Array.from({ length: most }, () => service.fetch(path)))
      expect(open.map(({ status }) => status)).toEqual(open.map(() => 200))
      for (const { body } of open) await body!.cancel()
    }
    await service.close()
    return [...new Set(statuses)]
  }

  test("with x-min-block", async () => {
    expect(await begun({ headers: { "x-min-block": "43114:0" } })).toEqual([200])
  })
  test("with x-min-block of a block that is not there", async () => {
    expect(await begun({ headers: { "x-min-block": "43114:1" } })).toEqual([503])
  })
  test("asked for the headers alone", async () => {
    expect(await begun({ method: "HEAD", headers: { "x-min-block": "43114:0" } })).toEqual([200])
  })
  test("where the caller left before the answer", async () => {
    expect(await begun({ signal: AbortSignal.abort() })).toEqual([503])
  })
})

test("beside x-min-block a stream is begun once", async () => {
  const service = await startService({ eventStreams: 2, eventStreamsPerSecond: 0.001 })
  await store(service, "43114", new TestChain().block())
  const begin = () => service.fetch(`${prefix("43114")}/events`, { headers: { "x-min-block": "43114:0" } })
  for (const status of [200, 200, 429]) {
    const response = await begin()
    await response.body!.cancel()
    expect(response.status).toBe(status)
  }
  await service.close()
})

test("a stream outlives the server that its beginning was read of", async () => {
  const Chosen = Context.Reference<number | undefined>("chosen", { defaultValue: () => undefined })
  const server: ReadServer = {
    ...{ label: "only", isPrimary: true, isStandby: false, takesWrites: true },
    ...{ isReached: true, isUsed: true },
  }
  const reads = Layer.succeed(ReadServers, {
    list: () => [server],
    on: (place, reading) => Effect.provideService(reading, Chosen, place),
    chosen: Chosen,
  })
  const chosen: Array<number | undefined> = []
  const { promise: subscribed, resolve } = Promise.withResolvers<void>()
  const note = Effect.map(Chosen, (place) => void chosen.push(place))
  const hub = Layer.succeed(EventHub, {
    next: () => Effect.as(note, undefined),
    startPosition: () => Effect.undefined,
    subscribe: () => Effect.andThen(Effect.ensuring(note, Effect.sync(resolve)), Effect.never),
    counts: () => ({ live: 0, behind: 0 }),
  })
  const service = await startService({ replace: Layer.merge(reads, hub) as unknown as Layer.Layer<never> })
  await store(service, "43114", new TestChain().block())
  const path = `${prefix("all")}/events`
  const { body } = await service.fetch(path, { headers: { "x-min-block": "43114:0" } })
  await subscribed
  await body!.cancel()
  const [beginnings, streams] = [chosen.filter((it) => it === 0), chosen.filter((it) => it === undefined)]
  expect([beginnings.length, streams.length]).toEqual([3, 3])
  await service.close()
})
