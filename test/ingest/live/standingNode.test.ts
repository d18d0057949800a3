/** A node whose chain stands still: it is left where another one's goes on, and only there. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import type { SourceNodes } from "../../../src/ports/ChainSource.ts"
import { contentOf } from "../../contracts/content.ts"
import { openStore } from "../../contracts/store.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { FakeNode } from "../../support/nodes/fakeNode.ts"
import { chainId, comparable, inWorld, truthOf } from "../world.ts"

const chainTo = (blocks: number, salt?: string, chain = new TestChain()): TestChain => {
  while (chain.nextBlock < blocks)
    chain.block([transfer(address(0x70), address(0), address(0xa1), 1n)], salt === undefined ? {} : { salt })
  return chain
}

/** Two nodes behind one source: the first stands still at block 40, the second shows `other`. */
class TwoNodes extends FakeNode {
  inUse = 0
  asked = 0
  constructor(
    chain: TestChain,
    readonly other: FakeNode,
  ) {
    super(chain, { shown: 40 })
  }
  override readonly failover = Effect.sync(() => {
    this.inUse = 1
    this.faults.shown = undefined as never
    return undefined
  })
  readonly nodes: SourceNodes = {
    labels: ["http://first", "http://second"],
    current: () => this.inUse,
    tellerOf: () => undefined,
    logsOfBlock: () => Effect.undefined,
    logs: (node, from, to) =>
      Effect.gen({ self: this }, function* () {
        this.asked++
        expect(node).toBe(1)
        const [head] = yield* Effect.orDie(this.other.headers([to]))
        return head && { head, logs: yield* Effect.orDie(this.other.logs(from, to)) }
      }),
  }
}

const follow = async (other: FakeNode, chain: TestChain, story: (node: TwoNodes) => number) => {
  const store = await openStore(async () => MemoryStore.layer)
  const node = new TwoNodes(chain, other)
  const told = await inWorld({ node, store }, (world) =>
    Effect.gen(function* () {
      yield* world.until(() => world.status().indexedBlock === 40)
      yield* world.pass(story(node))
      return world.status()
    }),
  )
  return { node, store, told }
}

test("it is left once it had no block for half a minute and another node goes on from its last one", async () => {
  const chain = chainTo(100)
  const { node, store, told } = await follow(new FakeNode(chain), chain, () => 45)
  expect(node.inUse).toBe(1)
  expect(told.indexedBlock).toBe(99)
  expect(told.faults.behind).toBe(1)
  expect(told.problem).toBeUndefined()
  expect(comparable(await contentOf(store, chainId, chain))).toEqual(await truthOf(chain))
  await store.close()
})

test.each<[string, (chain: TestChain) => FakeNode]>([
  ["has no more", (chain) => new FakeNode(chain, { shown: 40 })],
  ["has one block more, which may have come just now", (chain) => new FakeNode(chain, { shown: 41 })],
  ["is on another fork", () => new FakeNode(chainTo(100, "other", chainTo(30)))],
])("it is not left for one that %s", async (_, other) => {
  const chain = chainTo(100)
  const { node, store, told } = await follow(other(chain), chain, () => 130)
  expect(node.inUse).toBe(0)
  expect(node.asked).toBeGreaterThanOrEqual(3)
  expect(node.asked).toBeLessThanOrEqual(10)
  expect([told.indexedBlock, told.faults.behind, told.problem]).toEqual([40, 0, undefined])
  await store.close()
})

test("nobody is asked while blocks come", async () => {
  const chain = chainTo(100)
  const { node, store } = await follow(new FakeNode(chain), chain, () => 25)
  expect(node.asked).toBe(0)
  await store.close()
})
