/** What people see of a chain's progress. */
import { describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as MemorySyncStatus from "../../../src/adapters/memory/MemorySyncStatus.ts"
import { changeLine, progressLine } from "../../../src/adapters/terminal/lines.ts"
import { showProgressOn } from "../../../src/adapters/terminal/progress.ts"
import { watchProgress } from "../../../src/domain/ingest/backfill/progress.ts"
import { noFaults } from "../../../src/model/fault.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { type ChainSyncStatus, SyncStatus, type SyncStatusPatch } from "../../../src/ports/SyncStatus.ts"

const one = ChainId.make("1")
const nine = ChainId.make("9")
const status = (more: Partial<ChainSyncStatus> = {}): ChainSyncStatus => ({
  chainId: one,
  phase: "backfill",
  firstBlock: 0,
  headBlock: 19_999_999,
  indexedBlock: 1_234_567,
  logs: 1_000_000,
  logsPerSecond: 45_120.4,
  blocksPerSecond: 2500,
  skipped: { malformed: 0, unknownPool: 0 },
  reorgs: { count: 0, blocks: 0, deepest: 0 },
  healed: 0,
  faults: noFaults,
  maxLag: 10,
  pollMs: 1000,
  ...more,
})

describe("a line", () => {
  test("says how far, how fast and how long still", () => {
    expect(progressLine(status())).toBe("chain 1: block 1,234,567 of 19,999,999, 6.2 %, 45,120 logs/s, 2 h 6 min left")
  })

  test("of a load names its step, and tells what is done and left of the work, not of the blocks", () => {
    const copied = { indexedBlock: 19_999_900, logsPerSecond: 0, blocksPerSecond: 0 }
    expect(progressLine(status({ ...copied, phase: "deriving", done: 0.7512, secondsLeft: 7300 }))).toBe(
      "chain 1: block 19,999,900 of 19,999,999, deriving, 75.1 %, 0 logs/s, 2 h 2 min left",
    )
    expect(progressLine(status({ done: 0.4 }))).toContain(", 40.0 %, ")
  })

  test("counts from START_BLOCK", () => {
    expect(progressLine(status({ firstBlock: 1_000_000, headBlock: 1_999_999, indexedBlock: 1_499_999 }))).toContain(
      "50.0 %",
    )
  })

  test("before the first block has no number, and says so of the rate", () => {
    const { indexedBlock: _, ...nothing } = status({ logsPerSecond: 0, blocksPerSecond: 0 })
    expect(progressLine(nothing)).toBe("chain 1: block – of 19,999,999, 0.0 %, 0 logs/s, unknown time left")
  })

  test("before the node answered says what is wrong", () => {
    const { headBlock: _, ...unheard } = status({ phase: "waiting" })
    expect(progressLine(unheard)).toBe("chain 1: waiting for the node")
    expect(progressLine({ ...unheard, problem: "https://node: HTTP 401" })).toBe("chain 1: https://node: HTTP 401")
  })

  test("of a change comes only with one", () => {
    const live = status({ phase: "live", indexedBlock: 20_000_000 })
    expect(changeLine(status(), status())).toBeUndefined()
    expect(changeLine(status(), live)).toBe("chain 1: live at block 20,000,000")
    expect(changeLine(live, { ...live, indexedBlock: 20_000_001 })).toBeUndefined()
    expect(changeLine(live, { ...live, problem: "no answer" })).toBe("chain 1: no answer")
    expect(changeLine({ ...live, problem: "no answer" }, live)).toBe("chain 1: all well again")
    expect(changeLine(live, { ...live, phase: "stopped", problem: "wrong chain" })).toBe(
      "chain 1: stopped: wrong chain",
    )
  })
})

describe("of a live chain whose problem stays", () => {
  const live = status({ phase: "live", indexedBlock: 20_000_000 })
  const lineFrom = (before: string, problem: string) => changeLine({ ...live, problem: before }, { ...live, problem })
  const refused = (seconds: number, why: string, host = "node:8545") =>
    `asked again for ${seconds} s: http://${host}: eth_getLogs({"fromBlock":"0x${seconds.toString(16)}"}): ${why}`

  test.each([
    ["seconds and a block of a call", refused(9, "HTTP 429 slow down"), refused(10, "HTTP 429 slow down")],
    ["blocks", "the node announced block 41, and has no block 40", "the node announced block 43, and has no block 40"],
    ["a range", "no answer for blocks 1,000-1,999", "no answer for blocks 2,000-2,999"],
  ])("there is no new line for other numbers alone: %s", (_, before, problem) => {
    expect(lineFrom(before, problem)).toBeUndefined()
  })

  test.each([
    ["a status", refused(9, "HTTP 429 slow down"), refused(10, "HTTP 503 slow down")],
    ["a code", refused(9, "-32005 limit"), refused(10, "-32000 limit")],
    ["a node", refused(9, "HTTP 429"), refused(10, "HTTP 429", "node:8546")],
    ["a node's address", refused(9, "HTTP 429", "10.0.0.1:8545"), refused(10, "HTTP 429", "10.0.0.2:8545")],
    ["words", "the node is behind", "the node is silent"],
  ])("there is one for what says something else: %s", (_, before, problem) => {
    expect(lineFrom(before, problem)).toBe(`chain 1: ${problem}`)
  })
})

/** What is written while the chain goes through `patches`, each lasting so many seconds. */
const written = (
  isTTY: boolean,
  patches: ReadonlyArray<readonly [SyncStatusPatch, number]>,
  columns = 100,
): Promise<string> =>
  Effect.gen(function* () {
    let text = ""
    const output = { isTTY, columns, write: (more: string) => (text += more) }
    yield* Effect.forkChild(showProgressOn(output))
    const { update } = yield* SyncStatus
    for (const [patch, seconds] of patches) {
      update(one, patch)
      for (let passed = 0; passed < seconds * 10; passed++) yield* TestClock.adjust(100)
    }
    return text
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        MemorySyncStatus.layer([{ chainId: one, startBlock: 0, maxLag: 10, pollMs: 1000 }]),
        TestClock.layer(),
      ),
    ),
    Effect.runPromise,
  )

