/** What a writer tells and a reader learns of chains; and reads that go on when a standby lags, or is gone. */
import { expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Layer, ManagedRuntime } from "effect"
import postgres from "postgres"
import * as MemorySyncStatus from "../../src/adapters/memory/MemorySyncStatus.ts"
import { Database } from "../../src/adapters/postgres/database/Database.ts"
import * as PostgresDatabase from "../../src/adapters/postgres/database/PostgresDatabase.ts"
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import * as PostgresChainRegistry from "../../src/adapters/postgres/registry/PostgresChainRegistry.ts"
import * as ReaderDatabase from "../../src/adapters/postgres/servers/ReaderDatabase.ts"
import { makeKnownChains } from "../../src/domain/registry/knownChains.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { ChainRegistry, type ServedChain } from "../../src/ports/ChainRegistry.ts"
import { Ledger } from "../../src/ports/Ledger.ts"
import { SyncStatus } from "../../src/ports/SyncStatus.ts"
import { settingsOf } from "../contracts/store.ts"
import { syncStatus } from "../http/support.ts"
import { address } from "../support/chain/testChain.ts"
import { startReplicated } from "../support/standby.ts"

const served: ServedChain = {
  chainId: ChainId.make("1"),
  network: "mainnet",
  ecosystems: ["ethereum"],
  name: "Ethereum",
  factories: new Map([[address(0xfa), { dex: "Some DEX", label: "some" }]]),
  wrappedNative: [address(0xee)],
  nativePricedBy: [address(0xee), address(0xef)],
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  supply: { kind: "halving", reward: "50", interval: 210_000, burnt: [address(0xdead)] },
  approvals: true,
  startBlock: 7,
  maxLag: 3,
  pollMs: 500,
}

test("a reader learns of chains, their settings and how they are doing; reads leave a standby that lags or is gone", async () => {
  const { primary, standby, pause: hold, resume, level, stop } = await startReplicated()
  const writing = ManagedRuntime.make(
    Layer.mergeAll(PostgresStore.layerOn(), PostgresChainRegistry.layer).pipe(
      Layer.provideMerge(PostgresDatabase.layer({ url: primary.url })),
    ),
  )
  const readerSettings = { readUrls: [standby.url], primary: primary.url, schema: "cowry", maxLagMs: 400 }
  const reading = ManagedRuntime.make(
    Layer.mergeAll(PostgresChainRegistry.layer, MemorySyncStatus.layer([])).pipe(
      Layer.provideMerge(ReaderDatabase.layer(readerSettings)),
    ),
  )
  try {
    const misled = Effect.flip(Effect.scoped(Layer.build(PostgresDatabase.layer({ url: standby.url }))))
    expect((await Effect.runPromise(misled)).message).toMatch(/takes no writes .*a standby.* ROLE=reader/u)
    const own = await reading.runPromise(SyncStatus)
    const known = makeKnownChains({ role: "reader", chains: [], status: own })
    const learn = async () => known.take(await reading.runPromise(ChainRegistry.use(({ look }) => look)), 1_000_000)
    await learn()
    expect(known.networks.problem?.()).toContain("not made yet")
    const tell = <A, E>(work: (registry: ChainRegistry["Service"]) => Effect.Effect<A, E>) =>
      writing.runPromise(ChainRegistry.use(work))
    await writing.runPromise(
      Effect.scoped(Ledger.use((ledger) => ledger.open(settingsOf({ chainId: served.chainId, firstBlock: 7 })))),
    )
    await level()
    await learn()
    expect([known.networks.chains, known.networks.refusal?.([])]).toEqual([[], expect.stringContaining("waited for")])

    await tell((registry) => registry.publishFirst(served))
    await tell((registry) => registry.publishFirst({ ...served, network: "testnet" }))
    await tell((registry) => registry.tell([syncStatus("1", { firstBlock: 9, headBlock: 90, heardAt: 0 })]))
    await level()
    await learn()
    expect(known.networks.chains).toEqual([served])
    expect(known.networks.refusal?.([served.chainId])).toBeUndefined()
    const status = known.syncStatus.find(served.chainId)
    expect(status).toMatchObject({ phase: "live", headBlock: 90, firstBlock: 9, maxLag: 3, elsewhere: true })
    expect(status?.heardAt).toBeLessThanOrEqual(1_000_000)

    // A URL may hold a key: it is not written.
    const supply = { kind: "http", totalUrl: "https://supply.test/secretkey123" } as const
    await tell((registry) => registry.publish({ ...served, supply }))
    await level()
    await learn()
    expect(known.networks.chains[0]?.supply).toEqual({ kind: "untold" })
    // Settings that change are learned. Tables of another version are not read.
    await tell((registry) => registry.publish({ ...served, network: "testnet" }))
    await level()
    await learn()
    expect(known.networks.chains[0]?.network).toBe("testnet")
    const sql = postgres(primary.url, { max: 1, onnotice: () => {} })
    await sql`update cowry.chain set served_digest = 'other', served = replace(served, '"001_ledger.sql"', '"900_later.sql"')`
    await level()
    await learn()
    expect(known.networks.refusal?.([served.chainId])).toContain("900_later.sql")
    await tell((registry) => registry.publish(served))
    // Nobody is contradicted who told it a moment ago.
    await tell((registry) => registry.tell([syncStatus("1", { phase: "stopped" })], 10_000))
    await level()
    await learn()
    expect(known.syncStatus.find(served.chainId)?.phase).toBe("live")

    const database = await reading.runPromise(Database)
    const port = () =>
      reading.runPromise(database.query(() => database.sql<[{ port: number }]>`select inet_server_port() as port`))
    const used = async (url: string) => {
      for (const deadline = Date.now() + 20_000; Date.now() < deadline; await pause(50))
        if ((await port())[0].port === Number(new URL(url).port)) return true
      return false
    }
    expect(await used(standby.url)).toBe(true)
    expect(database.servers.list()).toMatchObject([
      { isPrimary: false, isStandby: true, takesWrites: false, isUsed: true },
      { isPrimary: true, isStandby: false, takesWrites: true, isUsed: false },
    ])
    await hold()
    await sql`create table cowry.later ()`
    expect(await used(primary.url)).toBe(true)
    expect(database.servers.list()[0]?.problem).toContain("ms behind (MAX_READ_LAG_MS is 400)")
    await resume()
    expect(await used(standby.url)).toBe(true)
    await standby.kill()
    // At once: the statement that found it gone is made on the next.
    expect((await port())[0].port).toBe(Number(new URL(primary.url).port))
    await standby.start()
    expect(await used(standby.url)).toBe(true)

    await sql`delete from cowry.chain`
    await level()
    await learn()
    expect(known.networks.chains).toEqual([])
    await sql.end()
  } finally {
    await reading.dispose()
    await writing.dispose()
    await stop()
  }
})
