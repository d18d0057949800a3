/** Values kept by key: what is missing is asked for in one go, the least wanted go first, lifetimes pass by the steady clock. */
import { describe, expect, test } from "bun:test"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type BatchCacheOptions, makeBatchCache } from "../../../src/model/time/batchCache.ts"

/** A cache over lengths of words, and the words of each question. */
const watched = (options: Partial<BatchCacheOptions<number>> = {}) => {
  const cache = makeBatchCache<string, number>({ capacity: 100, ...options })
  const asked: Array<string> = []
  const recall = (...words: ReadonlyArray<string>) =>
    cache.recall(
      words,
      (word) => word.toLowerCase(),
      (missing) => {
        asked.push(missing.join(" "))
        return Effect.succeed(missing.map(({ length }) => length))
      },
    )
  return { cache, asked, recall }
}

describe("recall", () => {
  test("asks for what is missing in one go, in order, and for nothing where all is kept", async () => {
    const { asked, recall } = watched()
    expect(await Effect.runPromise(recall("a", "bb"))).toEqual([1, 2])
    expect(await Effect.runPromise(recall("ccc", "BB", "a", "dddd"))).toEqual([3, 2, 1, 4])
    expect(await Effect.runPromise(recall("dddd", "a"))).toEqual([4, 1])
    expect(await Effect.runPromise(recall())).toEqual([])
    expect(asked).toEqual(["a bb", "ccc dddd"])
  })

  test("keeps nothing of a question that fails", async () => {
    const { cache, asked, recall } = watched()
    const failing = cache.recall(
      ["a"],
      (word) => word,
      () => Effect.fail("down"),
    )
    expect(await Effect.runPromise(Effect.flip(failing))).toBe("down")
    expect(await Effect.runPromise(recall("a"))).toEqual([1])
    expect(asked).toEqual(["a"])
  })

  test("answers all of a question that is larger than the cache", async () => {
    const { asked, recall } = watched({ capacity: 2 })
    expect(await Effect.runPromise(recall("a", "bb", "ccc"))).toEqual([1, 2, 3])
    expect(await Effect.runPromise(recall("bb", "ccc"))).toEqual([2, 3])
    expect(asked).toEqual(["a bb ccc"])
  })
})

test("of more than there is room for those go that nobody wanted for longest", async () => {
  const { cache, recall } = watched({ capacity: 2 })
  await Effect.runPromise(recall("a", "bb"))
  await Effect.runPromise(recall("a"))
  await Effect.runPromise(recall("ccc"))
  expect([...(await Effect.runPromise(cache.find(["a", "bb", "ccc"])))]).toEqual([
    ["a", 1],
    ["ccc", 3],
  ])
})

test("a value that is good for no time is not kept, and takes the place of none", async () => {
  const { cache } = watched({ lifetimeMs: (value) => (value === 0 ? 0 : Number.POSITIVE_INFINITY) })
  await Effect.runPromise(cache.keep([["a", 0]]))
  expect((await Effect.runPromise(cache.find(["a"]))).size).toBe(0)
})

test("a lifetime passes by the clock that only passes, wherever the wall clock jumps", async () => {
  const { cache } = watched({ lifetimeMs: () => 1000 })
  let hours = 0
  const sizes = await Effect.runPromise(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const jumping: Clock.Clock = {
        ...clock,
        currentTimeMillisUnsafe: () => hours * 3_600_000,
        currentTimeMillis: Effect.sync(() => hours * 3_600_000),
      }
      const story = Effect.gen(function* () {
        const found: Array<number> = []
        yield* cache.keep([["a", 1]])
        for (const [jump, ms] of [
          [5, 999],
          [-40, 1],
        ] as const) {
          hours = jump
          yield* Effect.sleep(ms)
          found.push((yield* cache.find(["a"])).size)
        }
        return found
      }).pipe(Effect.provideService(Clock.Clock, jumping))
      const running = yield* Effect.forkChild(story)
      yield* TestClock.adjust(1000)
      return yield* Fiber.join(running)
    }).pipe(Effect.provide(TestClock.layer())),
  )
  expect(sizes).toEqual([1, 0])
})
