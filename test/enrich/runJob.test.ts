/** The turns of a job beside the ledger: what it lists, asks and records, however much there is. */
import { expect, test } from "bun:test"
import { Effect, Latch } from "effect"
import { TestClock } from "effect/testing"
import type { Job } from "../../src/domain/enrich/job.ts"
import { runJob } from "../../src/domain/enrich/runJob.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { LedgerUnavailable } from "../../src/ports/Ledger.ts"

/** Numbers that are open, in order, and how often they were listed. */
const openNumbers = (count: number, ask: (asked: ReadonlyArray<number>) => Effect.Effect<void> = () => Effect.void) => {
  const open = new Set(Array.from({ length: count }, (_, at) => at))
  const lists: Array<number> = []
  const asked: Array<number> = []
  const job: Job<number, string> = {
    batchSize: 10,
    recordSize: 50,
    restMs: 100,
    list: (limit) =>
      Effect.sync(() => {
        lists.push(limit)
        return [...open].sort((one, other) => one - other).slice(0, limit)
      }),
    keyOf: String,
    groupOf: String,
    ask: (items) =>
      Effect.as(
        Effect.tap(ask(items), () => Effect.sync(() => asked.push(...items))),
        items.map((item) => `${item}`),
      ),
    record: (learned) => Effect.sync(() => learned.forEach(({ item }) => void open.delete(item))),
    isFinal: () => true,
    saysNothing: () => false,
  }
  return { job, open, lists, asked }
}

const passing = (job: Job<number, string>, body: Effect.Effect<void>) =>
  Effect.runPromise(
    Effect.gen(function* () {
      yield* Effect.forkChild(runJob(job, Latch.makeUnsafe(false)))
      yield* body
    }).pipe(Effect.provide(TestClock.layer()), Effect.scoped),
  )
const pass = (seconds: number) =>
  Effect.gen(function* () {
    for (let step = 0; step < seconds * 10; step++) yield* TestClock.adjust(100)
  })

test("many are listed once for many batches, each is asked about once, and all are recorded", async () => {
  const { job, open, lists, asked } = openNumbers(1000)
  await passing(job, pass(30))
  expect([...open]).toEqual([])
  expect(asked).toEqual(Array.from({ length: 1000 }, (_, at) => at))
  // A list for twenty batches of ten, and one that finds nothing.
  expect(lists.length).toBeLessThanOrEqual(7)
})

test("what is wanted first by now is asked about within ten seconds", async () => {
  const slow = openNumbers(200, () => Effect.sleep(4000))
  await passing(
    slow.job,
    Effect.gen(function* () {
      yield* pass(5)
      slow.open.add(-1)
      yield* pass(15)
    }),
  )
  expect(slow.asked).toContain(-1)
  expect(slow.asked.length).toBeLessThan(100)
})

test("what could not be recorded is listed again, behind what was not asked about yet", async () => {
  const { job, open, asked } = openNumbers(60)
  let failures = 1
  const record: typeof job.record = (learned) =>
    failures-- > 0 ? Effect.fail(new LedgerUnavailable({ cause: "full" })) : job.record(learned)
  await passing({ ...job, record }, pass(30))
  expect([...open]).toEqual([])
  expect(asked.filter((item) => item === 0)).toHaveLength(2)
  expect(asked.filter((item) => item === 55)).toHaveLength(1)
})

test("those whose failing takes longer than they are put off keep nobody waiting", async () => {
  const { job, open } = openNumbers(50)
  const isBad = (item: number) => item < 40
  const ask: typeof job.ask = (items) =>
    items.some(isBad)
      ? Effect.andThen(Effect.sleep(60_000), Effect.fail(new SourceUnavailable({ message: "execution aborted" })))
      : job.ask(items)
  const passed = Effect.gen(function* () {
    // Each ten of them take eleven minutes.
    for (let minute = 0; minute < 150; minute++) yield* TestClock.adjust(60_000)
  })
  await passing({ ...job, ask }, passed)
  expect([...open]).toEqual(Array.from({ length: 40 }, (_, at) => at))
})

test("what failed is asked again while many others wait, so that what is given up is so soon, and lists stay short", async () => {
  const { job, open, lists } = openNumbers(20_000)
  const given: Array<number> = []
  await passing(
    {
      ...job,
      ask: (items) => Effect.succeed(items.map(() => undefined)),
      record: (learned) =>
        Effect.tap(job.record(learned), () => Effect.sync(() => given.push(...learned.map(({ item }) => item)))),
      giveUp: { tries: 4, answer: "" },
    },
    pass(180),
  )
  expect(given).toContain(0)
  expect(open.size).toBeGreaterThan(0)
  expect(Math.max(...lists)).toBeLessThan(5000)
})
