/** Chains that have no block 0 at some of their nodes, or at all of them: known by block 1, followed from block 1 on, and whole all the same. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import { zeroAddress } from "../../../src/model/primitives.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { contentOf } from "../../contracts/content.ts"
import { openStore, type TestStore } from "../../contracts/store.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { FakeNode } from "../../support/nodes/fakeNode.ts"
import { chainId, comparable, inWorld, truthOf, type World } from "../world.ts"

const [token, alice, bob] = [address(0x70), address(0xa), address(0xb)]

const grow = (chain: TestChain, length: number, salt = "") => {
  for (let made = 0; made < length; made++) {
    const events = [transfer(token, zeroAddress, alice, 5n), transfer(token, alice, bob, 2n)]
    chain.block(chain.nextBlock === 0 ? [] : events, { salt })
  }
  return chain
}

/** The same blocks as nodes of both kinds show them. */
const bothOf = (length: number, salt = "") => {
  const whole = grow(new TestChain(), length, salt)
  const rest = new TestChain(new Set(), 1)
  rest.blocks.push(...whole.blocks.slice(1))
  return { whole, rest }
}

/** What lies below a node that the test changes places with. */
class ChangingNode extends FakeNode {
  shows(chain: TestChain) {
    Object.assign(this, { chain })
  }
}

let store: TestStore
beforeEach(async () => {
  store = await openStore(async () => MemoryStore.layer)
})
afterEach(() => store.close())

/** Nothing is before it: it is as whole as a chain that has a block 0 without logs. */
const expectTruth = async (chain: TestChain) => {
  const whole = grow(new TestChain(), 1)
  whole.blocks.push(...chain.blocks.filter(({ header }) => header.number > 0))
  expect(comparable(await contentOf(store, chainId, whole))).toEqual(await truthOf(whole))
}

describe("a chain without block 0", () => {
  for (const length of [6, 300]) {
    test(`is stored whole, of ${length} blocks, and goes on after a restart`, async () => {
      const chain = bothOf(length).rest
      const node = new FakeNode(chain)
      const written = await inWorld({ node, store }, (world) => Effect.as(world.caughtUp(chain), world.writes))
      expect(written[0]).toMatch(/^append 0-/)
      await expectTruth(chain)
      const status = await inWorld({ node, store }, (world) =>
        Effect.gen(function* () {
          yield* world.until(() => world.status().phase === "live")
          grow(chain, 3)
          yield* world.caughtUp(chain)
          return world.status()
        }),
      )
      expect([status.firstBlock, status.problem]).toEqual([0, undefined])
      await expectTruth(chain)
    })
  }

  test("is taken back by a reorg of all but its first block", async () => {
    const chain = bothOf(6).rest
    const node = new FakeNode(chain)
    const written = await inWorld({ node, store }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        const first = chain.blocks[0]!
        grow(chain.truncate(2), 8, "fork")
        expect(chain.blocks[0]).toBe(first)
        yield* world.caughtUp(chain)
        return world.writes
      }),
    )
    expect(written).toEqual(["append 0-5", "rollback 2", "append 2-9"])
    await expectTruth(chain)
  })
})

describe("nodes with and without block 0 are of one chain", () => {
  const { whole, rest } = bothOf(60)
  for (const [name, first, then] of [
    ["where the ledger began at one that has it", whole, rest],
    ["where the ledger began at one that has it not", rest, whole],
  ] as const) {
    test(name, async () => {
      const node = new ChangingNode(first)
      await inWorld({ node, store }, (world) => world.caughtUp(first))
      node.shows(then)
      const longer = grow(Object.assign(new TestChain(new Set(), then.firstBlock), { blocks: [...then.blocks] }), 3)
      const status = await inWorld({ node, store }, (world) =>
        Effect.gen(function* () {
          node.shows(longer)
          yield* world.caughtUp(longer)
          return world.status()
        }),
      )
      expect([status.problem, status.faults.genesis]).toEqual([undefined, 0])
      await expectTruth(longer)
    })
  }
})

describe("another chain is told", () => {
  for (const [mine, theirs] of [
    ["rest", "rest"],
    ["rest", "whole"],
    ["whole", "rest"],
  ] as const) {
    test(`from one ${mine === "rest" ? "without" : "with"} block 0, ${theirs === "rest" ? "without" : "with"} it`, async () => {
      const chain = bothOf(60)[mine]
      const node = new ChangingNode(chain)
      const foreign = grow(new TestChain(new Set(), theirs === "rest" ? 1 : 0, 5), 80, "begun anew")
      const said = await inWorld({ node, store }, (world) =>
        Effect.gen(function* () {
          yield* world.caughtUp(chain)
          const before = world.writes.length
          node.shows(foreign)
          yield* world.until(() => world.status().phase === "stopped")
          return { problem: world.status().problem, written: world.writes.length - before }
        }),
      )
      expect(said.problem).toMatch(
        new RegExp(`^the node's block ${theirs === "rest" ? 1 : 0} is 0x\\w+, the ledger's chain began with 0x\\w+: `),
      )
      expect(said.written).toBe(0)
    })
  }
})

const begins = (node: FakeNode, story: (world: World) => Effect.Effect<void>) =>
  inWorld({ node, store }, (world) => Effect.map(story(world), () => ({ ...world.status(), writes: world.writes })))

describe("what lacks a block 0 for a moment has one", () => {
  test("where one of many servers says once that it has none", async () => {
    const { whole } = bothOf(6)
    const node = new FakeNode(whole)
    let isFirst = true
    const { headers } = node
    node.headers = (numbers) => {
      const lacks = isFirst && numbers.includes(0)
      if (lacks) isFirst = false
      return lacks ? Effect.succeed(numbers.map(() => undefined)) : headers.call(node, numbers)
    }
    const { writes } = await begins(node, (world) => world.caughtUp(whole))
    expect([isFirst, writes[0]]).toEqual([false, "append 0-5"])
    await expectTruth(whole)
  })

  test("where the node fails", async () => {
    const { whole } = bothOf(6)
    const node = new FakeNode(whole)
    let isDown = true
    const { headers } = node
    node.headers = (numbers) =>
      isDown && numbers.includes(0)
        ? Effect.fail(new SourceUnavailable({ kind: "call", message: "down" }))
        : headers.call(node, numbers)
    await begins(node, (world) =>
      Effect.gen(function* () {
        yield* world.until(() => world.status().problem === "down")
        isDown = false
        yield* world.caughtUp(whole)
      }),
    )
    await expectTruth(whole)
  })
})

test("a node without blocks 0 and 1 is refused for as long as it lacks them, in words that say what it must serve", async () => {
  const { whole } = bothOf(60)
  const node = new FakeNode(whole, { oldest: 2 })
  const said = await begins(node, (world) =>
    Effect.andThen(
      world.until(() => world.status().problem !== undefined),
      world.pass(60),
    ),
  )
  expect(said.problem).toBe(
    "the node has neither block 0 nor block 1, by which a chain is known: it must give one of them by its number (eth_getBlockByNumber). Use a node that has the chain's beginning",
  )
  expect(said.writes).toEqual([])
})
