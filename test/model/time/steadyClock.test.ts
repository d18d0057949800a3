/** Lifetimes in effect's caches, by a clock that only ever passes. */
import { afterEach, describe, expect, test } from "bun:test"
import { Cache, Clock, Deferred, Effect, Fiber } from "effect"
import { onSteadyClock } from "../../../src/model/time/steadyClock.ts"

const now = Date.now
afterEach(() => {
  Date.now = now
})

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const lifetimeMs = 200

/** A cache of one key, and how often it was looked up. */
const cached = (lookup: Effect.Effect<void>) => {
  let count = 0
  const counted = Effect.andThen(
    Effect.sync(() => count++),
    lookup,
  )
  const cache = Effect.runSync(Cache.make({ capacity: 1, timeToLive: lifetimeMs, lookup: (_: string) => counted }))
  return { get: onSteadyClock(Cache.get(cache, "key")), count: () => count }
}

describe("what is kept for a while", () => {
  test.each([-3_600_000, 3_600_000])("is kept that long where the machine's clock is put %i ms on", async (shift) => {
    const { get, count } = cached(Effect.void)
    await Effect.runPromise(get)
    Date.now = () => now() + shift
    await Effect.runPromise(get)
    expect(count()).toBe(1)
    await pause(lifetimeMs + 50)
    await Effect.runPromise(get)
    expect(count()).toBe(2)
  })

  test("is kept no longer where whoever asked for it first has left", async () => {
    const latch = Deferred.makeUnsafe<void>()
    const { get, count } = cached(Deferred.await(latch))
    const [first, second] = [Effect.runFork(get), Effect.runFork(get)]
    await pause(10)
    await Effect.runPromise(Fiber.interrupt(first))
    await Effect.runPromise(Deferred.succeed(latch, undefined))
    await Effect.runPromise(Fiber.join(second))
    await pause(lifetimeMs + 50)
    await Effect.runPromise(get)
    expect(count()).toBe(2)
  })
})

test("what runs inside is told the time of day", async () => {
  const told = await Effect.runPromise(onSteadyClock(Clock.currentTimeMillis))
  expect(Math.abs(told - now())).toBeLessThan(60_000)
})
