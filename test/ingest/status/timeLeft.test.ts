/** How long the rest of a backfill takes, and how much of it lies where. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { logsIn, lookAtDensity, shareBefore } from "../../../src/domain/ingest/backfill/density.ts"
import { makePace } from "../../../src/domain/ingest/backfill/pace.ts"
import { RangeRefused } from "../../../src/ports/ChainSource.ts"

test("time left is by the pace of the last three minutes, not by that of the beginning", () => {
  const pace = makePace()
  expect(pace.mark(0, 0)).toEqual({ done: 0, secondsLeft: undefined })
  for (let second = 1; second <= 600; second++) {
    const left = pace.mark(second * 1000, second / 10_000).secondsLeft
    if (second >= 2) expect(left).toBeCloseTo(10_000 - second, -1)
  }
  // Ten times as fast from now on.
  for (let second = 1; second <= 200; second++) pace.mark((600 + second) * 1000, 0.06 + second / 1000)
  expect(pace.mark(801_000, 0.261).secondsLeft).toBeCloseTo(739, -1)
})

test("what does not move makes the rest longer, and is never unknown again", () => {
  const pace = makePace()
  for (let second = 0; second <= 100; second++) pace.mark(second * 1000, second / 1000)
  const before = pace.mark(101_000, 0.1).secondsLeft!
  for (let second = 102; second <= 1000; second++)
    expect(pace.mark(second * 1000, 0.1).secondsLeft).toBeGreaterThanOrEqual(before)
})

test("what stands still from the first look on takes longer and longer, and is known within half a minute", () => {
  const pace = makePace()
  const leftAt = (second: number, share: number) => pace.mark(second * 1000, share).secondsLeft
  expect([0, 10, 19].map((second) => leftAt(second, 0.98))).toEqual([undefined, undefined, undefined])
  expect(leftAt(20, 0.98)).toBeCloseTo(20, -1)
  expect(leftAt(100, 0.98)).toBeCloseTo(100, -1)
  expect(leftAt(101, 0.99)).toBeCloseTo(101, -1)
  expect(makePace().mark(0, 0.6).secondsLeft).toBeUndefined()
})

test("of work that has not begun nothing is known", () => {
  const pace = makePace()
  for (let second = 0; second < 100; second++) expect(pace.mark(second * 1000, 0).secondsLeft).toBeUndefined()
})

test("a guess that was a little too high is none of another goal: what was said stands; one far too high begins anew", () => {
  const pace = makePace()
  for (let second = 0; second <= 100; second++) pace.mark(second * 1000, second / 1000)
  const little = pace.mark(101_000, 0.09)
  expect(little.done).toBe(0.1)
  expect(little.secondsLeft).toBeGreaterThan(900)
  expect(pace.mark(102_000, 0.04)).toEqual({ done: 0.04, secondsLeft: undefined })
})

const sourceOf = (logsAt: (block: number) => number, refuses: (block: number) => boolean = () => false) => ({
  answerOfRange: ({ from, to }: { readonly from: number; readonly to: number }) =>
    refuses(from)
      ? Effect.fail(new RangeRefused({ message: "no" }))
      : Effect.succeed({
          logs: Array.from({ length: (to - from + 1) * logsAt(from) }) as never,
          possiblyEmpty: [],
          tellers: [],
        } as never),
})
const look = (source: ReturnType<typeof sourceOf>) =>
  Effect.runPromise(lookAtDensity(source, { from: 1000, to: 240_999 }, 4))

test("a chain whose second half holds all is nearly all to come at its half", async () => {
  const density = (await look(sourceOf((block) => (block < 121_000 ? 0 : 10))))!
  expect(logsIn(density)).toBeCloseTo(1_200_000, -4)
  expect(shareBefore(density, 1000)).toBe(0)
  expect(shareBefore(density, 121_000)).toBeLessThan(0.1)
  expect(shareBefore(density, 181_000)).toBeCloseTo(0.52, 1)
  expect(shareBefore(density, 241_000)).toBeCloseTo(1, 9)
  expect(shareBefore(density, 999_999)).toBeCloseTo(1, 9)
})

test("looks that are refused count as the others do; where all are, nothing is said", async () => {
  const density = (await look(
    sourceOf(
      () => 6,
      (block) => block % 3 === 0,
    ),
  ))!
  expect(logsIn(density)).toBeCloseTo(6 * 240_000, 0)
  expect(
    await look(
      sourceOf(
        () => 6,
        () => true,
      ),
    ),
  ).toBeUndefined()
})
