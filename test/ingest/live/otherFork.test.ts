/** A node on another fork, which parts below the window: the others are asked before the chain stops for it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import { zeroAddress } from "../../../src/model/primitives.ts"
import type { SourceNodes } from "../../../src/ports/ChainSource.ts"
import { openStore, type TestStore } from "../../contracts/store.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { FakeNode } from "../../support/nodes/fakeNode.ts"
import { inWorld, type World } from "../world.ts"

const grow = (chain: TestChain, length: number, salt = "") => {
  for (let made = 0; made < length; made++)
    chain.block([transfer(address(0x70), zeroAddress, address(0xa), 5n)], { salt })
  return chain
}
const chainOf = (length: number) => grow(new TestChain(), length)
/** As `chainOf`, but for the blocks from there on; the window is ten blocks. */
const forkOf = (length: number, from = 39) => grow(chainOf(from), length - from, "other")

/** One that answers as these do, in turns: where it is left the next one is in use. */
const inTurns = (...nodes: ReadonlyArray<FakeNode>) => {
  let current = 0
  const inUse = () => nodes[current]!
  const places: SourceNodes = {
    labels: nodes.map((_, place) => `https://${place}.test`),
    current: () => current,
    tellerOf: () => undefined,
    logs: () => Effect.undefined,
    logsOfBlock: () => Effect.undefined,
  }
  return Object.assign(new FakeNode(inUse().chain), {
    chainId: Effect.suspend(() => inUse().chainId),
    head: Effect.suspend(() => inUse().head),
    headers: (numbers: ReadonlyArray<number>) => Effect.suspend(() => inUse().headers(numbers)),
    logs: (from: number, to: number) => Effect.suspend(() => inUse().logs(from, to)),
    logsOfBlocks: (hashes: ReadonlyArray<string>) => Effect.suspend(() => inUse().logsOfBlocks(hashes)),
    failover: Effect.sync(() => {
      current = (current + 1) % nodes.length
    }),
    nodes: places,
    prefer: (place: number) => {
      current = place
    },
  })
}

let store: TestStore
beforeEach(async () => {
  store = await openStore(async () => MemoryStore.layer)
  const chain = chainOf(50)
  await inWorld({ node: new FakeNode(chain), store }, (world) => world.caughtUp(chain))
})
afterEach(() => store.close())

const stopped = (world: World) => world.until(() => world.status().phase === "stopped")

describe("a preferred node on another fork", () => {
  for (const strangers of [1, 2, 5]) {
    test(`is left for one that has the stored block, behind ${strangers} of its kind`, async () => {
      const chain = chainOf(52)
      const others = Array.from({ length: strangers }, () => new FakeNode(forkOf(60)))
      const node = inTurns(...others, new FakeNode(chain))
      const phases = new Set<string>()
      const writes = await inWorld({ node, store }, (world) =>
        Effect.gen(function* () {
          const isDone = () => {
            phases.add(world.status().phase)
            return world.writes.length > 0
          }
          yield* world.until(isDone)
          yield* world.caughtUp(chain)
          // It is preferred again after a while.
          node.prefer(0)
          grow(chain, 2)
          yield* world.until(() => isDone() && world.writes.length > 1)
          yield* world.caughtUp(chain)
          return world.writes
        }),
      )
      expect(phases).not.toContain("stopped")
      expect(writes.every((write) => write.startsWith("append"))).toBe(true)
    })
  }

  test("is left at the start too, where it has other landmarks", async () => {
    const chain = chainOf(300)
    await inWorld({ node: new FakeNode(chain), store }, (world) => world.caughtUp(chain))
    const node = inTurns(...Array.from({ length: 5 }, () => new FakeNode(forkOf(300, 200))), new FakeNode(chain))
    grow(chain, 2)
    const phases = new Set<string>()
    await inWorld({ node, store }, (world) =>
      world.until(() => {
        phases.add(world.status().phase)
        return world.status().indexedBlock === 301
      }),
    )
    expect(phases).not.toContain("stopped")
  })

  test("stops the chain where every node that answers is on it, and goes on once another has the stored block", async () => {
    const second = new FakeNode(forkOf(61))
    const node = inTurns(new FakeNode(forkOf(60)), second)
    const chain = chainOf(53)
    await inWorld({ node, store }, (world) =>
      Effect.gen(function* () {
        yield* stopped(world)
        expect(world.status().problem).toMatch(
          /node's block 39 is 0x\w+, the stored one 0x\w+\..*set FINALITY_1 above 10/,
        )
        expect(world.writes).toEqual([])
        yield* world.pass(60)
        expect(world.status().phase).toBe("stopped")
        Object.assign(second, { chain })
        yield* world.caughtUp(chain)
        expect(world.writes.every((write) => write.startsWith("append"))).toBe(true)
      }),
    )
  })
})
