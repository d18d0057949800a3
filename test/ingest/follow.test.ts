/** follow against a scripted node: what it stores is what the chain holds, whatever the node does meanwhile. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Latch } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { ChainId, zeroAddress } from "../../src/model/primitives.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { LedgerUnavailable, type LedgerWriter } from "../../src/ports/Ledger.ts"
import type { ChainSyncStatus } from "../../src/ports/SyncStatus.ts"
import { contentOf } from "../contracts/content.ts"
import { openStore, type TestStore } from "../contracts/store.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../support/chain/testChain.ts"
import { FakeNode, type Faults } from "../support/nodes/fakeNode.ts"
import { chainId, comparable, inWorld, truthOf, type World, type WorldOptions } from "./world.ts"

const [token, other, alice, bob] = [address(0x70), address(0x71), address(0xa), address(0xb)]
const [art, goods] = [address(0x72), address(0x73)]

/** `length` more blocks: a mint in each and what alice sends bob, of every standard. */
const grow = (chain: TestChain, length: number, salt = "") => {
  for (let made = 0; made < length; made++) {
    const id = BigInt(chain.nextBlock)
    const events = [
      transfer(token, zeroAddress, alice, 5n),
      nftTransfer(art, zeroAddress, alice, id),
      transfer(token, alice, bob, 2n),
      multiTransfer(goods, zeroAddress, alice, [
        [id % 3n, 7n],
        [1n, 2n],
      ]),
      nftTransfer(art, alice, id % 5n === 0n ? zeroAddress : bob, id - (id % 2n)),
      multiTransfer(goods, alice, bob, [[1n, 1n]]),
    ]
    chain.block(events, { salt })
  }
  return chain
}
const fork = (chain: TestChain, depth: number, salt: string, length = depth) =>
  grow(chain.truncate(chain.nextBlock - depth), length, salt)

let store: TestStore
beforeEach(async () => {
  store = await openStore(async () => MemoryStore.layer)
})
afterEach(() => store.close())

const expectTruth = async (chain: TestChain) =>
  expect(comparable(await contentOf(store, chainId, chain))).toEqual(await truthOf(chain))

const follows = (name: string, faults: Faults, options: Partial<WorldOptions> = {}, length = 300) =>
  test(name, async () => {
    const chain = grow(new TestChain(), length)
    const node = new FakeNode(chain, faults)
    await inWorld({ node, store, ...options }, (world) => world.caughtUp(chain))
    await expectTruth(chain)
  })

