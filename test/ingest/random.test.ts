/** Property: whatever a chain goes through while it is followed, the ledger ends as the fold of the chain that remains. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { type Random, randomOf } from "../../demo/chain/random.ts"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { contentOf } from "../contracts/content.ts"
import { openStore } from "../contracts/store.ts"
import type { TestChain } from "../support/chain/testChain.ts"
import { FakeNode, type Faults } from "../support/nodes/fakeNode.ts"
import { manager, newTrafficChain, randomEvent, weth } from "./traffic.ts"
import { chainId, comparable, inWorld, truthOf, type WorldOptions } from "./world.ts"

const finality = 6

/** Blocks of up to four events. */
const grow = (random: Random, chain: TestChain, blocks: number) => {
  for (let made = 0; made < blocks; made++) {
    const time = (chain.blocks.at(-1)?.header.time ?? 1_700_000_000) + random.below(3) * 6
    chain.block(
      Array.from({ length: random.below(5) }, () => randomEvent(random)),
      { time, salt: String(random.word()) },
    )
  }
}

const faultsOf = (random: Random): Faults => ({
  fails: () => random.chance(0.05),
  ...(random.chance(0.5) ? { bloom: random.pick(["true", "zero", "partial"] as const) } : {}),
  others: random.chance(0.5) ? ["second"] : ["receipts"],
  ...(random.chance(0.3) ? { mostBlocks: 1 + random.below(20), suggests: random.chance(0.5) } : {}),
  ...(random.chance(0.2) ? { mostLogs: 1 + random.below(6) } : {}),
})

for (let seed = 1; seed <= 40; seed++) {
  test(`chain ${seed}, with reorgs, stops and starts, and a node that errs`, async () => {
    const random = randomOf(seed)
    const store = await openStore(async () => MemoryStore.layer)
    const chain = newTrafficChain()
    grow(random, chain, 1 + random.below(150))
    const settings = {
      wrappedNative: [weth],
      poolManagers: [manager],
      finality,
      rpcConcurrency: 1 + random.below(4),
      verify: random.chance(0.3) ? "full" : "range",
    } as const
    /** Something happens to the chain; never deeper than what can be taken back. */
    const disturb = () => {
      const depth = random.chance(0.5) ? random.below(Math.min(finality, chain.nextBlock - 1) + 1) : 0
      chain.truncate(chain.nextBlock - depth)
      grow(random, chain, Math.max(depth, 1) + random.below(random.chance(0.1) ? 60 : 4))
    }
    for (let start = 0; start < 3; start++) {
      const node = new FakeNode(chain, faultsOf(random))
      node.faults.before = () => {
        if (random.chance(0.01)) disturb()
      }
      const askPools: WorldOptions["askPools"] = (_, answer) =>
        random.chance(0.05) ? Effect.fail(new SourceUnavailable({ message: "tired" })) : Effect.succeed(answer)
      await inWorld({ node, store, settings, askPools }, (world) =>
        Effect.gen(function* () {
          for (let scene = random.below(12); scene > 0; scene--) {
            disturb()
            yield* world.pass(random.below(6))
          }
          delete node.faults.before
          if (start === 2) yield* world.caughtUp(chain)
        }),
      )
    }
    expect(comparable(await contentOf(store, chainId, chain))).toEqual(await truthOf(chain))
    await store.close()
  })
}
