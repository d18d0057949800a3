/** Creations that were given up: asked for again at leisure, and found when a node that knows old state has come. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { zeroAddress } from "../../src/model/primitives.ts"
import type { TokenOrigin } from "../../src/model/token.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { openStore, type TestStore } from "../contracts/store.ts"
import { chainId, inWorld } from "../ingest/world.ts"
import { address, hash, TestChain, transfer } from "../support/chain/testChain.ts"
import { FakeNode } from "../support/nodes/fakeNode.ts"

let store: TestStore
beforeEach(async () => {
  store = await openStore(async () => MemoryStore.layer)
})
afterEach(() => store.close())

const coins = Array.from({ length: 30 }, (_, number) => address(0x100 + number))
const chain = new TestChain()
for (const coin of coins) chain.block([transfer(coin, zeroAddress, address(0xa), 1n)])
for (let made = 0; made < 40; made++) chain.block()

const origin: TokenOrigin = { txHash: hash("creation"), time: 1_600_000_000 }
/** Tokens whose creation is known, oldest first. */
const knownOf = async () => {
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
  return value.items.filter((it) => it.createOperation !== undefined).map((it) => it.address)
}
const settings = { pollMs: 30_000 }
/** Long enough for each to be given up. */
const givingUp = 300
const quarter = 900

test("cost a node that cannot tell twenty questions a quarter of an hour, and each has its turn", async () => {
  const asked: Array<string> = []
  const find = ({ address }: { readonly address: string }) => Effect.sync(() => void asked.push(address) as undefined)
  await inWorld({ node: new FakeNode(chain), store, settings, origin: find }, (world) =>
    Effect.gen(function* () {
      yield* world.caughtUp(chain)
      yield* world.pass(givingUp)
      asked.length = 0
      yield* world.pass(2 * quarter)
    }),
  )
  expect(asked).toEqual([...coins].reverse())
  expect(await knownOf()).toEqual([])
})

test("are found, all of them, within minutes of a node that can tell", async () => {
  let isArchive = false
  const find = () => Effect.sync(() => (isArchive ? origin : undefined))
  await inWorld({ node: new FakeNode(chain), store, settings, origin: find }, (world) =>
    Effect.gen(function* () {
      yield* world.caughtUp(chain)
      yield* world.pass(givingUp)
      isArchive = true
      yield* world.pass(quarter)
    }),
  )
  expect((await knownOf()).sort()).toEqual([...coins].sort())
})

test("do not hide each other where one spoils every batch", async () => {
  const broken = new SourceUnavailable({ message: "execution aborted (timeout = 5s)" })
  let isArchive = false
  const find = ({ address }: { readonly address: string }) =>
    Effect.suspend(() => {
      if (!isArchive) return Effect.undefined
      return address === coins[25] ? Effect.fail(broken) : Effect.succeed(origin)
    })
  await inWorld({ node: new FakeNode(chain), store, settings, origin: find }, (world) =>
    Effect.gen(function* () {
      yield* world.caughtUp(chain)
      yield* world.pass(givingUp)
      isArchive = true
      yield* world.pass(quarter)
    }),
  )
  expect((await knownOf()).sort()).toEqual(coins.filter((coin) => coin !== coins[25]).sort())
})

test("wait where the node is down, and are asked for after it", async () => {
  let says: "nothing" | "down" | "all" = "nothing"
  const broken = new SourceUnavailable({ message: "connection refused" })
  const find = () =>
    Effect.suspend(() => {
      if (says === "down") return Effect.fail(broken)
      return says === "all" ? Effect.succeed(origin) : Effect.undefined
    })
  const during = await inWorld({ node: new FakeNode(chain), store, settings, origin: find }, (world) =>
    Effect.gen(function* () {
      yield* world.caughtUp(chain)
      yield* world.pass(givingUp)
      says = "down"
      yield* world.pass(quarter)
      const known = yield* Effect.promise(knownOf)
      says = "all"
      // Those whose turn came while it was down come again when all have had theirs.
      yield* world.pass(2 * quarter)
      return known
    }),
  )
  expect(during).toEqual([])
  expect((await knownOf()).sort()).toEqual([...coins].sort())
})
