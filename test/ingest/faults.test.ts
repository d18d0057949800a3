/** follow when the store, the process or a token fails: nothing half written, nothing in the way of the others. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { Deferred, Effect, Fiber } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { type Address, zeroAddress } from "../../src/model/primitives.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { LedgerUnavailable, type LedgerWriter } from "../../src/ports/Ledger.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { contentOf } from "../contracts/content.ts"
import { openStore, type TestStore } from "../contracts/store.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../support/chain/testChain.ts"
import { FakeNode } from "../support/nodes/fakeNode.ts"
import { chainId, comparable, inWorld, truthOf } from "./world.ts"

const alice = address(0xa)
/** Blocks that each hold one mint of each token; of one of every standard where none are named. */
const mints = (blocks: number, tokens?: ReadonlyArray<Address>) => {
  const chain = new TestChain()
  for (let made = 0; made < blocks; made++) {
    const coins = (tokens ?? [address(0x70)]).map((token) => transfer(token, zeroAddress, alice, 1n))
    const id = BigInt(made)
    const others = [
      nftTransfer(address(0x72), zeroAddress, alice, id),
      multiTransfer(address(0x73), zeroAddress, alice, [
        [id, 1n],
        [id % 2n, 2n],
      ]),
    ]
    chain.block(tokens === undefined ? [...coins, ...others] : coins)
  }
  return chain
}

let store: TestStore
beforeEach(async () => {
  store = await openStore(async () => MemoryStore.layer)
})
afterEach(() => store.close())

const expectTruth = async (chain: TestChain) =>
  expect(comparable(await contentOf(store, chainId, chain))).toEqual(await truthOf(chain))

describe("interruption", () => {
  const interruptDuring = async (method: "append" | "rollback", disturb: (chain: TestChain) => void) => {
    const chain = mints(30)
    const events: Array<string> = []
    let armed = false
    await inWorld(
      {
        node: new FakeNode(chain),
        store,
        wrapWriter: (writer) => ({
          ...writer,
          [method]: (argument: never) =>
            armed
              ? Effect.gen(function* () {
                  events.push("begun")
                  yield* Effect.promise(() => gate)
                  const checkpoint = yield* writer[method](argument)
                  events.push("finished")
                  return checkpoint
                })
              : writer[method](argument),
        }),
      },
      (world) =>
        Effect.gen(function* () {
          yield* world.caughtUp(chain)
          armed = true
          disturb(chain)
          yield* world.until(() => events.length > 0)
          const stopping = yield* Effect.forkChild(world.stop, { startImmediately: true })
          events.push("asked to stop")
          release()
          yield* Fiber.join(stopping)
          events.push("stopped")
        }),
    )
    return events
  }
  let release = () => {}
  let gate: Promise<void>
  beforeEach(() => {
    gate = new Promise((resolve) => (release = resolve))
  })

  test("waits for the append under way", async () => {
    const events = await interruptDuring("append", (chain) => chain.block())
    expect(events).toEqual(["begun", "asked to stop", "finished", "stopped"])
  })

  test("waits for the rollback under way", async () => {
    const events = await interruptDuring("rollback", (chain) => chain.truncate(28).block([], { salt: "fork" }).block())
    expect(events).toEqual(["begun", "asked to stop", "finished", "stopped"])
  })

  test("does not wait for a node that never answers", async () => {
    const node = new FakeNode(mints(30))
    node.logs = () => Effect.never
    const phase = await inWorld({ node, store }, (world) =>
      Effect.gen(function* () {
        yield* world.until(() => world.status().phase === "backfill")
        yield* world.stop
        return world.status().phase
      }),
    )
    expect(phase).toBe("backfill")
  })

  test("and a new start go on from the checkpoint", async () => {
    const chain = mints(2000)
    const node = new FakeNode(chain)
    // Long in coming: far from done when it stops.
    node.logs = (
      (logs) => (from: number, to: number) =>
        Effect.delay(logs.call(node, from, to), from * 50)
    )(node.logs)
    const first = await inWorld({ node, store, settings: { rpcConcurrency: 1 } }, (world) =>
      Effect.gen(function* () {
        yield* world.until(() => world.writes.length >= 2)
        return [...world.writes]
      }),
    )
    const stored = Number(first.at(-1)!.split("-")[1])
    expect(stored).toBeLessThan(1500)
    const second = await inWorld({ node: new FakeNode(chain), store }, (world) =>
      Effect.as(world.caughtUp(chain), world.writes),
    )
    expect(second[0]).toStartWith(`append ${stored + 1}-`)
    await expectTruth(chain)
  })
})

