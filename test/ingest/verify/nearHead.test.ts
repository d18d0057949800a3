/** follow against a node whose index of logs is behind its blocks by longer than a fast chain makes thousands of them. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import { makeVerifiedSource } from "../../../src/domain/ingest/verify/VerifiedSource.ts"
import { makeChainTraits } from "../../../src/domain/ingest/verify/verifier.ts"
import { zeroAddress } from "../../../src/model/primitives.ts"
import { contentOf } from "../../contracts/content.ts"
import { openStore } from "../../contracts/store.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { FakeNode } from "../../support/nodes/fakeNode.ts"
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

for (const [blocksPerSecond, blocks] of [
  [1 / 12, 8192],
  [4, 8192],
  // 8,191 blocks or a few more come in so many whole seconds.
  [10, 18_004],
  [100, 181_000],
] as const) {
  test(`of ${blocksPerSecond} blocks a second an answer's end proves nothing in the newest ${blocks}`, async () => {
    const chain = newChain(8300, blocksPerSecond)
    const traits = makeChainTraits()
    const report = { problem: () => undefined, noticed: () => Effect.void, refused: () => Effect.void }
    const genesisHash = chain.blocks[0]!.header.hash
    const node = new FakeNode(chain)
    const source = makeVerifiedSource({ node, chainId, traits, report, genesisHash, everyHeader: false })
    await Effect.runPromise(source.learnPace(8299))
    expect(Math.abs(traits.nearHeadBlocks - blocks)).toBeLessThanOrEqual(blocks / 100)
    expect(node.calls).toEqual(["headers 107,8299"])
  })
}
