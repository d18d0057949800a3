/** follow against a node whose index of logs is behind its blocks by longer than a fast chain makes thousands of them. */
import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import { makeVerifiedSource } from "../../../src/domain/ingest/verify/VerifiedSource.ts"
import { makeChainTraits, mayLag } from "../../../src/domain/ingest/verify/verifier.ts"
import { zeroAddress } from "../../../src/model/primitives.ts"
import { contentOf } from "../../contracts/content.ts"
import { openStore } from "../../contracts/store.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { failureOf } from "../../support/failure.ts"
import { FakeNode, type Faults } from "../../support/nodes/fakeNode.ts"
import { chainId, comparable, inWorld, truthOf } from "../world.ts"

const newChain = (blocks: number, blocksPerSecond: number) => {
  const chain = new TestChain()
  for (let number = 0; number < blocks; number++) {
    const events = number % 100 === 0 ? [transfer(address(0x70), zeroAddress, address(0xa), 1n)] : []
    chain.block(events, { time: chain.genesisTime + Math.floor(number / blocksPerSecond) })
  }
  return chain
}

test("a catch-up of a hundred blocks a second, the index 90 seconds behind, lacks no log", async () => {
  const chain = newChain(9600, 100)
  let isRange = false
  const node = new FakeNode(chain, {
    before: (call) => {
      isRange = call.startsWith("logs ")
    },
    hides: (number) => isRange && number > 550,
  })
  const store = await openStore(async () => MemoryStore.layer)
  try {
    await inWorld({ node, store, settings: { rpcConcurrency: 1 } }, (world) => world.caughtUp(chain))
    expect(comparable(await contentOf(store, chainId, chain))).toEqual(await truthOf(chain))
  } finally {
    await store.close()
  }
})

/** Of a chain of 9,400 blocks: what is near the head, and of which headers that was learned. */
const learned = async (chain: TestChain, faults: Faults = {}) => {
  const traits = makeChainTraits()
  const report = { problem: () => undefined, noticed: () => Effect.void, refused: () => Effect.void }
  const genesisHash = chain.blocks[0]!.header.hash
  const node = new FakeNode(chain, faults)
  const source = makeVerifiedSource({ node, chainId, traits, report, genesisHash, everyHeader: false })
  await Effect.runPromise(source.learnPace(9399))
  return { blocks: traits.nearHeadBlocks, nodesLag: mayLag(traits), calls: node.calls }
}

for (const [blocksPerSecond, wanted] of [
  [1 / 12, 8192],
  [4, 8192],
  // 8,191 blocks or a few more come in so many whole seconds.
  [10, 18_004],
  [100, 181_000],
] as const) {
  test(`of ${blocksPerSecond} blocks a second an answer's end proves nothing in the newest ${wanted}`, async () => {
    const { blocks, calls } = await learned(newChain(9400, blocksPerSecond))
    expect(Math.abs(blocks - wanted)).toBeLessThanOrEqual(wanted / 100)
    expect(calls).toEqual(["headers 183,7351,8375"])
  })
}

describe("how many blocks of a hundred a second are near the head", () => {
  const chain = newChain(9400, 100)

  test("is learned of a node that has not got the newest ones yet, and says nothing of its empty blocks", async () => {
    const { blocks, nodesLag } = await learned(chain, { shown: 9399 - 1024 })
    expect(Math.abs(blocks - 181_000)).toBeLessThanOrEqual(1_810)
    expect(nodesLag).toBe(false)
  })

  test("is not left unknown where it lacks more than that: the catch-up begins anew", async () => {
    const failure = await failureOf(learned(chain, { shown: 9399 - 1025 }))
    expect(failure).toMatchObject({ _tag: "SourceUnavailable", message: "the node has no block 8375" })
  })

  test("is learned of a node that keeps the newest blocks alone, and is all of them where it keeps few", async () => {
    const { blocks } = await learned(chain, { oldest: 9400 - 5000 })
    // 1,024 blocks come in ten whole seconds or eleven.
    expect(Math.abs(blocks - 181_000)).toBeLessThanOrEqual(18_100)
    expect((await learned(chain, { oldest: 9400 - 2000 })).blocks).toBe(8192)
  })
})