describe("a chain that stands still", () => {
  follows("is stored whole", {})
  follows("is stored whole, from a chain shorter than the window", {}, {}, 5)
  follows("is stored whole where every block is final at once", {}, { settings: { finality: 0 } })
  follows("is stored whole where the node takes 7 blocks at most", { mostBlocks: 7 })
  follows("is stored whole where the node proposes shorter ranges", { mostBlocks: 7, suggests: true })
  follows("is stored whole where single blocks hold more logs than the node gives", { mostLogs: 1 })
  follows("is stored whole where every header is read", { mostBlocks: 70 }, { settings: { verify: "full" } })

  let seed = 42
  const chance = (probability: number) => () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed / 2 ** 32 < probability
  }
  follows("is stored whole where one call in five fails", { fails: chance(0.2), mostBlocks: 50 })

  test("is stored from START_BLOCK on", async () => {
    const chain = new TestChain(new Set(), 100)
    grow(chain, 60)
    const node = new FakeNode(chain)
    node.headers = (
      (headers) => (numbers: ReadonlyArray<number>) =>
        Effect.map(headers.call(node, numbers), (found) => (numbers[0] === 0 ? [chain.blocks[0]!.header] : found))
    )(node.headers)
    await inWorld({ node, store, settings: { startBlock: 100 } }, (world) => world.caughtUp(chain))
    await expectTruth(chain)
  })

  test("is stored block by block where the logs of later ones are not there yet", async () => {
    const chain = grow(new TestChain(), 6)
    const node = new FakeNode(chain)
    let lacks = true
    node.logsOfBlocks = (
      (logsOfBlocks) => (hashes: ReadonlyArray<string>) =>
        Effect.map(logsOfBlocks.call(node, hashes), (found) =>
          found.map((logs, place) => (hashes[place] === chain.blocks[4]!.header.hash && lacks ? undefined : logs)),
        )
    )(node.logsOfBlocks)
    const writes = await inWorld({ node, store }, (world) =>
      Effect.gen(function* () {
        yield* world.until(() => world.status().problem?.startsWith("the node gave block 4, but no answer") === true)
        expect(world.status().indexedBlock).toBe(3)
        lacks = false
        yield* world.caughtUp(chain)
        return world.writes
      }),
    )
    expect(writes).toEqual(["append 0-3", "append 4-5"])
    await expectTruth(chain)
  })

  test("is stored in few, large segments far behind the head and block by block at it", async () => {
    const chain = grow(new TestChain(), 300)
    const node = new FakeNode(chain)
    const writes = await inWorld({ node, store }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        for (let block = 0; block < 3; block++) {
          grow(chain, 1)
          yield* world.caughtUp(chain)
        }
        return world.writes
      }),
    )
    expect(writes).toEqual(["append 0-289", "append 290-299", "append 300-300", "append 301-301", "append 302-302"])
  })

  test("gives only the tokens that are followed, whatever the node sends", async () => {
    const chain = new TestChain()
    for (let block = 0; block < 40; block++) {
      chain.block([transfer(other, zeroAddress, alice, 1n), transfer(token, zeroAddress, bob, 1n)])
    }
    const only = new TestChain()
    for (let block = 0; block < 40; block++) only.block([transfer(token, zeroAddress, bob, 1n)], { logIndex: 1 })
    await inWorld({ node: new FakeNode(chain), store, settings: { tokens: [token] } }, (world) => world.caughtUp(chain))
    const { perStandard } = await contentOf(store, chainId, chain)
    const { list, transfers } = perStandard[0]!
    expect(list.items.map((item) => item.address)).toEqual([token])
    expect(transfers.items.map(({ blockNumber, logIndex }) => [blockNumber, logIndex])).toEqual(
      only.blocks.map(({ header }) => [header.number, 1]),
    )
  })
})

describe("a reorg", () => {
  for (const depth of [1, 2, 5, 10]) {
    test(`of ${depth} blocks at the head is rolled back to the common ancestor`, async () => {
      const chain = grow(new TestChain(), 50)
      const writes = await inWorld({ node: new FakeNode(chain), store }, (world) =>
        Effect.gen(function* () {
          yield* world.caughtUp(chain)
          fork(chain, depth, "fork", depth + 1)
          yield* world.caughtUp(chain)
          return world.writes
        }),
      )
      expect(writes).toContain(`rollback ${50 - depth}`)
      await expectTruth(chain)
    })
  }

  test("to a chain of the same length is noticed", async () => {
    const chain = grow(new TestChain(), 50)
    await inWorld({ node: new FakeNode(chain), store }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        fork(chain, 3, "same length")
        yield* world.caughtUp(chain)
      }),
    )
    await expectTruth(chain)
  })

  test("to a shorter chain is noticed", async () => {
    const chain = grow(new TestChain(), 50)
    await inWorld({ node: new FakeNode(chain), store }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        fork(chain, 5, "shorter", 2)
        yield* world.caughtUp(chain)
      }),
    )
    await expectTruth(chain)
  })

  test("of the whole ledger, while nothing is final, begins again", async () => {
    const chain = grow(new TestChain(), 5)
    const writes = await inWorld({ node: new FakeNode(chain), store, settings: { startBlock: 1 } }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        fork(chain, 4, "all of it", 6)
        yield* world.caughtUp(chain)
        return world.writes
      }),
    )
    expect(writes).toEqual(["append 1-4", "rollback 1", "append 1-6"])
  })

  test("between a header and its logs is read again", async () => {
    const chain = grow(new TestChain(), 50)
    const node = new FakeNode(chain)
    await inWorld({ node, store }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        grow(chain, 2)
        node.faults.before = (call) => {
          if (!call.startsWith("logsOfBlocks")) return
          delete node.faults.before
          fork(chain, 1, "between")
        }
        yield* world.caughtUp(chain)
      }),
    )
    await expectTruth(chain)
  })

  test("while the service is off is found when it comes back, far behind", async () => {
    const chain = grow(new TestChain(), 50)
    await inWorld({ node: new FakeNode(chain), store }, (world) => world.caughtUp(chain))
    fork(chain, 6, "meanwhile", 200)
    const writes = await inWorld({ node: new FakeNode(chain), store }, (world) =>
      Effect.as(world.caughtUp(chain), world.writes),
    )
    expect(writes[0]).toBe("rollback 44")
    await expectTruth(chain)
  })

  test("below the window stops the chain, says what to do and changes nothing", async () => {
    const chain = grow(new TestChain(), 50)
    await inWorld({ node: new FakeNode(chain), store }, (world) => world.caughtUp(chain))
    const before = await contentOf(store, chainId, chain)
    const forked = fork(grow(new TestChain(), 50), 11, "too deep", 20)
    const { status, writes } = await inWorld({ node: new FakeNode(forked), store }, (world) =>
      Effect.gen(function* () {
        yield* world.until(() => world.status().phase === "stopped")
        return { status: world.status(), writes: world.writes }
      }),
    )
    expect(status.problem).toMatch(/node's block 39 is 0x\w+, the stored one 0x\w+\..*set FINALITY_1 above 10/)
    expect(writes).toEqual([])
    expect(await contentOf(store, chainId, chain)).toEqual(before)
  })

  test("is not believed of a node that is merely behind", async () => {
    const chain = grow(new TestChain(), 50)
    const node = new FakeNode(chain)
    const writes = await inWorld({ node, store }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        for (const shown of [49, 48, 44, 20, 45]) {
          node.faults.shown = shown
          yield* world.pass(30)
        }
        delete node.faults.shown
        grow(chain, 1)
        yield* world.caughtUp(chain)
        return world.writes
      }),
    )
    expect(writes).toEqual(["append 0-39", "append 40-49", "append 50-50"])
  })
})

