/** Waits after failures: how long, and what the chain's status says meanwhile. */
import { expect, test } from "bun:test"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { backoff, growingWaits, retryUnavailable, untilAnswered } from "../../../src/domain/ingest/status/retry.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"

const down = new SourceUnavailable({ kind: "call", message: "the node is out of order" })

/** Fails so often, then says "well"; `at` gets the times of its tries. */
const failing = (times: number, at: Array<number>) =>
  Effect.gen(function* () {
    at.push(yield* Clock.currentTimeMillis)
    return at.length > times ? "well" : yield* down
  })

const within = <Value>(hours: number, effect: Effect.Effect<Value>): Promise<Value> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(effect)
      yield* TestClock.adjust(hours * 3_600_000)
      return yield* Fiber.join(fiber)
    }).pipe(Effect.provide(TestClock.layer())),
  )

/** Each wait is of its longest, in milliseconds, at least the half. */
const expectWaits = (at: ReadonlyArray<number>, longest: ReadonlyArray<number>) => {
  const waits = at.slice(1).map((time, place) => time - at[place]!)
  expect(waits.length).toBe(longest.length)
  for (const [place, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(longest[place]! / 2)
    expect(wait).toBeLessThanOrEqual(longest[place]!)
  }
}

const usual = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]

test("double from half a second up to thirty, each less up to a half by chance", async () => {
  const at: Array<number> = []
  expect(await within(1, Effect.orDie(retryUnavailable(failing(usual.length, at))))).toBe("well")
  expectWaits(at, usual)
})

test("are as long for a thousand failures, and where another longest one is named", async () => {
  const many: Array<number> = []
  await within(9, Effect.orDie(retryUnavailable(failing(1000, many))))
  expectWaits(many, [...usual, ...Array(1000 - usual.length).fill(30_000)])
  const short: Array<number> = []
  await within(1, Effect.orDie(retryUnavailable(failing(5, short), growingWaits(2000))))
  expectWaits(short, [500, 1000, 2000, 2000, 2000])
})

test("are the same for who counts failures himself", async () => {
  const at: Array<number> = []
  const loop = Effect.gen(function* () {
    for (const failures of usual.keys()) {
      at.push(yield* Clock.currentTimeMillis)
      yield* backoff(failures)
    }
    at.push(yield* Clock.currentTimeMillis)
  })
  await within(1, loop)
  expectWaits(at, usual)
})

test("come only after failures of the node: others go through at once", async () => {
  let tries = 0
  const other = Effect.suspend(() => {
    tries++
    return Effect.fail({ _tag: "LedgerUnavailable" as const })
  })
  expect(await Effect.runPromise(Effect.flip(retryUnavailable(other)))).toEqual({ _tag: "LedgerUnavailable" })
  expect(tries).toBe(1)
})

test("while a question waits, each failure is reported, and the problem is gone with the answer; without one nothing is said", async () => {
  const said: Array<string | undefined> = []
  const report = {
    problem: (text: string | undefined) => void said.push(text),
    refused: ({ message }: SourceUnavailable) => Effect.sync(() => void said.push(message)),
  }
  expect(await within(1, untilAnswered(report, failing(2, [])))).toBe("well")
  expect(said.splice(0)).toEqual([down.message, down.message, undefined])
  expect(await within(1, untilAnswered(report, failing(0, [])))).toBe("well")
  expect(said).toEqual([])
})
