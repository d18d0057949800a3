/** Backfill and its open append: what the ledger was given is stored soon, stored on a stop, and never twice or torn. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { zeroAddress } from "../../src/model/primitives.ts"
import type { LedgerWriter } from "../../src/ports/Ledger.ts"
import { contentOf } from "../contracts/content.ts"
import { openStore, type TestStore } from "../contracts/store.ts"
import { address, nftTransfer, TestChain, transfer } from "../support/chain/testChain.ts"
import { FakeNode } from "../support/nodes/fakeNode.ts"
import { chainId, comparable, inWorld, truthOf } from "./world.ts"

const [token, art, alice, bob] = [address(0x70), address(0x72), address(0xa), address(0xb)]
const chainOf = (blocks: number) => {
  const chain = new TestChain()
  for (let made = 0; made < blocks; made++) {
    // Few ids: the memory store looks through all of them again and again for those that nobody has asked.
    const second =
      made % 50 === 0 ? nftTransfer(art, zeroAddress, alice, BigInt(made)) : transfer(token, alice, bob, 2n)
    chain.block([transfer(token, zeroAddress, alice, 5n), second])
  }
  return chain
}
/** A node whose logs are long in coming, all ranges alike; `never` from a block on. */
const slowNode = (chain: TestChain, delay: number, mostBlocks = 100, never = Number.POSITIVE_INFINITY) => {
  const node = new FakeNode(chain, { mostBlocks })
  const { logs } = node
  node.logs = (from, to) => (to >= never ? Effect.never : Effect.delay(logs.call(node, from, to), delay))
  return node
}
const one = { rpcConcurrency: 1 } as const

let store: TestStore
beforeEach(async () => {
  store = await openStore(async () => MemoryStore.layer)
})
afterEach(() => store.close())
const expectTruth = async (chain: TestChain) =>
  expect(comparable(await contentOf(store, chainId, chain))).toEqual(await truthOf(chain))

test("a stop stores what the ledger was given, and it is whole", async () => {
  const chain = chainOf(1000)
  const writes = await inWorld({ node: slowNode(chain, 450), store, settings: one }, (world) =>
    Effect.gen(function* () {
      yield* world.until(() => world.status().logs >= 400)
      expect([world.writes, world.status().indexedBlock]).toEqual([[], undefined])
      yield* world.stop
      return world.writes
    }),
  )
  expect(writes).toHaveLength(1)
  const stored = Number(/^append 0-(\d+)$/.exec(writes[0]!)![1])
  expect(stored).toBeGreaterThanOrEqual(199)
  expect(stored).toBeLessThan(999)
  await expectTruth(chain.truncate(stored + 1))
})

test("a node that falls silent does not keep back what came before", async () => {
  const chain = chainOf(1000)
  await inWorld({ node: slowNode(chain, 10, 100, 300), store, settings: one }, (world) =>
    Effect.gen(function* () {
      yield* world.until(() => world.status().indexedBlock === 299)
      yield* world.pass(60)
      expect(world.status()).toMatchObject({ phase: "backfill", logs: 600, indexedBlock: 299 })
      expect(world.writes.at(-1)).toEndWith("-299")
    }),
  )
})

test("a slow chain is stored after a few seconds first, then every minute", async () => {
  const chain = chainOf(6000)
  const blocks = await inWorld({ node: slowNode(chain, 450, 20), store, settings: one }, (world) =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      for (let second = 1; second <= 100; second++) {
        yield* world.pass(1)
        const { indexedBlock } = world.status()
        if (indexedBlock !== undefined && indexedBlock !== seen.at(-1)) seen.push(indexedBlock)
        if (second > 5) expect(world.status().logsPerSecond).toBeGreaterThan(0)
      }
      return seen
    }),
  )
  expect(blocks.length).toBe(2)
  expect(blocks[0]).toBeLessThan(500)
})

test("a full ledger is committed at once", async () => {
  const chain = chainOf(1000)
  let parts = 0
  const small = (writer: LedgerWriter): LedgerWriter => ({
    ...writer,
    extend: (segment) =>
      Effect.map(writer.extend(segment), (extended) => {
        parts++
        return { ...extended, full: true }
      }),
  })
  const writes = await inWorld({ node: slowNode(chain, 450), store, settings: one, wrapWriter: small }, (world) =>
    Effect.as(world.caughtUp(chain), world.writes),
  )
  expect(parts).toBeGreaterThan(3)
  expect(writes.length).toBeGreaterThanOrEqual(parts)
  await expectTruth(chain)
})

test("a chunk that contradicts what was given makes it forgotten and read again", async () => {
  const chain = chainOf(1000)
  const node = slowNode(chain, 450)
  const { headers } = node
  const lies = new Set([0])
  node.headers = (numbers) =>
    Effect.map(headers.call(node, numbers), (found) => {
      if (lies.size > 8 || lies.has(numbers[0]!)) return found
      lies.add(numbers[0]!)
      return [{ ...found[0]!, parentHash: found[0]!.hash }, ...found.slice(1)]
    })
  let discarded = 0
  const watched = (writer: LedgerWriter): LedgerWriter => ({
    ...writer,
    discard: Effect.tap(writer.discard, () => Effect.sync(() => discarded++)),
  })
  await inWorld({ node, store, settings: one, wrapWriter: watched }, (world) => world.caughtUp(chain))
  expect(discarded).toBeGreaterThan(0)
  await expectTruth(chain)
})

test("a head that falls while an append is open stores it, and the chain goes on from there", async () => {
  const chain = chainOf(3000)
  const node = slowNode(chain, 450)
  const writes = await inWorld({ node, store, settings: one }, (world) =>
    Effect.gen(function* () {
      yield* world.until(() => world.status().logs >= 1600)
      node.faults.shown = 1500
      yield* world.pass(12)
      delete node.faults.shown
      yield* world.caughtUp(chain)
      return world.writes
    }),
  )
  const starts = writes.map((write) => Number(/\d+/.exec(write)![0]))
  const ends = writes.map((write) => Number(/\d+$/.exec(write)![0]))
  expect(starts.slice(1)).toEqual(ends.slice(0, -1).map((end) => end + 1))
  await expectTruth(chain)
})
