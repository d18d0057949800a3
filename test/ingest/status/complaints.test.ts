/** Lines of the log about refused answers: the first at once, then ever fewer. */
import { expect, test } from "bun:test"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { makeComplaints } from "../../../src/domain/ingest/status/complaints.ts"
import { ChainId } from "../../../src/model/primitives.ts"

/** What is logged while it is complained of. */
const linesOf = async (story: (complain: ReturnType<typeof makeComplaints>) => Effect.Effect<void>) => {
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push([message].flat().join(" ")))])
  await Effect.runPromise(
    Effect.suspend(() => story(makeComplaints(ChainId.make("1")))).pipe(
      Effect.provide(logger),
      Effect.provide(TestClock.layer()),
    ),
  )
  return lines
}

test("a fault that goes on for a day is a line at once, after one minute, two, four, and then each hour", async () => {
  const lines = await linesOf((complain) =>
    Effect.gen(function* () {
      for (let second = 0; second < 86_400; second += 10) {
        yield* complain("logs", `of second ${second}`)
        yield* TestClock.adjust(10_000)
      }
    }),
  )
  expect(lines.slice(0, 3)).toEqual([
    "chain 1: an answer of the node is refused (logs): of second 0",
    "chain 1: an answer of the node is refused (logs): of second 60 (and 5 more of this kind since the last line)",
    "chain 1: an answer of the node is refused (logs): of second 180 (and 11 more of this kind since the last line)",
  ])
  expect(lines.length).toBe(29)
})

test("kinds are told apart, and one that has not come for ten minutes is new", async () => {
  const lines = await linesOf((complain) =>
    Effect.gen(function* () {
      yield* complain("logs", "a")
      yield* complain("time", "b")
      yield* complain("logs", "c")
      yield* TestClock.adjust(600_000)
      yield* complain("logs", "d")
    }),
  )
  expect(lines.map((line) => line.slice("chain 1: an answer of the node is refused ".length))).toEqual([
    "(logs): a",
    "(time): b",
    "(logs): d",
  ])
})
