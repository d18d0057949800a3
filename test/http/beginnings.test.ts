/** How many streams of events a caller begins. */
import { expect, test } from "bun:test"
import { Result } from "effect"
import { type Beginnings, makeBeginnings } from "../../src/adapters/http/events/beginnings.ts"
import { prefix, startService } from "./support.ts"

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
