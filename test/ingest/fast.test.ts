/** follow on chains of many blocks a second: it stays at the head, says so, and asks for nothing twice. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { zeroAddress } from "../../src/model/primitives.ts"
import { openStore } from "../contracts/store.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { FakeNode, type Faults } from "../support/nodes/fakeNode.ts"
import { inWorld, type World } from "./world.ts"

const grow = (chain: TestChain, length: number) => {
  for (let made = 0; made < length; made++) chain.block([transfer(address(0x70), zeroAddress, address(0xa), 1n)])
  return chain
}

/** Ten times a second, for so many seconds; gives how far behind it was each time, and what that was called. */
const run = Effect.fnUntraced(function* (world: World, chain: TestChain, blocksPerSecond: number, seconds: number) {
  const seen: Array<{ readonly lag: number; readonly phase: string }> = []
  for (let tick = 0; tick < seconds * 10; tick++) {
    grow(chain, blocksPerSecond / 10)
    yield* world.pass(0.1)
    const { indexedBlock = -1, phase } = world.status()
    seen.push({ lag: chain.nextBlock - 1 - indexedBlock, phase })
  }
  return seen
})

/** Looks at the head, and headers that were asked for beside them. */
const callsOf = ({ calls }: FakeNode) => {
  const headers = calls.flatMap((call) => (call.startsWith("headers ") ? call.split(",") : [])).length
  return calls.filter((call) => call === "head").length + headers
}

for (const blocksPerSecond of [10, 50, 100]) {
  test(`of ${blocksPerSecond} blocks a second it is live, a tenth of a second or two behind`, async () => {
    const chain = grow(new TestChain(), 3)
    const node = new FakeNode(chain)
    await inWorld({ node, settings: { finality: 10 } }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        yield* run(world, chain, blocksPerSecond, 5)
        const asked = callsOf(node)
        const seen = yield* run(world, chain, blocksPerSecond, 20)
        expect(new Set(seen.map(({ phase }) => phase))).toEqual(new Set(["live"]))
        expect(Math.max(...seen.map(({ lag }) => lag))).toBeLessThanOrEqual(Math.max(3, blocksPerSecond / 5))
        // A look brings a header. These blocks come five or ten at once, so some looks in between find nothing.
        expect(callsOf(node) - asked).toBeLessThanOrEqual(20 * blocksPerSecond * 1.25)
        expect(node.calls.some((call) => call.startsWith("logs "))).toBe(false)
      }),
    )
  })
}

test("a fast chain that began far behind is a backfill first, and live in the end", async () => {
  const chain = grow(new TestChain(), 2000)
  await inWorld({ node: new FakeNode(chain), settings: { finality: 10 } }, (world) =>
    Effect.gen(function* () {
      const seen = yield* run(world, chain, 50, 30)
      expect(seen.slice(0, 20).map(({ phase }) => phase)).toContain("backfill")
      const late = seen.slice(200)
      expect(new Set(late.map(({ phase }) => phase))).toEqual(new Set(["live"]))
      expect(Math.max(...late.map(({ lag }) => lag))).toBeLessThanOrEqual(10)
    }),
  )
})

test("a ledger far behind is a backfill, also where another node behind the same address is far behind it", async () => {
  const chain = grow(new TestChain(), 300)
  const store = await openStore(async () => MemoryStore.layer)
  const settings = { finality: 10 }
  try {
    await inWorld({ node: new FakeNode(chain), store, settings }, (world) => world.caughtUp(chain))
    grow(chain, 3000)
    let looks = 0
    const faults: Faults = {}
    faults.before = (call) => {
      faults.shown = call === "head" && looks++ % 2 === 0 ? 100 : Number.POSITIVE_INFINITY
    }
    const node = new FakeNode(chain, faults)
    await inWorld({ node, store, settings }, (world) =>
      Effect.gen(function* () {
        const phases = new Set<string>()
        while ((world.status().indexedBlock ?? 0) < 3280) {
          yield* world.pass(0.1)
          if ((world.status().indexedBlock ?? 0) < 3280) phases.add(world.status().phase)
        }
        expect(phases).not.toContain("live")
        expect(node.calls.some((call) => call.startsWith("logs 300-"))).toBe(true)
        yield* world.caughtUp(chain)
        yield* world.until(() => world.status().phase === "live")
      }),
    )
  } finally {
    await store.close()
  }
})

test("a head of which another backend has not got the last 30 blocks yet leaves the node in use", async () => {
  const chain = grow(new TestChain(), 300)
  const node = new FakeNode(chain)
  node.faults.before = (call) => {
    node.faults.shown = call === "head" ? 299 : 269
  }
  await inWorld({ node, settings: { finality: 10 } }, (world) =>
    Effect.gen(function* () {
      yield* world.until(() => (world.status().indexedBlock ?? -1) >= 200)
      expect(node.calls).not.toContain("failover")
    }),
  )
})

test("a head that was announced is not asked for again", async () => {
  const chain = grow(new TestChain(), 3)
  const node = new FakeNode(chain)
  await inWorld({ node }, (world) =>
    Effect.gen(function* () {
      yield* world.caughtUp(chain)
      node.calls.length = 0
      for (let block = 0; block < 5; block++) {
        grow(chain, 1)
        yield* world.caughtUp(chain)
        yield* world.pass(5)
      }
      expect(node.calls.filter((call) => call.startsWith("headers"))).toEqual([])
    }),
  )
})
