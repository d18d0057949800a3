/** How many streams of events are begun: by a caller a second, and by all in rotation. */
import { expect, test } from "bun:test"
import { Effect, Exit, Fiber } from "effect"
import { makeBeginnings } from "../../src/adapters/http/events/beginnings.ts"
import { prefix, startService } from "./support.ts"

const outcomes = async (beginnings: ReturnType<typeof makeBeginnings>, caller: string, times: number) => {
  const exits = await Promise.all(
    Array.from({ length: times }, () => Effect.runPromise(Effect.exit(beginnings.take(caller)))),
  )
  return exits.filter(Exit.isSuccess).length
}

test("a caller begins as many as it may have at once, then so many a second; another caller is not asked to wait for it", async () => {
  let time = 0
  const beginnings = makeBeginnings({ atOnce: 30, perSecond: 5 }, () => time)
  expect(await outcomes(beginnings, "a", 50)).toBe(30)
  expect(await outcomes(beginnings, "a", 10)).toBe(0)
  expect(await outcomes(beginnings, "b", 10)).toBe(10)
  time += 1000
  expect(await outcomes(beginnings, "a", 10)).toBe(5)
  const exit = await Effect.runPromise(Effect.flip(beginnings.take("a")))
  expect(exit).toMatchObject({ _tag: "RateLimited", retryAfter: 1 })
  expect(exit.message).toBe(
    "too many streams of events were begun: a caller may begin 5 a second (EVENT_STREAMS_PER_SECOND), try again in 1 seconds",
  )
  time += 60_000
  expect(await outcomes(beginnings, "a", 50)).toBe(30)
})

test("who has fewer a second than one waits as long", async () => {
  let time = 0
  const beginnings = makeBeginnings({ atOnce: 1, perSecond: 0.25 }, () => time)
  expect(await outcomes(beginnings, "a", 1)).toBe(1)
  time += 1000
  expect(await Effect.runPromise(Effect.flip(beginnings.take("a")))).toMatchObject({ retryAfter: 3 })
})

test("who comes behind a caller with hundreds that wait is next but a few, and who leaves makes room", async () => {
  const beginnings = makeBeginnings({ atOnce: 10_000, perSecond: 1 })
  const order: Array<string> = []
  const ask = (caller: string) =>
    Effect.runFork(Effect.tap(beginnings.take(caller), () => Effect.sync(() => order.push(caller))))
  const flood = Array.from({ length: 400 }, () => ask("flood"))
  // Those that gave up are not waited for.
  await Promise.all(flood.slice(100).map((fiber) => Effect.runPromise(Fiber.interrupt(fiber))))
  const other = ask("other")
  await Effect.runPromise(Fiber.join(other))
  expect(order.indexOf("other")).toBeLessThan(40)
  await Promise.all(flood.slice(0, 100).map((fiber) => Effect.runPromise(Fiber.join(fiber))))
  expect(order).toHaveLength(101)
})

test("more than wait at once are refused, with a time to come back", async () => {
  const beginnings = makeBeginnings({ atOnce: 10_000, perSecond: 1 })
  const exits = Array.from({ length: 700 }, () => Effect.runFork(Effect.exit(beginnings.take("a"))))
  const refused = await Promise.all(exits.map((fiber) => Effect.runPromise(Fiber.join(fiber))))
  const failures = refused.flatMap((exit) => (Exit.isFailure(exit) ? [exit] : []))
  expect(failures.length).toBeGreaterThan(100)
  expect(failures.length).toBeLessThan(250)
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