const backfill = {
  phase: "backfill",
  headBlock: 999,
  indexedBlock: 499,
  blocksPerSecond: 100,
  logsPerSecond: 50,
} as const
const live = { phase: "live", indexedBlock: 999 } as const

describe("progress", () => {
  test("without a terminal is a plain line every five seconds, and none once live", async () => {
    expect(
      await written(false, [
        [backfill, 11],
        [live, 30],
      ]),
    ).toBe(`${"chain 1: block 499 of 999, 50.0 %, 50 logs/s, 5 s left\n".repeat(3)}chain 1: live at block 999\n`)
  })

  test("on a terminal is one line that refreshes, then one that stays", async () => {
    const text = await written(true, [
      [backfill, 2],
      [live, 5],
    ])
    const line = "chain 1: block 499 of 999, 50.0 %, 50 logs/s, 5 s left"
    expect(text).toStartWith(`\x1b[J${line}\n\x1b[1A\x1b[J${line}\n\x1b[1A`)
    expect(text.replaceAll("\x1b[J", "")).toEndWith(`${line}\n\x1b[1Achain 1: live at block 999\n`)
  })
})

test("what was taken in and is not committed yet is not done", async () => {
  const told: Array<readonly [number | undefined, number | undefined]> = []
  let [taken, stored] = [0, 0]
  const sizing = { blocksTold: 201 }
  const state = {
    ledger: { checkpoint: () => ({ nextBlock: stored, head: undefined }), bulk: undefined },
    report: {
      reached: () => taken,
      progress: (done: number | undefined, secondsLeft: number | undefined) => void told.push([done, secondsLeft]),
    },
    settings: { finality: 64, startBlock: 0, rpcConcurrency: 1 },
    source: {},
    nodeHead: 464,
  }
  await Effect.gen(function* () {
    yield* watchProgress(state as never, sizing)
    yield* TestClock.adjust(5000)
    taken = 201
    yield* TestClock.adjust(5000)
    taken = 401
    sizing.blocksTold = 401
    yield* TestClock.adjust(10_000)
    stored = 401
    yield* TestClock.adjust(1000)
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
  const shares = told.map(([done]) => done)
  // What was told and not taken in is half done.
  expect(shares[4]).toBeCloseTo(0.4 * (201 / 401))
  expect(shares[9]).toBeCloseTo(0.8 * (201 / 401))
  expect(shares.slice(10, 20)).toEqual(Array(10).fill(0.8))
  expect(shares[20]).toBe(1)
  // Nothing moves while it is committed, and the time left does not fall to nothing.
  for (const [, secondsLeft] of told.slice(12, 20)) expect(secondsLeft).toBeGreaterThan(0)
})

test("the rest of a sync says its share only where it takes long", async () => {
  const told: Array<number | undefined> = []
  const state = {
    ledger: { checkpoint: () => ({ nextBlock: 400, head: { number: 399 } }), bulk: undefined },
    report: { reached: () => 410, progress: (done: number | undefined) => void told.push(done) },
    settings: { finality: 64, startBlock: 0, rpcConcurrency: 1 },
    source: {},
    nodeHead: 494,
  }
  await Effect.gen(function* () {
    yield* watchProgress(state as never, { blocksTold: 0 })
    yield* TestClock.adjust(9000)
    expect(told).toEqual([])
    yield* TestClock.adjust(2000)
    expect(told[0]).toBeGreaterThan(0)
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
})

describe("a problem in a node's words", () => {
  const problem = "\u001b[2J\u001b[31mgone\r\nchain 1: live\u202e"
  const shown = "\\u001b[2J\\u001b[31mgone\\r\\nchain 1: live\\u202e"

  test("is one line without escapes, away from a terminal and on it", async () => {
    const plain = await written(false, [[{ ...backfill, problem }, 1]])
    expect(plain).toBe(`chain 1: block 499 of 999, 50.0 %, 50 logs/s, 5 s left, ${shown}\n`)
    const changed = await written(true, [
      [live, 1],
      [{ problem }, 1],
    ])
    expect(changed).toContain(`chain 1: ${shown}\n`)
    expect(Bun.stripANSI(changed)).not.toMatch(/[^\P{Cc}\n]/u)
  })

  test("is shown on a terminal that does not say how wide it is", async () => {
    expect(await written(true, [[backfill, 0.1]], 0)).toContain(
      "chain 1: block 499 of 999, 50.0 %, 50 logs/s, 5 s left",
    )
  })

  test("takes one row of the terminal, with letters that are two columns wide too", async () => {
    const text = await written(true, [[{ ...backfill, problem: "日本語".repeat(50) }, 0.1]])
    const [line = ""] = text.replaceAll("\x1b[J", "").split("\n")
    expect(line.endsWith("語…") || line.endsWith("日…") || line.endsWith("本…")).toBe(true)
    expect(Bun.stringWidth(line)).toBeLessThan(100)
    expect(Bun.stringWidth(line)).toBeGreaterThan(94)
  })
})

test("a status is found and listed by chain id, and undefined removes a field", async () => {
  const chains = ["10", "9"].map((id) => ({ chainId: ChainId.make(id), startBlock: 7, maxLag: 3, pollMs: 1000 }))
  const program = SyncStatus.use(({ list, find, update }) => {
    update(nine, { problem: "no answer", headBlock: 8 })
    update(nine, { problem: undefined })
    expect<ReadonlyArray<string>>(list().map(({ chainId }) => chainId)).toEqual(["9", "10"])
    expect<unknown>(find(nine)).toEqual({
      chainId: "9",
      phase: "waiting",
      firstBlock: 7,
      headBlock: 8,
      logs: 0,
      logsPerSecond: 0,
      blocksPerSecond: 0,
      skipped: { malformed: 0, unknownPool: 0 },
      reorgs: { count: 0, blocks: 0, deepest: 0 },
      healed: 0,
      faults: noFaults,
      maxLag: 3,
      pollMs: 1000,
    })
    expect(find(ChainId.make("11"))).toBeUndefined()
    return Effect.void
  })
  await Effect.runPromise(program.pipe(Effect.provide(MemorySyncStatus.layer(chains))))
})
