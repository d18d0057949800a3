/** When a first sync is loaded in bulk, and when it is appended for people to see. */
import { expect, test } from "bun:test"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { chooseWay, finishLoad } from "../../src/domain/ingest/backfill/bulk.ts"
import { watchProgress } from "../../src/domain/ingest/backfill/progress.ts"
import type { FollowState } from "../../src/domain/ingest/state/FollowState.ts"
import { type BulkLoading, LedgerUnavailable } from "../../src/ports/Ledger.ts"
import { hash } from "../support/chain/testChain.ts"

interface Case {
  readonly bulk?: "auto" | "on" | "off"
  /** Blocks to come; default 10,000. */
  readonly blocks?: number
  /** Logs of a block; undefined = the node would not say. */
  readonly logsPerBlock?: number | ((block: number) => number)
  /** A look at the chain takes so long: four go at once, of 24. */
  readonly lookMs?: number
  readonly stored?: boolean
  readonly loading?: boolean
  readonly incapable?: boolean
  /** The node answers no look at all. */
  readonly silent?: boolean
}

const begins = async (asked: Case) => (await chosen(asked)).begun

/** Which way was chosen, what the log said, and after how many seconds. */
const chosen = async ({
  bulk,
  blocks = 10_000,
  logsPerBlock,
  lookMs = 0,
  stored,
  loading,
  incapable,
  silent,
}: Case): Promise<{ readonly begun: boolean; readonly logs: ReadonlyArray<string>; readonly seconds: number }> => {
  let begun = false
  const logs: Array<string> = []
  const logsOf = (block: number) => (typeof logsPerBlock === "function" ? logsPerBlock(block) : logsPerBlock)
  const answerOf = ({ from, to }: { readonly from: number; readonly to: number }) => {
    const each = logsOf(from)
    if (each === undefined) return Effect.fail("no")
    return Effect.succeed({ logs: { length: each * (to - from + 1) } })
  }
  const state = {
    settings: { chainId: "1", finality: 64, startBlock: 0, rpcConcurrency: 4, ...(bulk && { bulk }) },
    nodeHead: blocks + 63,
    report: { progress: () => undefined, reached: () => undefined },
    source: {
      answerOfRange: (range: { readonly from: number; readonly to: number }) =>
        silent ? Effect.never : Effect.andThen(Effect.sleep(lookMs), answerOf(range)),
    },
    ledger: {
      checkpoint: () => ({
        nextBlock: 0,
        firstBlock: 0,
        finalizedBlock: -1,
        ...(stored && { head: { number: 0, hash: hash("0"), parentHash: hash("1"), time: 0 } }),
      }),
      ...(incapable !== true && {
        bulk: {
          isLoading: () => loading === true,
          begin: Effect.sync(() => {
            begun = true
          }),
        },
      }),
    },
  } as unknown as FollowState
  const seconds = await Effect.gen(function* () {
    const progress = yield* watchProgress(state, { blocksTold: 0 })
    const choosing = yield* Effect.forkScoped(chooseWay(state, progress))
    let seconds = 0
    for (yield* TestClock.adjust(0); choosing.pollUnsafe() === undefined && seconds < 600; seconds++)
      yield* TestClock.adjust(1000)
    yield* Fiber.join(choosing)
    return seconds
  }).pipe(
    Effect.scoped,
    Effect.provide(Logger.layer([Logger.make(({ message }) => void logs.push(String(message)))])),
    Effect.provide(TestClock.layer()),
    Effect.runPromise,
  )
  return { begun, logs, seconds }
}

test("a chain of many logs is loaded in bulk, a small one is not: it answers from its first seconds", async () => {
  expect(await begins({ logsPerBlock: 25 })).toBe(true)
  expect(await begins({ logsPerBlock: 24 })).toBe(false)
  expect(await begins({ bulk: "auto", logsPerBlock: 1000 })).toBe(true)
})

test("where nobody knows how many logs there are, they are appended", async () => {
  expect(await begins({})).toBe(false)
  expect(await begins({ silent: true })).toBe(false)
})

test("a node that answers slowly is waited for where the chain is long; a short one is begun by what was answered", async () => {
  const long = { blocks: 200_000, logsPerBlock: 25 }
  expect(await chosen({ ...long, lookMs: 500 })).toMatchObject({ begun: true, seconds: 3 })
  // 16 of 24 looks are enough, and four are not.
  expect(await chosen({ ...long, lookMs: 1200 })).toMatchObject({ begun: true, seconds: 5 })
  expect(await chosen({ ...long, lookMs: 3000 })).toMatchObject({ begun: true, seconds: 18 })
  expect(await chosen({ ...long, lookMs: 25_000 })).toMatchObject({ begun: true, seconds: 60 })
  expect(await chosen({ logsPerBlock: 25, lookMs: 3000 })).toMatchObject({ begun: true, seconds: 5 })
  expect(await chosen({ silent: true })).toMatchObject({ begun: false, seconds: 5, logs: [] })
})

