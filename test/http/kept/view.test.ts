/** Answers that are kept are of the chains that are known, as they are known: whatever the registry tells of them later is in the next one. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import * as MemorySyncStatus from "../../../src/adapters/memory/MemorySyncStatus.ts"
import { makeKnownChains } from "../../../src/domain/registry/knownChains.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import type { RegistryLook, ServedChain } from "../../../src/ports/ChainRegistry.ts"
import { Networks } from "../../../src/ports/Networks.ts"
import { SyncStatus } from "../../../src/ports/SyncStatus.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { address, swap, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, syncStatus, type TestService } from "../support.ts"

const [zero, ann, gold, salt, pool, factory] = [0, 0xa1, 0x70, 0x71, 0x90, 0xfac].map((it) => address(it))
const servedOf = (id: string, dex: string): ServedChain => ({
  ...{ chainId: ChainId.make(id), network: "mainnet", ecosystems: [], startBlock: 0, maxLag: 3, pollMs: 500 },
  factories: new Map([[factory!, { dex }]]),
})
const [first, second] = [servedOf("43114", "One"), servedOf("1", "One")]

const own = Effect.runSync(SyncStatus.pipe(Effect.provide(MemorySyncStatus.layer([]))))
const known = makeKnownChains({ role: "reader", chains: [], status: own })
const learn = (chains: ReadonlyArray<ServedChain>, problem?: string) => {
  const look: RegistryLook = {
    chains: chains.map((served) => ({
      chainId: served.chainId,
      served,
      status: syncStatus(served.chainId, { headBlock: Math.floor(performance.now()) }),
      statusAgeMs: performance.now(),
      ...(problem !== undefined && { problem }),
    })),
  }
  known.take(look, performance.now())
}

let lists = 0
/** A list waits for it. */
let held: Promise<void> = Promise.resolve()
const counted = Layer.effect(
  TokenStore,
  TokenStore.use((store) =>
    Effect.succeed({
      ...store,
      list: (query) =>
        Effect.suspend(() => {
          lists++
          const gate = held
          return Effect.andThen(
            Effect.promise(() => gate),
            store.list(query),
          )
        }),
    } satisfies typeof store),
  ),
).pipe(Layer.provideMerge(MemoryStore.layer))

let service: TestService
beforeAll(async () => {
  learn([first])
  const networks = Layer.succeed(Networks, known.networks)
  service = await startService({ storeLayer: counted, replace: networks as unknown as Layer.Layer<never> })
  for (const { chainId } of [first, second]) {
    const chain = new TestChain()
      .block([transfer(gold!, zero!, ann!, 5n), transfer(salt!, zero!, ann!, 5n)])
      .block([swap(pool!, { paid0: true, paid: 2n, got: 3n })])
    chain.pools.set(pool!, { pool: pool!, token0: gold!, token1: salt!, decimals0: 0, decimals1: 0, factory: factory! })
    const writer = await service.open(chainId)
    await service.run(writer.append(chain.segment(0)))
  }
})
afterAll(() => service.close())

const all = `${prefix("all")}/erc20?sort=holdersCount`
const chainsOf = (body: Json) => [...new Set(body.items.map(({ chainId }: Json) => chainId))].sort()

test("a chain that is told later is in the next answer, and one that is told no more in none", async () => {
  // Kept is what is of where the ledger was known to stand before.
  await service.get(all)
  const before = await service.fetch(all)
  const etag = before.headers.get("etag")!
  expect(chainsOf(await before.json())).toEqual(["43114"])
  learn([first, second])
  const now = await service.fetch(all, { headers: { "if-none-match": etag } })
  expect(now.status).toBe(200)
  expect(chainsOf(await now.json())).toEqual(["1", "43114"])
  learn([second])
  expect(chainsOf((await service.get(all)).body)).toEqual(["1"])
  learn([first, second])
})

test("a look that tells nothing new leaves what is kept", async () => {
  await service.get(all)
  const before = lists
  learn([first, second])
  await service.get(all)
  expect(lists).toBe(before)
})

test("a name that changed is in the next answer", async () => {
  const path = `${prefix("43114")}/erc20-swaps`
  const dexOf = async () => (await service.get(path)).body.items.map(({ dex }: Json) => dex)
  expect(await dexOf()).toEqual(["One"])
  learn([servedOf("43114", "Other"), second])
  expect(await dexOf()).toEqual(["Other"])
  learn([first, second])
})

test("where nothing can be said of a chain any more nothing is", async () => {
  expect((await service.get(all)).status).toBe(200)
  learn([first, second], "its tables are of a newer version")
  const { status, body } = await service.get(all)
  expect([status, body.message]).toEqual([503, expect.stringContaining("its tables are of a newer version")])
  learn([first, second])
  expect((await service.get(all)).status).toBe(200)
})

test("an answer that was being made meanwhile is not kept", async () => {
  learn([first])
  const path = `${all}&limit=7`
  const gate = Promise.withResolvers<void>()
  held = gate.promise
  const before = lists
  const asked = service.get(path)
  for (const deadline = Date.now() + 5000; lists === before && Date.now() < deadline; ) await Bun.sleep(1)
  held = Promise.resolve()
  learn([first, second])
  expect(chainsOf((await service.get(all)).body)).toEqual(["1", "43114"])
  gate.resolve()
  expect(chainsOf((await asked).body)).toEqual(["43114"])
  expect(chainsOf((await service.get(path)).body)).toEqual(["1", "43114"])
})
