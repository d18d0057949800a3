/** When a history is left for a while, and what is said of one that told what is not so. */
import { expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { leave, makeHistory, takeUnseen } from "../../../src/domain/ingest/history/History.ts"
import { makeHistoryReading } from "../../../src/domain/ingest/history/readHistory.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import type { HistoryClient } from "../../../src/ports/HistorySource.ts"
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
  const { found } = await taken(sourceOf(1, 4000), 5)
  expect(found).toEqual(["0-0", "1-1", "2-2", "node: portal: it is slow, blocks: 1 in 4 s", "3-3"])
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