describe("a node that contradicts itself", () => {
  test("by logs of another block than the header is asked again", async () => {
    const chain = grow(new TestChain(), 100)
    const node = new FakeNode(chain)
    const stale = grow(new TestChain(), 60, "stale")
    let lies = 3
    node.logs = (
      (logs) => (from: number, to: number) =>
        lies-- > 0 && to < 60 ? new FakeNode(stale).logs(from, to) : logs.call(node, from, to)
    )(node.logs)
    await inWorld({ node, store, settings: { finality: 45 } }, (world) => world.caughtUp(chain))
    await expectTruth(chain)
  })

  test("by a block older than its parent is never believed", async () => {
    const chain = grow(new TestChain(), 30).block([], { time: 5 })
    const status = await inWorld({ node: new FakeNode(chain), store }, (world) =>
      Effect.gen(function* () {
        yield* world.pass(120)
        const problem = world.status().problem
        chain.truncate(30).block([], { salt: "better" })
        yield* world.caughtUp(chain)
        return { problem, after: world.status() }
      }),
    )
    expect(status.problem).toBe("block 30 is older than block 29 before it")
    expect(status.after.problem).toBeUndefined()
    await expectTruth(chain)
  })
})

test("a head that was never true does not hold up a backfill for ever", async () => {
  const chain = grow(new TestChain(), 60)
  const node = new FakeNode(chain)
  const truth = node.head
  let lies = 2
  Object.assign(node, {
    head: Effect.map(truth, (head) => (lies-- > 0 ? { ...head, number: 1_000_000_000 } : head)),
  })
  await inWorld({ node, store }, (world) => world.caughtUp(chain))
  await expectTruth(chain)
})

test.each(["chainId", "headers 0"])(
  "a bug that is met before the ledger is opened is said, and tried again: %s",
  async (where) => {
    const chain = grow(new TestChain(), 20)
    let isBroken = true
    const before = (call: string) => {
      if (isBroken && call === where) throw new RangeError("Maximum call stack size exceeded.")
    }
    await inWorld({ node: new FakeNode(chain, { before }), store }, (world) =>
      Effect.gen(function* () {
        yield* world.until(() => world.status().problem?.includes("a bug was met") === true)
        expect(world.status().phase).toBe("waiting")
        isBroken = false
        yield* world.caughtUp(chain)
        expect(world.status().problem).toBeUndefined()
      }),
    )
    await expectTruth(chain)
  },
)

