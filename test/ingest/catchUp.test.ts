/** A chain followed only as far as it is wanted: to the node's head, or to a block below it. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { Effect, Layer, Logger } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import * as MemorySyncStatus from "../../src/adapters/memory/MemorySyncStatus.ts"
import { catchUp } from "../../src/domain/ingest/catchUp.ts"
import type { FollowSettings } from "../../src/domain/ingest/state/settings.ts"
import { makeFollowed } from "../../src/domain/ingest/status/FollowedLedger.ts"
import { zeroAddress } from "../../src/model/primitives.ts"
import { ChainSource } from "../../src/ports/ChainSource.ts"
import { Pools } from "../../src/ports/Pools.ts"
import { openStore, type TestStore } from "../contracts/store.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { FakeNode } from "../support/nodes/fakeNode.ts"
import { chainId } from "./world.ts"

let store: TestStore
beforeEach(async () => {
  store = await openStore(async () => MemoryStore.layer)
})
afterEach(() => store.close())

const settings: FollowSettings = {
  chainId,
  ...{ startBlock: 0, wrappedNative: [], swaps: false, poolManagers: [], finality: 10, pollMs: 50, rpcConcurrency: 4 },
}

const grow = (chain: TestChain, to: number, salt = "") => {
  while (chain.nextBlock <= to) chain.block([transfer(address(0x70), zeroAddress, address(0xa), 1n)], { salt })
  return chain
}

/** A process of its own. */
const layerOf = (node: FakeNode) =>
  Layer.mergeAll(
    Layer.succeed(ChainSource, { of: () => node }),
    Layer.succeed(Pools, { describe: () => Effect.succeed([]), decimals: () => Effect.succeed([]) }),
    MemorySyncStatus.layer([{ chainId, startBlock: 0, maxLag: 10, pollMs: 50 }]),
    Logger.layer([]),
  )

/** The newest block that is stored then, and the time of the one that the node announced last. */
const caughtUp = async (node: FakeNode, last?: number) => {
  const story = Effect.gen(function* () {
    const followed = yield* makeFollowed(chainId)
    let newest: { readonly number: number; readonly hash: string } | undefined
    let nodeTime: number | undefined
    const watching = yield* Effect.forkChild(
      followed.whileOpen((ledger) =>
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => {
              newest = ledger.checkpoint().head
              nodeTime = ledger.nodeTime()
            }),
            Effect.sleep(10),
          ),
        ),
      ),
    )
    // What was stored is seen by then.
    const isComplete = Effect.sync(() => newest !== undefined && newest.number >= (last ?? node.chain.nextBlock - 1))
    const end = yield* catchUp(settings, { followed, isComplete, ...(last === undefined ? {} : { last }) })
    watching.interruptUnsafe()
    return { end, hash: newest?.hash, nodeTime }
  })
  return store.run(Effect.provide(story, layerOf(node)))
}

test("a ledger goes to the block that it is wanted to end with, while the node is a hundred blocks further, and then on", async () => {
  const chain = grow(new TestChain(), 399)
  const node = new FakeNode(chain)
  const ofBlock = (end: number) => {
    const { hash, time } = chain.blocks[end]!.header
    return { end, hash, nodeTime: time }
  }
  expect(await caughtUp(node, 299)).toEqual(ofBlock(299))
  expect(await caughtUp(node, 305)).toEqual(ofBlock(305))
  // Its newest blocks were replaced meanwhile.
  grow(chain.truncate(303), 399, "fork")
  expect(await caughtUp(node, 306)).toEqual(ofBlock(306))
  expect(await caughtUp(node)).toEqual(ofBlock(399))
})

test("each time in one process it goes to within the window of what is wanted then, whatever it had come to before", async () => {
  const chain = grow(new TestChain(), 299)
  const story = Effect.gen(function* () {
    const goOn = Effect.fnUntraced(function* (last?: number) {
      const followed = yield* makeFollowed(chainId)
      const isComplete = Effect.succeed(true)
      return yield* catchUp(settings, { followed, isComplete, ...(last === undefined ? {} : { last }) })
    })
    const ends = [yield* goOn(199), yield* goOn(250), yield* goOn()]
    grow(chain, 320)
    return [...ends, yield* goOn()]
  })
  const ends = await store.run(Effect.provide(story, layerOf(new FakeNode(chain))))
  for (const [time, wanted] of [199, 250, 299, 320].entries())
    expect(ends[time]).toBeGreaterThanOrEqual(wanted - settings.finality)
})
