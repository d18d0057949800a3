/** What processes tell each other of chains, on one server or several: every statement is one that a distributed server runs. */
import { expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Database } from "../../src/adapters/postgres/database/Database.ts"
import { ledgerMigrations } from "../../src/adapters/postgres/database/migrate.ts"
import * as PostgresDatabase from "../../src/adapters/postgres/database/PostgresDatabase.ts"
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import * as PostgresChainRegistry from "../../src/adapters/postgres/registry/PostgresChainRegistry.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { steadyMillis } from "../../src/model/time/steadyClock.ts"
import { ChainRegistry, type ServedChain } from "../../src/ports/ChainRegistry.ts"
import { Ledger } from "../../src/ports/Ledger.ts"
import { settingsOf } from "../contracts/store.ts"
import { syncStatus } from "../http/support.ts"
import { testSettings } from "../support/givenServer.ts"
import { hearStatements } from "./database/lint.ts"

const chain = (id: string): ServedChain => ({
  ...{ chainId: ChainId.make(id), network: "mainnet", ecosystems: [], factories: new Map(), wrappedNative: [] },
  ...{ startBlock: 0, maxLag: 3, pollMs: 500 },
})

test("settings and how chains are doing are told and learned", async () => {
  const heard = hearStatements()
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(PostgresStore.layerOn(), PostgresChainRegistry.layer).pipe(
      Layer.provideMerge(PostgresDatabase.layer({ ...(await testSettings()), observe: heard.observe })),
    ),
  )
  try {
    const registry = <A, E>(work: (it: ChainRegistry["Service"]) => Effect.Effect<A, E>) =>
      runtime.runPromise(ChainRegistry.use(work))
    for (const id of ["1", "10"])
      await runtime.runPromise(
        Effect.scoped(Ledger.use((ledger) => ledger.open(settingsOf({ chainId: ChainId.make(id) })))),
      )
    await registry((it) => it.publishFirst(chain("1")))
    await registry((it) => it.publish(chain("10")))
    const heads = async () =>
      (await registry(({ look }) => look)).chains
        .map(({ chainId, status }) => `${chainId}: ${status?.headBlock}`)
        .sort()
    const silent = { heardAt: Effect.runSync(steadyMillis) - 600_000 }
    const tell = (head: number, unlessToldFor?: number) =>
      registry((it) =>
        it.tell(
          [syncStatus("1", { headBlock: head, ...silent }), syncStatus("10", { headBlock: head + 1 })],
          unlessToldFor,
        ),
      )
    // A plan that is kept comes by the fifth asking.
    const word = async () => (await registry(({ look }) => look)).chains.find(({ chainId }) => chainId === "1")?.word
    const words = []
    for (let time = 0; time < 7; time++) {
      await tell(time)
      words.push(await word())
    }
    expect(new Set(words).size).toBe(7)
    expect(await word()).toBe(words.at(-1))
    expect(await heads()).toEqual(["10: 7", "1: 6"])
    const told = (await registry(({ look }) => look)).chains.find(({ chainId }) => chainId === "1")
    expect(told?.toldMs).toBeLessThan(60_000)
    expect(told?.statusAgeMs).toBeGreaterThanOrEqual(600_000)
    // Somebody told it a moment ago.
    await tell(50, 60_000)
    expect(await heads()).toEqual(["10: 7", "1: 6"])
    await tell(50, 0)
    expect(await heads()).toEqual(["10: 51", "1: 50"])
    // So it is where the clock of the one that was told is a little ahead. Further ahead it has been set back since.
    const { sql, schema } = await runtime.runPromise(Database)
    const ahead = (seconds: number) =>
      sql`update ${sql(`${schema}.chain`)} set status_at = now() + ${seconds}::float8 * interval '1 second'`
    await ahead(30)
    await tell(60, 60_000)
    expect(await heads()).toEqual(["10: 51", "1: 50"])
    await ahead(3600)
    await tell(60, 60_000)
    expect(await heads()).toEqual(["10: 61", "1: 60"])
    expect([heard.faults(), heard.count() > 5]).toEqual([[], true])
  } finally {
    await runtime.dispose()
  }
})