describe("a store that fails", () => {
  const unavailable = new LedgerUnavailable({ cause: new Error("connection lost, password=hidden") })

  test("is opened again, and the chain goes on from what it holds", async () => {
    const chain = mints(300)
    let failures = 2
    const problems = new Set<string | undefined>()
    await inWorld(
      {
        node: new FakeNode(chain),
        store,
        wrapWriter: (writer) => ({
          ...writer,
          append: (segment) => (failures-- > 0 ? Effect.fail(unavailable) : writer.append(segment)),
        }),
      },
      (world) =>
        Effect.gen(function* () {
          yield* world.until(() => {
            problems.add(world.status().problem)
            return world.status().indexedBlock === 299
          })
        }),
    )
    expect([...problems]).toContain("the store cannot be reached; it is asked again every few seconds")
    expect(JSON.stringify([...problems])).not.toContain("hidden")
    await expectTruth(chain)
  })

  test("after it wrote, before it said so, makes nothing twice", async () => {
    const chain = mints(300)
    let failures = 3
    await inWorld(
      {
        node: new FakeNode(chain),
        store,
        wrapWriter: (writer) => ({
          ...writer,
          append: (segment) =>
            failures-- > 0 ? Effect.andThen(writer.append(segment), Effect.fail(unavailable)) : writer.append(segment),
        }),
      },
      (world) => {
        chain.block()
        return world.caughtUp(chain)
      },
    )
    await expectTruth(chain)
  })

  test("with a bug of ours does not end the chain", async () => {
    const chain = mints(40)
    let bugs = 1
    const crash = (writer: LedgerWriter): LedgerWriter => ({
      ...writer,
      append: (segment) => (bugs-- > 0 ? Effect.die(new TypeError("a bug")) : writer.append(segment)),
    })
    await inWorld({ node: new FakeNode(chain), store, wrapWriter: crash }, (world) => world.caughtUp(chain))
    await expectTruth(chain)
  })
})

describe("descriptions of tokens", () => {
  const describedOf = async () => {
    const { value } = await store.run(
      TokenStore.use((tokens) =>
        tokens.list({
          standard: "erc20",
          chains: [chainId],
          sort: { field: "createdAt", direction: "asc" },
          page: { limit: 1000 },
          count: false,
        }),
      ),
    )
    return value.items.filter(({ name }) => name !== undefined).map((token) => token.address)
  }
  const tokens = (count: number) => Array.from({ length: count }, (_, index) => address(0x100 + index))
  const broken = new SourceUnavailable({ message: "execution aborted (timeout = 5s)" })

  test("are fetched for old tokens and for those of the newest block", async () => {
    const chain = mints(40, tokens(3)).block([transfer(address(0x200), zeroAddress, alice, 1n)])
    await inWorld({ node: new FakeNode(chain), store, describe: () => Effect.succeed({ name: "N" }) }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(5)),
    )
    expect((await describedOf()).sort()).toEqual([...tokens(3), address(0x200)])
  })

  test("of tokens that never answer are left out, and keep no other waiting", async () => {
    const all = tokens(120)
    const never = new Set(all.slice(0, 70))
    const chain = mints(40, all)
    const describe = (token: Address) => (never.has(token) ? Effect.fail(broken) : Effect.succeed({ name: "N" }))
    await inWorld({ node: new FakeNode(chain), store, describe }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(900)),
    )
    expect((await describedOf()).sort()).toEqual(all.slice(70))
  })

  test("are asked for again after a node's failure", async () => {
    let down = true
    const chain = mints(40, tokens(60))
    const describe = () => (down ? Effect.fail(broken) : Effect.succeed({ name: "N" }))
    await inWorld({ node: new FakeNode(chain), store, describe }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        yield* world.pass(60)
        down = false
        yield* world.pass(120)
      }),
    )
    expect((await describedOf()).length).toBe(60)
  })

  test("that say nothing about a token of the newest blocks are asked for again: its node may be behind", async () => {
    let asked = 0
    const chain = mints(5, tokens(1))
    const describe = () => Effect.sync(() => (++asked < 3 ? {} : { name: "Late" }))
    await inWorld({ node: new FakeNode(chain), store, describe }, (world) =>
      Effect.andThen(world.caughtUp(chain), world.pass(60)),
    )
    expect(await describedOf()).toEqual(tokens(1))
    expect(asked).toBe(3)
  })

  test("that never come do not hold up the ledger", async () => {
    const chain = mints(300, tokens(4))
    await inWorld({ node: new FakeNode(chain), store, describe: () => Effect.never }, (world) => world.caughtUp(chain))
    await expectTruth(chain)
  })
})

test("a ledger that another instance writes is waited for, and the status says so", async () => {
  const chain = mints(20)
  const done = Deferred.makeUnsafe<void>()
  const held = Deferred.makeUnsafe<void>()
  const first = inWorld({ node: new FakeNode(chain), store }, (world) =>
    Effect.gen(function* () {
      yield* world.caughtUp(chain)
      yield* Deferred.succeed(held, undefined)
      yield* Deferred.await(done)
    }),
  )
  await Effect.runPromise(Deferred.await(held))
  const problem = await inWorld({ node: new FakeNode(chain), store }, (world) =>
    Effect.gen(function* () {
      yield* world.pass(10)
      return world.status()
    }),
  )
  await Effect.runPromise(Deferred.succeed(done, undefined))
  await first
  expect([problem.phase, problem.awaitsLedger, problem.problem]).toEqual([
    "waiting",
    true,
    "waiting for the ledger: it is being opened, another instance writes it, or the database has no connection left for it",
  ])
})