test("a problem is forgotten when it is over, also where no block comes", async () => {
  const chain = grow(new TestChain(), 30)
  const node = new FakeNode(chain)
  const problems = await inWorld({ node, store }, (world) =>
    Effect.gen(function* () {
      yield* world.caughtUp(chain)
      node.faults.fails = () => true
      yield* world.pass(5)
      const during = world.status().problem
      delete node.faults.fails
      yield* world.pass(60)
      return [during, world.status().problem]
    }),
  )
  expect(problems).toEqual(["the node is out of order", undefined])
})

test("a fork below the window that the node takes back is over", async () => {
  const chain = grow(new TestChain(), 50)
  const node = new FakeNode(chain)
  const forked = fork(grow(new TestChain(), 50), 11, "too deep", 20)
  const [own, stranger] = [{ head: node.head, headers: node.headers }, new FakeNode(forked)]
  await inWorld({ node, store }, (world) =>
    Effect.gen(function* () {
      yield* world.caughtUp(chain)
      Object.assign(node, { head: stranger.head, headers: stranger.headers.bind(stranger) })
      yield* world.until(() => world.status().phase === "stopped")
      yield* world.pass(60)
      Object.assign(node, own)
      grow(chain, 1)
      yield* world.caughtUp(chain)
    }),
  )
  await expectTruth(chain)
})

describe("a node that becomes another chain's", () => {
  /** What is said while the node shows `other`, and after it is itself again and a block further. */
  const storyOf = async (other: TestChain, chainId = ChainId.make("1")) => {
    const chain = grow(new TestChain(), 50)
    const [node, stranger] = [new FakeNode(chain), new FakeNode(other)]
    const own = { head: node.head, headers: node.headers, logs: node.logs }
    const said = await inWorld({ node, store }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        const before = world.writes.length
        Object.assign(node, {
          head: stranger.head,
          headers: stranger.headers.bind(stranger),
          logs: stranger.logs.bind(stranger),
        })
        node.faults.chainId = chainId
        yield* world.until(() => world.status().phase === "stopped")
        const { problem = "", faults } = world.status()
        yield* world.pass(120)
        const written = world.writes.length - before
        Object.assign(node, own)
        delete node.faults.chainId
        grow(chain, 1)
        yield* world.caughtUp(chain)
        yield* world.pass(1)
        return { problem, faults, written, after: world.status() }
      }),
    )
    expect([said.written, said.after.problem, said.after.phase]).toEqual([0, undefined, "live"])
    await expectTruth(chain)
    return said
  }

  test("with a genesis of its own takes nothing back, and is named", async () => {
    const { problem, faults } = await storyOf(grow(new TestChain(new Set(), 0, 5), 60, "begun anew"))
    expect(problem).toMatch(/^the node's block 0 is 0x\w+, the ledger's chain began with 0x\w+: .*run: cowry resync 1$/)
    expect(faults.genesis).toBeGreaterThan(0)
  })

  test("is found out also where it has only just begun", async () => {
    const { faults } = await storyOf(grow(new TestChain(new Set(), 0, 5), 3, "begun anew"))
    expect([faults.genesis > 0, faults.behind > 0]).toEqual([true, true])
  })

  test("that parted long ago takes nothing back, and is named by its id", async () => {
    const { problem, faults } = await storyOf(fork(grow(new TestChain(), 50), 40, "classic", 60), ChainId.make("61"))
    expect(problem).toStartWith("a node of RPC_URL_1 is of chain 61")
    expect(faults.chain).toBeGreaterThan(0)
  })
})

test("a head that stays below the ledger's is said, and the next block ends it", async () => {
  const chain = grow(new TestChain(), 50)
  const node = new FakeNode(chain)
  const said = await inWorld({ node, store }, (world) =>
    Effect.gen(function* () {
      yield* world.caughtUp(chain)
      node.faults.shown = 47
      yield* world.pass(8)
      const soon = world.status().problem
      yield* world.pass(20)
      const late = world.status().problem
      delete node.faults.shown
      yield* world.pass(40)
      return [soon, late, world.status().problem]
    }),
  )
  expect(said).toEqual([undefined, "the node is at block 47, the ledger at 49: it is behind", undefined])
})