test("how old a word is goes by when it came, whatever the clocks of servers say", async () => {
  const settings = await testSettings()
  const layer = Layer.mergeAll(PostgresStore.layerOn(), PostgresChainRegistry.layer).pipe(
    Layer.provideMerge(PostgresDatabase.layer(settings)),
  )
  const [runtime, later] = [ManagedRuntime.make(layer), ManagedRuntime.make(layer)]
  try {
    const { chainId } = chain("1")
    await runtime.runPromise(Effect.scoped(Ledger.use((ledger) => ledger.open(settingsOf({ chainId })))))
    const { sql, schema } = await runtime.runPromise(Database)
    const tell = () => runtime.runPromise(ChainRegistry.use((it) => it.tell([syncStatus("1", { headBlock: 5 })])))
    const ageAt = async (reader: typeof runtime) =>
      (await reader.runPromise(ChainRegistry.use(({ look }) => look))).chains[0]!.statusAgeMs!
    /** As on a server whose clock is so far from the clock of the one on which it was told. */
    const apart = (hours: number) =>
      sql`update ${sql(`${schema}.chain`)} set status_at = clock_timestamp() - ${hours}::float8 * interval '1 hour'`
    await tell()
    expect(await ageAt(runtime)).toBeLessThan(60_000)
    await apart(1)
    expect(await ageAt(runtime)).toBe(0)
    await Bun.sleep(20)
    const [first, second] = [await ageAt(runtime), await ageAt(runtime)]
    expect([first > 0, first < 60_000, second >= first]).toEqual([true, true, true])
    // Of a process that has seen no other word the clocks are all there is; from then on it counts itself.
    await apart(1)
    const told = await ageAt(later)
    expect(told).toBeGreaterThanOrEqual(3_600_000)
    expect(await ageAt(later)).toBeGreaterThanOrEqual(told)
    // What is told behind a clock that is ahead grows old as well.
    await apart(-1)
    expect(await ageAt(later)).toBe(0)
    await Bun.sleep(20)
    expect(await ageAt(later)).toBeGreaterThan(0)
  } finally {
    await later.dispose()
    await runtime.dispose()
  }
})

test("the tables of a ledger that is refused are told to readers as they are, once they were brought up to date", async () => {
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(PostgresStore.layerOn(), PostgresChainRegistry.layer).pipe(
      Layer.provideMerge(PostgresDatabase.layer(await testSettings())),
    ),
  )
  try {
    const served = chain("1")
    const { chainId } = served
    const open = () =>
      runtime.runPromise(Effect.exit(Effect.scoped(Ledger.use((it) => it.open(settingsOf({ chainId }))))))
    const look = async () => (await runtime.runPromise(ChainRegistry.use((it) => it.look))).chains[0]
    expect((await open())._tag).toBe("Success")
    await runtime.runPromise(ChainRegistry.use((it) => it.publish(served)))
    expect(await look()).toEqual({ chainId, served })
    // As an older version leaves it.
    const { sql, schema, chainSchema } = await runtime.runPromise(Database)
    const last = `,"${ledgerMigrations.at(-1)}"`
    await sql`
      update ${sql(`${schema}.chain`)} set served = replace(served, ${last}, ''), served_digest = 'older'
      where chain_id = ${chainId}`
    await sql`update ${sql(`${chainSchema(chainId)}.state`)} set ledger_version = 1`
    expect((await look())?.problem).toContain("of an older version")
    expect((await open())._tag).toBe("Failure")
    expect(await look()).toEqual({ chainId, served })
  } finally {
    await runtime.dispose()
  }
})

test("a chain whose settings are told anew while a process looks is as it was at that look, never left out", async () => {
  const settings = await testSettings()
  const writer = ManagedRuntime.make(
    Layer.mergeAll(PostgresStore.layerOn(), PostgresChainRegistry.layer).pipe(
      Layer.provideMerge(PostgresDatabase.layer(settings)),
    ),
  )
  let between = async () => {}
  const told = Layer.effect(
    Database,
    Effect.map(Database, (database) => {
      const query: typeof database.probes.query = (statement) =>
        Effect.tap(database.probes.query(statement), () => Effect.promise(() => between()))
      return Database.of({ ...database, probes: { ...database.probes, query } })
    }),
  ).pipe(Layer.provide(PostgresDatabase.layer(settings)))
  const reader = ManagedRuntime.make(PostgresChainRegistry.layer.pipe(Layer.provide(told)))
  try {
    const { chainId } = chain("1")
    const publish = (maxLag: number) =>
      writer.runPromise(ChainRegistry.use((it) => it.publish({ ...chain("1"), maxLag })))
    const look = async () => (await reader.runPromise(ChainRegistry.use((it) => it.look))).chains
    await writer.runPromise(Effect.scoped(Ledger.use((it) => it.open(settingsOf({ chainId })))))
    await publish(3)
    // At the first look, and where another one is known.
    for (const maxLag of [3, 5]) {
      between = () => publish(maxLag + 1)
      expect(await look()).toEqual([{ chainId, served: { ...chain("1"), maxLag } }])
      await publish(5)
    }
    between = async () => {}
    expect(await look()).toEqual([{ chainId, served: { ...chain("1"), maxLag: 5 } }])
  } finally {
    await reader.dispose()
    await writer.dispose()
  }
})
