/** Depths read while nodes fail: a pool that cannot be read is told from a node that cannot be asked, and none is waited for without end. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Layer, Logger, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import {
  longestPastWaitMs,
  longestWaitMs,
  makeDepthReads,
  restMs,
  type Wait,
} from "../../src/domain/prices/depthReads.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { address } from "../support/chain/testChain.ts"
import { depthsLayer, type ScriptedDepths, scriptedDepths } from "../support/depths.ts"

const pools = Array.from({ length: 8 }, (_, place) => address(0x60 + place))
const failure = new SourceUnavailable({ message: "out of order" })

let depths: ScriptedDepths
let read: (...some: ReadonlyArray<number>) => Promise<ReadonlyArray<unknown>>
let readPast: (...some: ReadonlyArray<number>) => Promise<ReadonlyArray<unknown>>
let readAt: (wait: Wait, block: number | undefined, ...some: ReadonlyArray<number>) => Promise<ReadonlyArray<unknown>>
let pass: (ms: number) => Promise<void>
let end: () => Promise<void>

beforeEach(async () => {
  depths = scriptedDepths()
  const runtime = ManagedRuntime.make(Layer.mergeAll(depthsLayer(depths), TestClock.layer(), Logger.layer([])))
  const reads = await runtime.runPromise(makeDepthReads)
  readAt = async (wait, block, ...some) => {
    const asked = some.map((place) => pools[place]!)
    const found = await runtime.runPromise(reads(ChainId.make("7"), asked, wait, block))
    return asked.map((pool) => found.get(pool))
  }
  read = (...some) => readAt("now", undefined, ...some)
  readPast = (...some) => readAt("past", 100, ...some)
  pass = (ms) => runtime.runPromise(TestClock.adjust(ms))
  end = () => runtime.dispose()
})
afterEach(() => end())

describe("A node that fails", () => {
  test("at three pools on end is asked about none for a while, about those it has not failed at neither", async () => {
    depths.failure = failure
    expect(await read(0, 1, 2)).toEqual(["awaited", "awaited", "awaited"])
    const asked = depths.asked.length
    expect(await read(3, 4)).toEqual(["awaited", "awaited"])
    expect(depths.asked.length).toBe(asked)
    // Of past states it may have more to say.
    depths.failure = undefined
    expect(await readPast(3)).toEqual(["held"])
    await pass(restMs)
    expect(await read(0, 1, 2, 3, 4)).toEqual(["held", "held", "held", "held", "held"])
  })

  test("at single pools, others answering in between, is asked on", async () => {
    for (const bad of [0, 1, 2, 3]) {
      depths.broken.add(pools[bad]!)
      expect(await read(bad)).toEqual(["awaited"])
      expect(await read(7)).toEqual(["held"])
    }
  })

  test("at the same one pool again and again is asked about others", async () => {
    depths.broken.add(pools[0]!)
    for (let time = 0; time < 5; time++) {
      expect(await read(0)).toEqual(["awaited"])
      await pass(restMs)
    }
    expect(await read(7)).toEqual(["held"])
  })
})

test("A pool that nobody asked about for longer than it is waited for is waited for anew", async () => {
  depths.broken.add(pools[0]!)
  expect(await read(0)).toEqual(["awaited"])
  await pass(2 * longestWaitMs)
  expect(await read(0)).toEqual(["awaited"])
  for (let waited = 0; waited < longestWaitMs; waited += restMs) {
    await pass(restMs)
    expect(await read(0)).toEqual(["awaited"])
  }
  await pass(restMs)
  expect(await read(0)).toEqual(["given up"])
  depths.broken.clear()
  expect(await read(0)).toEqual(["given up"])
  await pass(restMs)
  expect(await read(0)).toEqual(["held"])
})

test("A pool that says nothing is asked about again, and not waited for without end", async () => {
  depths.depth = (pool) => (pool === pools[0] ? "silent" : "gone")
  expect(await read(0, 1)).toEqual(["awaited", "gone"])
  expect(await readPast(0, 1)).toEqual(["awaited", "gone"])
  const asked = depths.asked.length
  expect(await read(0)).toEqual(["awaited"])
  expect(depths.asked.length).toBe(asked)
  depths.depth = () => "held"
  await pass(restMs)
  expect([await read(0), await readPast(0)]).toEqual([["held"], ["held"]])
  depths.depth = () => "silent"
  for (const [ask, limit] of [
    [read, longestWaitMs],
    [readPast, longestPastWaitMs],
  ] as const) {
    for (let waited = 0; waited <= limit; waited += 10 * restMs) {
      expect(await ask(0)).toEqual(["awaited"])
      await pass(10 * restMs)
    }
    expect(await ask(0)).toEqual(["given up"])
    // It is not asked again yet.
    expect(await ask(0)).toEqual(["given up"])
  }
  depths.depth = () => "held"
  await pass(restMs)
  expect([await read(0), await readPast(0)]).toEqual([["held"], ["held"]])
})

describe("States that a failing node may keep, and others do not", () => {
  const hour = 3_600_000
  /** Blocks from 1000 on are kept by a node that answers. */
  const full = () => {
    depths.depth = (_, at) => (at !== undefined && at < 1000 ? "unheard" : "held")
  }

  test("are waited for a day in all, whichever they are, while hours of now go on", async () => {
    full()
    for (let hours = 0; hours <= 24; hours++) {
      // An hour is asked for again and again; each new hour has the very same pool, and others.
      expect(await readAt("past", 900, 0, 1)).toEqual(["awaited", "awaited"])
      expect(await readAt("lately", 1000 + hours, 0, hours % 8)).toEqual(["held", "held"])
      await pass(hour)
    }
    for (let hours = 0; hours < 100; hours++)
      expect(await readAt("past", 900 - hours, hours % 8)).toEqual(["gone for now"])
    // Without one for some hours it begins anew.
    await pass(3 * hour)
    expect(await readAt("past", 500, 3)).toEqual(["awaited"])
  })

  test("are waited for an hour where the newest state may stand for them", async () => {
    full()
    for (let minutes = 0; minutes <= 60; minutes += 10) {
      expect(await readAt("lately", 900, 0)).toEqual(["awaited"])
      await pass(hour / 6)
    }
    expect(await readAt("lately", 900, 0)).toEqual(["gone for now"])
    for (let hours = 1; hours < 30; hours++) {
      await pass(hour)
      expect(await readAt("lately", 900 + hours, hours % 8)).toEqual(["gone for now"])
    }
    // Those that are older had their day by then.
    expect(await readAt("past", 100, 5)).toEqual(["gone for now"])
  })

  test("are waited for a day in all, though others are told meanwhile and after", async () => {
    // What one pool was at one block is never told.
    depths.depth = (pool, at) => (at === 900 && pool === pools[0] ? "unheard" : new Map())
    for (let hours = 0; hours <= 24; hours++) {
      expect(await readAt("past", 900, 0, 1)).toEqual(["awaited", new Map()])
      await pass(hour)
    }
    expect(await readAt("past", 900, 0, 1)).toEqual(["gone for now", new Map()])
    expect(await readAt("past", 850, 0, 1)).toEqual([new Map(), new Map()])
    depths.depth = (_, at) => (at === 800 ? "unheard" : new Map())
    await pass(hour)
    expect(await readAt("past", 800, 0, 1)).toEqual(["gone for now", "gone for now"])
  })

  test("are no sign that the node is well: a pool that fails is not given up for them", async () => {
    depths.depth = () => new Map()
    expect(await readAt("past", 900, 1)).toEqual([new Map()])
    depths.broken.add(pools[0]!)
    full()
    for (let hours = 0; hours <= 30; hours++) {
      expect(await readAt("past", 900, 0)).toEqual(["awaited"])
      await pass(hour)
    }
    depths.depth = () => new Map()
    expect(await readAt("past", 900, 0)).toEqual(["given up"])
  })

  test("are asked for each minute, and count from then on as they are; who fails next is waited for anew", async () => {
    full()
    expect(await readAt("past", 900, 0)).toEqual(["awaited"])
    const asked = depths.asked.length
    expect(await readAt("past", 900, 0)).toEqual(["awaited"])
    expect(depths.asked.length).toBe(asked)
    await pass(23 * hour)
    expect(await readAt("past", 900, 0)).toEqual(["awaited"])
    depths.depth = () => new Map()
    await pass(restMs)
    expect(await readAt("past", 900, 0)).toEqual([new Map()])
    full()
    await pass(2 * hour)
    expect(await readAt("past", 901, 0)).toEqual(["awaited"])
    await pass(25 * hour)
    expect(await readAt("past", 902, 0)).toEqual(["awaited"])
  })
})
