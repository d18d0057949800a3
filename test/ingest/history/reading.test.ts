/** When a history is left for a while, and what is said of one that told what is not so. */
import { expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { leave, makeHistory, takeUnseen } from "../../../src/domain/ingest/history/History.ts"
import { makeHistoryReading } from "../../../src/domain/ingest/history/readHistory.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { steadyMillis } from "../../../src/model/time/steadyClock.ts"
import { type HistoryClient, HistoryUnavailable } from "../../../src/ports/HistorySource.ts"
import type { HistoryStatus } from "../../../src/ports/SyncStatus.ts"

const chainId = ChainId.make("1")

/** A source that gives so many blocks at a time, each time after so long. */
const sourceOf = (blocks: number, everyMs: number): HistoryClient => ({
  label: "portal",
  span: Effect.succeed({ from: 0, to: 1_000_000 }),
  read: (from) => {
    let next = from
    const part = () => {
      const headers = Array.from({ length: blocks }, (_, place) => ({ number: next + place }) as never)
      next += blocks
      return { headers, logs: [], bytes: 0 }
    }
    return Effect.succeed({ next: Effect.map(Effect.sleep(everyMs), part) })
  },
})

const historyOf = (client: HistoryClient, startBlock = 0) => {
  const told: Array<HistoryStatus> = []
  const settings = { chainId, startBlock, historyCheck: 100 }
  return { history: makeHistory(settings, client, { history: (status) => void told.push(status) }), told }
}

/** What each of so many looks at it came to: the blocks, or that the node goes on. */
const taken = (client: HistoryClient, looks: number) => {
  const { history } = historyOf(client)
  return Effect.gen(function* () {
    const reading = yield* makeHistoryReading(history)
    const found: Array<string> = []
    let next = 0
    for (let look = 0; look < looks; look++) {
      const fiber = yield* Effect.forkChild(reading.take({ from: next, to: 1_000_000 }))
      for (let second = 0; second < 20 && fiber.pollUnsafe() === undefined; second++) yield* TestClock.adjust(1000)
      const part = yield* Fiber.join(fiber)
      found.push(part === undefined ? `node: ${history.status.left}` : `${part.range.from}-${part.range.to}`)
      if (part !== undefined) next = part.range.to + 1
    }
    return { found, left: history.status.left }
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
}

test("one that gives few blocks, and those slowly, is left for the node; what it gave is taken", async () => {
  const { found } = await taken(sourceOf(1, 4000), 6)
  const left = "node: portal: it is slow, blocks: 1 in 4 s"
  expect(found).toEqual(["0-0", "1-1", "2-2", "3-3", left, left])
})

/** Seconds for which a history is left once so many of its parts were asked for. */
const restOf = (client: HistoryClient, parts: number) => {
  const { history } = historyOf(client)
  return Effect.gen(function* () {
    const reading = yield* makeHistoryReading(history)
    for (let block = 0; block < parts; block++) {
      const fiber = yield* Effect.forkChild(reading.take({ from: block, to: 1_000_000 }))
      while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust(1000)
    }
    return (history.restsUntil - (yield* steadyMillis)) / 1000
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
}

test("who was waited for is left for ten times as long: what failed, and what was slow", async () => {
  const gone = new HistoryUnavailable({ kind: "call", message: "portal: nothing came" })
  const hangs = { ...sourceOf(1, 0), span: Effect.andThen(Effect.sleep(120_000), Effect.fail(gone)) }
  expect(await restOf(hangs, 1)).toBe(1200)
  expect(await restOf(sourceOf(1, 4000), 4)).toBe(160)
})

test("a reader that has much to pass over first is not slow: its next parts show", async () => {
  const source = sourceOf(1, 0)
  const resumed: HistoryClient = {
    ...source,
    read: (from, to) =>
      Effect.map(source.read(from, to), ({ next }) => {
        let given = 0
        return { next: Effect.suspend(() => Effect.andThen(Effect.sleep(given++ === 0 ? 15_000 : 0), next)) }
      }),
  }
  expect((await taken(resumed, 4)).found).toEqual(["0-0", "1-1", "2-2", "3-3"])
})

test("one that takes as long for many, or gives few at once, is not", async () => {
  for (const source of [sourceOf(1000, 4000), sourceOf(1, 0)]) {
    const { found, left } = await taken(source, 5)
    expect(found.filter((it) => it.startsWith("node"))).toEqual([])
    expect(left).toBeUndefined()
  }
})

test("what nobody compared is named by its blocks, and what an earlier process stored", async () => {
  const { history, told } = historyOf(sourceOf(1, 0), 10)
  history.begunAt = 500
  takeUnseen(history, { from: 600, to: 700 })
  takeUnseen(history, { from: 500, to: 599 })
  await Effect.runPromise(leave(history, "block 801 has another time there"))
  expect(told.at(-1)?.left).toBe(
    "portal: block 801 has another time there; 2 parts of blocks 500 to 700 that it told before were checked by sample only: a resync reads them again" +
      "; which of the blocks before 500 it told, and how they were checked, is not known any more, another process stored them: a resync reads those again too",
  )
})

test("where nothing was taken unseen, and nothing stored before, nothing is named", async () => {
  for (const begunAt of [10, undefined]) {
    const { history, told } = historyOf(sourceOf(1, 0), 10)
    history.begunAt = begunAt
    await Effect.runPromise(leave(history, "it lies"))
    expect(told.at(-1)?.left).toBe("portal: it lies")
  }
})