describe("what stops a chain", () => {
  test("a node of another chain", async () => {
    const node = new FakeNode(grow(new TestChain(), 3), { chainId: ChainId.make("5") })
    const { problem } = await inWorld({ node, store }, (world) =>
      Effect.map(
        world.until(() => world.status().phase === "stopped"),
        world.status,
      ),
    )
    expect(problem).toBe("a node of RPC_URL_1 is of chain 5: correct the setting and start again")
  })

  test("a ledger that was made with other settings", async () => {
    const chain = grow(new TestChain(), 3)
    await inWorld({ node: new FakeNode(chain), store }, (world) => world.caughtUp(chain))
    const { problem } = await inWorld({ node: new FakeNode(chain), store, settings: { tokens: [token] } }, (world) =>
      Effect.map(
        world.until(() => world.status().phase === "stopped"),
        world.status,
      ),
    )
    expect(problem).toStartWith("chain 1 was stored with other settings")
  })
})

describe("a chain that was stopped goes on by itself", () => {
  const stopped = (world: World) => world.until(() => world.status().phase === "stopped")
  const goesOn = { phase: "live", problem: undefined } as const
  const goneOn = ({ phase, problem }: ChainSyncStatus) => ({ phase, problem })

  test("when its node is of the chain again", async () => {
    const node = new FakeNode(grow(new TestChain(), 3), { chainId: ChainId.make("5") })
    const status = await inWorld({ node, store }, (world) =>
      Effect.gen(function* () {
        yield* stopped(world)
        yield* world.pass(60)
        expect(world.writes).toEqual([])
        delete node.faults.chainId
        yield* world.caughtUp(node.chain)
        yield* world.pass(2)
        return world.status()
      }),
    )
    expect(goneOn(status)).toEqual(goesOn)
  })

  test("when a ledger of its settings takes the place of the refused one", async () => {
    const chain = grow(new TestChain(), 30)
    await inWorld({ node: new FakeNode(chain), store }, (world) => world.caughtUp(chain))
    let ledger = chainId
    const options = { node: new FakeNode(chain), store, settings: { tokens: [token] }, ledgerOf: () => ledger }
    const [during, after] = await inWorld(options, (world) =>
      Effect.gen(function* () {
        yield* stopped(world)
        yield* world.pass(60)
        const before = world.status()
        expect(world.writes).toEqual([])
        ledger = ChainId.make("2")
        yield* world.caughtUp(chain)
        yield* world.pass(2)
        return [before, world.status()] as const
      }),
    )
    expect(during).toMatchObject({ phase: "stopped", problem: expect.stringContaining("other settings") })
    expect(goneOn(after)).toEqual(goesOn)
  })

  test("when its chain was begun anew, and the ledger is of the new one", async () => {
    const chain = grow(new TestChain(), 50)
    let ledger = chainId
    const options = { node: new FakeNode(chain), store, ledgerOf: () => ledger }
    const [during, after] = await inWorld(options, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        grow(chain.truncate(0), 60, "anew")
        yield* stopped(world)
        yield* world.pass(60)
        const before = world.status()
        expect(world.writes.at(-1)).toBe("append 40-49")
        ledger = ChainId.make("2")
        yield* world.caughtUp(chain)
        yield* world.pass(2)
        return [before, world.status()] as const
      }),
    )
    expect(during).toMatchObject({ phase: "stopped" })
    expect(goneOn(after)).toEqual(goesOn)
  })

  test("when another ledger takes the place of one whose fork is too deep, and not before", async () => {
    const chain = grow(new TestChain(), 50)
    await inWorld({ node: new FakeNode(chain), store }, (world) => world.caughtUp(chain))
    const forked = fork(grow(new TestChain(), 50), 11, "too deep", 20)
    let ledger = chainId
    const options = { node: new FakeNode(forked), store, ledgerOf: () => ledger }
    const [during, after] = await inWorld(options, (world) =>
      Effect.gen(function* () {
        yield* stopped(world)
        yield* world.pass(60)
        const before = world.status()
        expect(world.writes).toEqual([])
        ledger = ChainId.make("2")
        yield* world.caughtUp(forked)
        yield* world.pass(2)
        return [before, world.status()] as const
      }),
    )
    expect(during).toMatchObject({ phase: "stopped", problem: expect.stringContaining("cowry resync 1") })
    expect(goneOn(after)).toEqual(goesOn)
  })
})

