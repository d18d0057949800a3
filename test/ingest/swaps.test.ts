/** Swaps through follow: what is stored is what the chain and its pools say, whatever the node does meanwhile. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { zeroAddress } from "../../src/model/primitives.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { contentOf } from "../contracts/content.ts"
import { openStore, type TestStore } from "../contracts/store.ts"
import { address, hash, initialize, managedSwap, swap, TestChain, transfer } from "../support/chain/testChain.ts"
import { FakeNode } from "../support/nodes/fakeNode.ts"
import { chainId, comparable, inWorld, truthOf, type WorldOptions } from "./world.ts"

const [gold, dollar] = [address(0x70), address(0x71)]
const [pair, pool, stranger, manager] = [address(0x51), address(0x52), address(0x5f), address(0x4a)]
const settings = { poolManagers: [manager] }

const newChain = (decimals1 = 6) => {
  const chain = new TestChain(new Set(), 0, undefined, new Set([manager]))
  const facts = { token0: gold, token1: dollar, decimals0: 18, decimals1 }
  chain.pools.set(pair, { pool: pair, ...facts, factory: address(0xfac) })
  chain.pools.set(pool, { pool, ...facts })
  return chain
}

/** `length` more blocks: a swap at each kind of pool, at a contract that is none, and every 7th block a new pool of the manager. */
const grow = (chain: TestChain, length: number, salt = "") => {
  for (let made = 0; made < length; made++) {
    const number = BigInt(chain.nextBlock)
    const id = hash(`pool ${(number - (number % 7n)).toString()} ${salt}`)
    const sides = { paid0: number % 3n > 0n, paid: number + 1n, got: 2n * number + 1n }
    const events = [
      transfer(gold, zeroAddress, dollar, 1n),
      ...(number % 7n === 0n ? [initialize(manager, id, zeroAddress, dollar)] : []),
      swap(number % 2n === 0n ? pair : pool, sides),
      swap(stranger, sides),
      managedSwap(manager, id, sides),
    ]
    chain.block(events, { salt })
  }
  return chain
}

let store: TestStore
beforeEach(async () => {
  store = await openStore(async () => MemoryStore.layer)
})
afterEach(() => store.close())

const follow = (chain: TestChain, options: Partial<WorldOptions> = {}) =>
  inWorld({ node: new FakeNode(chain), store, settings, ...options }, (world) =>
    Effect.map(world.caughtUp(chain), world.status),
  )
const expectTruth = async (chain: TestChain) => {
  const content = comparable(await contentOf(store, chainId, chain))
  expect(content).toEqual(await truthOf(chain))
  return content.swaps.items
}

describe("swaps of a chain that stands still", () => {
  test("are stored whole, with the tokens that their pools name; those at no pool are left out and counted", async () => {
    const chain = grow(newChain(), 120)
    const { skipped } = await follow(chain)
    expect(skipped).toEqual({ malformed: 0, unknownPool: 120 })
    const items = await expectTruth(chain)
    expect(items.length).toBe(240)
    expect(items.slice(0, 2)).toEqual([
      {
        chainId,
        txHash: chain.blocks[0]!.logs[2]!.txHash,
        time: chain.genesisTime + 12,
        tokenIn: dollar,
        tokenOut: gold,
        tokenInQty: "1",
        tokenOutQty: "1",
        tokenInDecimals: 6,
        tokenOutDecimals: 18,
        factory: address(0xfac),
      },
      {
        chainId,
        txHash: chain.blocks[0]!.logs[4]!.txHash,
        time: chain.genesisTime + 12,
        tokenIn: dollar,
        tokenOut: zeroAddress,
        tokenInQty: "1",
        tokenOutQty: "1",
        tokenInDecimals: 6,
        tokenOutDecimals: 18,
        factory: manager,
      },
    ])
  })

  test("in pools that nobody initialized are counted with those at no pool, in the backfill and at the head", async () => {
    const chain = grow(newChain(), 120)
    const unknown = () => managedSwap(manager, hash("nobody's"), { paid0: true, paid: 1n, got: 1n })
    chain.block([unknown(), unknown()])
    grow(chain, 80)
    chain.block([unknown()])
    const { skipped } = await follow(chain)
    expect(skipped).toEqual({ malformed: 0, unknownPool: 203 })
    await expectTruth(chain)
  })

  test("are none where they are not followed", async () => {
    const chain = grow(newChain(), 40)
    const asked: Array<string> = []
    const { skipped } = await follow(chain, {
      settings: { swaps: false, poolManagers: [] },
      askPools: (addresses, answer) => {
        asked.push(...addresses)
        return Effect.succeed(answer)
      },
    })
    expect([skipped, asked]).toEqual([{ malformed: 0, unknownPool: 0 }, []])
    const { swaps, perToken } = await contentOf(store, chainId, chain)
    expect(swaps.items).toEqual([])
    expect(perToken.length).toBe(1)
  })
})