test("the first looks that are answered lie all over the chain: its end may hold all", async () => {
  const logsPerBlock = (block: number) => (block < 140_000 ? 0 : 25)
  expect(await chosen({ blocks: 200_000, logsPerBlock, lookMs: 1200 })).toMatchObject({ begun: true, seconds: 5 })
})

test("that a long chain is appended is told, with the way to the other where nobody knows how much there is", async () => {
  const long = { blocks: 200_000 }
  expect(await chosen({ ...long, logsPerBlock: 1 })).toMatchObject({
    begun: false,
    logs: ["chain 1: about 200,000 logs to go: they are appended, and can be read as they come"],
  })
  const unknown = "nobody knows how many logs are to go: they are appended, which takes long where they are many"
  const way = "BULK_1=on and cowry resync 1 load them in bulk"
  expect(await chosen({ ...long, silent: true })).toMatchObject({
    begun: false,
    seconds: 60,
    logs: [`chain 1: the node answered 0 of 24 looks at the chain, so ${unknown}: ${way}`],
  })
  expect((await chosen({ ...long, logsPerBlock: 1, lookMs: 31_000 })).logs).toEqual([
    `chain 1: the node answered 4 of 24 looks at the chain, so ${unknown}: ${way}`,
  ])
  expect((await chosen({ ...long })).logs[0]).toContain("answered 0 of 24 looks")
})

test("the setting decides, where it is not auto", async () => {
  expect(await begins({ bulk: "on" })).toBe(true)
  expect(await begins({ bulk: "on", silent: true })).toBe(true)
  expect(await begins({ bulk: "off", logsPerBlock: 1000 })).toBe(false)
})

test("only an empty ledger is loaded, once, of a store that can", async () => {
  expect(await begins({ bulk: "on", stored: true })).toBe(false)
  expect(await begins({ bulk: "on", loading: true })).toBe(false)
  expect(await begins({ bulk: "on", incapable: true })).toBe(false)
})

test("how far a load is cannot be read for a while: it goes on, and its phase is told as soon as it can", async () => {
  const steps = ["deriving", "indexing"] as const
  const phases: Array<string> = []
  let [asked, derived] = [0, 0]
  const loading: BulkLoading = {
    isLoading: () => true,
    takesRows: () => false,
    begin: Effect.void,
    derive: Effect.sync(() => ++derived < 3),
    isHeldUp: () => false,
    progress: Effect.suspend(() =>
      asked++ === 0
        ? Effect.fail(new LedgerUnavailable({ cause: new Error("the pool is full") }))
        : Effect.succeed({ step: steps[derived - 1]!, done: 0 }),
    ),
  }
  const report = { phase: (phase: string) => void phases.push(phase) }
  await Effect.runPromise(finishLoad({ report } as unknown as FollowState, loading))
  expect(derived).toBe(3)
  expect(phases).toEqual([...steps, "backfill"])
})

test("a load that others keep from its place leaves them time between its tries, and says what it waits for", async () => {
  let tries = 0
  const loading: BulkLoading = {
    isLoading: () => true,
    takesRows: () => false,
    begin: Effect.void,
    derive: Effect.sync(() => ++tries < 1000),
    isHeldUp: () => true,
    progress: Effect.succeed({ step: "indexing", done: 1 }),
  }
  let problem: string | undefined
  const logs: Array<string> = []
  const report = {
    phase: () => {},
    problem: (text: string | undefined) => {
      problem = text
    },
  }
  const state = { report, settings: { chainId: "1" } } as unknown as FollowState
  await Effect.gen(function* () {
    const finishing = yield* Effect.forkScoped(finishLoad(state, loading))
    yield* TestClock.adjust(0)
    expect([tries, problem]).toEqual([1, undefined])
    yield* TestClock.adjust("1 minute")
    expect(tries).toBeLessThan(100)
    expect(problem).toContain("waits until nobody is in the empty ledger")
    expect(logs).toEqual([`chain 1: ${problem}`])
    yield* TestClock.adjust("1 hour")
    yield* Fiber.join(finishing)
    expect([tries, problem]).toEqual([1000, undefined])
  }).pipe(
    Effect.scoped,
    Effect.provide(Logger.layer([Logger.make(({ message }) => void logs.push(String(message)))])),
    Effect.provide(TestClock.layer()),
    Effect.runPromise,
  )
})
