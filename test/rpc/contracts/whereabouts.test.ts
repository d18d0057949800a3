/** Multicall3 is given up where it has shown that it is not there, for a while; and not for what passes. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { type Multicall, makeMulticall } from "../../../src/adapters/rpc/contracts/multicall.ts"
import { makePinnedViews } from "../../../src/adapters/rpc/contracts/pinned.ts"
import { view } from "../../../src/adapters/rpc/contracts/view.ts"
import { absentMs, restMs } from "../../../src/adapters/rpc/contracts/whereabouts.ts"
import { askNode } from "../../../src/domain/audit/askNode.ts"
import type { AsOf } from "../../../src/model/block.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { TokenViews } from "../../../src/ports/TokenViews.ts"
import { address } from "../../support/chain/testChain.ts"
import { head, type MulticallNode, makeMulticallNode, pinOf } from "./multicallNode.ts"

let node: MulticallNode
let runtime: ManagedRuntime.ManagedRuntime<never, never>
const run = <A, E>(effect: Effect.Effect<A, E>) => runtime.runPromise(effect)
const pass = (ms: number) => runtime.runPromise(TestClock.adjust(ms))
beforeEach(() => {
  node = makeMulticallNode()
  runtime = ManagedRuntime.make(TestClock.layer())
})
afterEach(() => runtime.dispose())

const calls = Array.from({ length: 300 }, (_, place) => ({ to: address(0x1000 + place), data: "0x06fdde03" }))

describe("Calls of many contracts", () => {
  let multicall: Multicall
  beforeEach(() => {
    multicall = makeMulticall(node.client)
  })
  /** What the first so many cost. */
  const cost = async (at?: number, count = 300) => {
    const data = await run(view(node.client, calls.slice(0, count), multicall, { at, strict: true }))
    expect(new Set(data)).toEqual(new Set([`0x${"1".padStart(64, "0")}`]))
    return node.count()
  }
  const fail = async () => {
    expect(await run(view(node.client, calls, multicall)).catch(() => "failed")).toBe("failed")
    node.count()
  }

  test("go together again after an outage of the node, and after one in which it was not known where Multicall3 is", async () => {
    node.fails = () => true
    await fail()
    node.fails = () => false
    await pass(restMs)
    expect([await cost(), await cost()]).toEqual([6, 5])
    node.fails = () => true
    for (let time = 0; time < 10; time++) await fail()
    node.fails = () => false
    await pass(restMs)
    expect(await cost()).toBe(5)
  })

  test("are made alone for a minute beside a node that fails at so many five times on end, then are tried together once", async () => {
    node.fails = (kind) => kind === "together"
    expect([await cost(), await cost()]).toEqual([1 + 5 + 300, 300])
    await pass(restMs)
    expect([await cost(), await cost()]).toEqual([1 + 300, 300])
    node.fails = () => false
    await pass(restMs)
    expect(await cost()).toBe(5)
  })

  test("go together at newer blocks, whatever older ones had not; and are made alone at those that are as old", async () => {
    expect(await cost(head)).toBe(6)
    expect([await cost(400), await cost(399), await cost(100)]).toEqual([305, 300, 300])
    expect([await cost(), await cost(head), await cost(500)]).toEqual([5, 5, 5])
    // A state between the two has shown nothing yet.
    expect([await cost(450), await cost(450)]).toEqual([305, 300])
  })

  test("are made alone where the chain has no Multicall3, which is looked up again after an hour", async () => {
    node.made = undefined
    expect([await cost(), await cost(), await cost(3)]).toEqual([301, 300, 300])
    node.made = 0
    await pass(absentMs)
    expect([await cost(), await cost(3)]).toEqual([6, 5])
  })

  test("go together again an hour after five answers without it", async () => {
    expect(await cost()).toBe(6)
    node.lies = true
    expect([await cost(), await cost()]).toEqual([305, 300])
    node.lies = false
    expect(await cost()).toBe(300)
    await pass(absentMs)
    expect(await cost()).toBe(5)
  })

  test("go on together where backends lie now and then: an answer outweighs those before it of states as new", async () => {
    expect(await cost(600, 60)).toBe(2)
    for (let time = 0; time < 3; time++) {
      node.lies = true
      expect(await cost(900, 240)).toBe(244)
      node.lies = false
      expect(await cost(899, 60)).toBe(1)
    }
    expect(await cost(900)).toBe(5)
  })
})

describe("Views after one very block", () => {
  const views = calls.slice(0, 200)

  test("go together at newer blocks, whatever older ones had not; how many one call carries is said of the block", async () => {
    const pinned = makePinnedViews(node.client)
    /** What 200 of them cost after a block, and how many go in one after it. */
    const cost = async (block: number) => {
      const data = await run(pinned.ask(views, pinOf(block)))
      expect(new Set(data)).toEqual(new Set([`0x${"1".padStart(64, "0")}`]))
      return [node.count(), pinned.perCall(block)]
    }
    expect(pinned.perCall()).toBe(1)
    expect(await cost(head)).toEqual([5, 50])
    // Each twenty of them with one that shows the block.
    expect([await cost(100), await cost(100), await cost(99)]).toEqual([
      [4 + 210, 50],
      [1 + 210, 1],
      [210, 1],
    ])
    expect([await cost(head), await cost(500), pinned.perCall()]).toEqual([[4, 50], [4, 50], 50])
  })

  test("go together once Multicall3 is found where there was none before", async () => {
    node.made = undefined
    const pinned = makePinnedViews(node.client)
    const cost = async () => {
      await run(pinned.ask(views, pinOf(head)))
      return [node.count(), pinned.perCall()]
    }
    expect([await cost(), await cost()]).toEqual([
      [211, 1],
      [210, 1],
    ])
    node.made = 0
    await pass(absentMs)
    expect(await cost()).toEqual([5, 50])
  })

  test("go together where the node does not say whether Multicall3 is there", async () => {
    node.fails = (kind) => kind === "eth_getCode"
    const pinned = makePinnedViews(node.client)
    await run(pinned.ask(views, pinOf(head)))
    expect([node.count(), pinned.perCall()]).toEqual([5, 50])
  })
})

test("an answer asks the node only for as many figures as go together after its block", async () => {
  const asked: Array<number> = []
  const views = Layer.succeed(TokenViews, {
    perCall: (_, blockNumber = head) => (blockNumber < 500 ? 1 : 50),
    ask: (_, questions, { blockNumber }) => {
      asked.push(blockNumber)
      return Effect.succeed(questions.map(() => 1n))
    },
  })
  const questions = calls.map(({ to }) => ({ of: "supply", token: to }) as const)
  for (const block of [head, 100]) {
    const asOf = { chainId: ChainId.make("1"), ...pinOf(block) } as AsOf
    const told = await run(askNode({ unaskable: false }, [asOf], questions).pipe(Effect.provide(views)))
    expect(told?.length).toBe(block === head ? 300 : undefined)
  }
  expect(asked).toEqual([head])
})