describe("the pools", () => {
  test("are asked once each, of a state that has their blocks: far behind the head a newer one too, near it that of the block itself", async () => {
    const chain = grow(newChain(), 60)
    const asked: Array<string> = []
    const options: Partial<WorldOptions> = {
      askPools: (addresses, answer, at) => {
        for (const each of addresses) asked.push(`${each} ${at.block} ${at.hash ?? "or newer"}`)
        return Effect.succeed(answer)
      },
    }
    // Blocks to 19 are final.
    await inWorld(
      { node: new FakeNode(chain), store, settings: { ...settings, finality: 40, rpcConcurrency: 1 }, ...options },
      (world) =>
        Effect.gen(function* () {
          yield* world.caughtUp(chain)
          const behind = [pair, pool, stranger, zeroAddress, dollar].map((each) => `${each} 19 or newer`)
          expect(asked.toSorted()).toEqual(behind.toSorted())
          asked.length = 0
          const fresh = address(0x53)
          chain.pools.set(fresh, { ...chain.pools.get(pair)!, pool: fresh })
          chain.block([swap(fresh, { paid0: true, paid: 5n, got: 3n })])
          yield* world.caughtUp(chain)
          expect(asked).toEqual([`${fresh} 60 ${chain.blocks.at(-1)!.header.hash}`])
        }),
    )
    await expectTruth(chain)
  })

  test("that cannot be asked hold the chain up, and are no less pools for it", async () => {
    const chain = grow(newChain(), 60)
    for (const growth of [0, 1, 5]) {
      grow(chain, growth)
      let failures = 7
      const { problem } = await follow(chain, {
        askPools: (_, answer) =>
          failures-- > 0
            ? Effect.fail(new SourceUnavailable({ message: "the node is tired" }))
            : Effect.succeed(answer),
      })
      expect(problem).toBeUndefined()
      await expectTruth(chain)
    }
  })

  test("are asked again after a reorg: another contract may stand at the address", async () => {
    const chain = grow(newChain(), 50)
    await inWorld({ node: new FakeNode(chain), store, settings }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        const late = address(0x53)
        const sides = { paid0: true, paid: 5n, got: 3n }
        chain.pools.set(late, { ...chain.pools.get(pair)!, pool: late })
        chain.block([swap(late, sides)])
        yield* world.caughtUp(chain)
        chain.truncate(49)
        chain.pools.set(late, { ...chain.pools.get(pair)!, pool: late, token0: dollar, token1: gold })
        grow(chain.block([swap(late, sides)], { salt: "other" }), 3, "other")
        yield* world.caughtUp(chain)
      }),
    )
    await expectTruth(chain)
  })
})

describe("a reorg", () => {
  test("takes swaps and new pools back with their blocks", async () => {
    const chain = grow(newChain(), 60)
    const node = new FakeNode(chain)
    await inWorld({ node, store, settings }, (world) =>
      Effect.gen(function* () {
        for (const depth of [1, 9, 3, 8]) {
          yield* world.caughtUp(chain)
          grow(chain.truncate(chain.nextBlock - depth), depth + 1, `fork ${depth}`)
        }
        yield* world.caughtUp(chain)
      }),
    )
    const items = await expectTruth(chain)
    expect(items.length).toBeGreaterThan(60)
  })
})