describe("the head is watched whatever the ledger does", () => {
  /** What is said of the head, the chain's and the status's, 60 s later, with 20 blocks more. */
  const later = Effect.fnUntraced(function* (world: World, node: FakeNode) {
    const before = world.status()
    grow(node.chain, 20)
    yield* world.pass(60)
    const { headBlock, indexedBlock, heardAt } = world.status()
    return { headBlock, indexedBlock, isFresh: heardAt! - before.heardAt! > 40_000 }
  })

  test("while an append hangs", async () => {
    const node = new FakeNode(grow(new TestChain(), 30))
    const hung = Latch.makeUnsafe(true)
    const wrapWriter = (writer: LedgerWriter): LedgerWriter => ({
      ...writer,
      append: (segment) => Effect.andThen(hung.await, writer.append(segment)),
    })
    const said = await inWorld({ node, store, wrapWriter }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(node.chain)
        hung.closeUnsafe()
        grow(node.chain, 1)
        yield* world.pass(5)
        const during = yield* later(world, node)
        hung.openUnsafe()
        yield* world.caughtUp(node.chain)
        return during
      }),
    )
    expect(said).toEqual({ headBlock: 50, indexedBlock: 29, isFresh: true })
  })

  test("while it cannot be opened", async () => {
    const node = new FakeNode(grow(new TestChain(), 30))
    let isDown = false
    const wrapWriter = (writer: LedgerWriter): LedgerWriter => ({
      ...writer,
      append: (segment) => (isDown ? new LedgerUnavailable({ cause: "down" }) : writer.append(segment)),
    })
    const ledgerOf = () => {
      if (isDown) throw new Error("down")
      return chainId
    }
    const said = await inWorld({ node, store, wrapWriter, ledgerOf }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(node.chain)
        isDown = true
        grow(node.chain, 1)
        yield* world.pass(5)
        const during = yield* later(world, node)
        const { problem } = world.status()
        isDown = false
        yield* world.caughtUp(node.chain)
        return { ...during, problem }
      }),
    )
    expect(said).toEqual({
      headBlock: 50,
      indexedBlock: 29,
      isFresh: true,
      problem: "the store cannot be reached; it is asked again every few seconds",
    })
  })

  test("while it cannot be opened for long, which is asked for evenly, and goes on seconds after it can", async () => {
    const node = new FakeNode(grow(new TestChain(), 30))
    let isDown = true
    let asked = 0
    const ledgerOf = () => {
      asked++
      if (isDown) throw new Error("down")
      return chainId
    }
    const [inVain, status] = await inWorld({ node, store, ledgerOf }, (world) =>
      Effect.gen(function* () {
        yield* world.pass(1200)
        const before = asked
        isDown = false
        yield* world.pass(10)
        return [before, world.status()] as const
      }),
    )
    expect(inVain).toBeGreaterThan(1200 / 6)
    expect(inVain).toBeLessThan(1200 / 2)
    expect([status.phase, status.indexedBlock, status.problem]).toEqual(["live", 29, undefined])
  })

  test("but not that of a node of another chain", async () => {
    const node = new FakeNode(grow(new TestChain(), 30), { chainId: ChainId.make("5") })
    const status = await inWorld({ node, store }, (world) => Effect.map(world.pass(120), world.status))
    expect([status.phase, status.headBlock]).toEqual(["stopped", undefined])
  })
})

describe("the status of a node that does not tell its head", () => {
  const heardOf = (head: Effect.Effect<never, SourceUnavailable>) => {
    const node = new FakeNode(grow(new TestChain(), 300))
    let heardAt = 0
    const heard = Object.assign(node, { heardAt: () => heardAt })
    return inWorld({ node: heard, store }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(node.chain)
        const before = world.status()
        Object.assign(node, { head })
        yield* world.pass(5)
        heardAt = before.heardAt! + 20_000
        yield* world.pass(60)
        const { heardAt: after, logsPerSecond, blocksPerSecond } = world.status()
        return { isFaster: before.logsPerSecond > 0, later: after! - before.heardAt!, logsPerSecond, blocksPerSecond }
      }),
    )
  }
  const fallen = { isFaster: true, logsPerSecond: 0, blocksPerSecond: 0 }

  test("counts its other answers where the question waits in a queue of ours, and rates fall", async () => {
    expect(await heardOf(Effect.never)).toEqual({ ...fallen, later: 20_000 })
  })

  test("counts nothing else where it fails to", async () => {
    const { later, ...rates } = await heardOf(Effect.fail(new SourceUnavailable({ message: "HTTP 500" })))
    expect(rates).toEqual(fallen)
    expect(later).toBeLessThan(5000)
  })
})
