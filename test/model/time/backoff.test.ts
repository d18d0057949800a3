/** Waits double after each failure in a row, up to a cap; who waits there and then waits half of that at least. */
import { expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { backoffMs, sleepBackoff } from "../../../src/model/time/backoff.ts"

const backoff = { firstMs: 500, capMs: 30_000 }

test("the wait doubles up to the cap, however many failures there were", () => {
  expect([0, 1, 2, 5, 6, 7, 5000].map((failures) => backoffMs(backoff, failures))).toEqual([
    500, 1000, 2000, 16_000, 30_000, 30_000, 30_000,
  ])
})

test("a sleep is less than the wait by up to a half", async () => {
  const ended = await Effect.runPromise(
    Effect.gen(function* () {
      const sleeping = yield* Effect.forkChild(sleepBackoff(backoff, 2))
      yield* TestClock.adjust(999)
      const early = sleeping.pollUnsafe() !== undefined
      yield* TestClock.adjust(1001)
      yield* Fiber.join(sleeping)
      return early
    }).pipe(Effect.provide(TestClock.layer())),
  )
  expect(ended).toBe(false)
})
