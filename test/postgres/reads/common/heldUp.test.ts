/** What holds up whom: who asks what addresses hold, however many pages of them, holds up no figure of anybody. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Context, Effect, Layer, ManagedRuntime } from "effect"
import { makeClient, readerParameters } from "../../../../src/adapters/postgres/database/client.ts"
import { Database } from "../../../../src/adapters/postgres/database/Database.ts"
import { databaseOf } from "../../../../src/adapters/postgres/database/databaseOf.ts"
import * as PostgresAudits from "../../../../src/adapters/postgres/reads/audit/PostgresAudits.ts"
import * as PostgresHolders from "../../../../src/adapters/postgres/reads/holders/PostgresHolders.ts"
import * as PostgresSupply from "../../../../src/adapters/postgres/reads/holders/PostgresSupply.ts"
import { ChainId } from "../../../../src/model/primitives.ts"
import { AuditStore } from "../../../../src/ports/AuditStore.ts"
import { HolderStore } from "../../../../src/ports/HolderStore.ts"
import { SupplyStore } from "../../../../src/ports/SupplyStore.ts"
import { testDatabase } from "../../../support/postgres.ts"
import { accounts, type ChainFacts, randomChain, supplyOf, writeChain } from "../reads.support.ts"

const [one, ten] = [ChainId.make("1"), ChainId.make("10")]
const traffic = { rows: 60, tokens: 4, logs: 4, shape: "even" } as const
const layers = Layer.mergeAll(PostgresAudits.layer, PostgresHolders.layer, PostgresSupply.layer)
type Ports = Layer.Success<typeof layers>

let sql: ReturnType<typeof makeClient>
let facts: ChainFacts
let runtime: ManagedRuntime.ManagedRuntime<Ports, never>
let stores: Context.Context<Ports>
beforeAll(async () => {
  const url = await testDatabase(18)
  sql = makeClient({ url, max: 8, parameters: readerParameters })
  for (const [index, chainId] of [one, ten].entries()) {
    facts = randomChain(chainId, 90 + index, traffic)
    await writeChain(sql, "heldup", facts)
  }
  const database = Layer.succeed(Database, databaseOf(sql, { url, schema: "heldup" }))
  runtime = ManagedRuntime.make(layers.pipe(Layer.provide(database)))
  stores = await runtime.context()
})
afterAll(async () => {
  await runtime.dispose()
  await sql.end({ timeout: 1 })
})

const read = <A, E>(effect: Effect.Effect<A, E, Ports>): Promise<A> => Effect.runPromiseWith(stores)(effect)
const held = (chainId: ChainId, offset: number) =>
  read(
    HolderStore.use((store) =>
      store.listHoldings("erc20", { chainId, holder: accounts[3]!, window: { page: 1, offset } }),
    ),
  )

test("statements of what is held go on for long: balances, supplies, counts and audits do not wait behind them", async () => {
  const [{ address: token }] = facts.tokens as [ChainFacts["tokens"][number]]
  // The chains are looked for once.
  await Promise.all([held(one, 1), held(ten, 1)])
  const lock = await sql.reserve()
  await lock`begin`
  await lock`lock table heldup_1.balance in access exclusive mode`
  const pages = Array.from({ length: 30 }, (_, index) => held(one, index + 1))
  const waiting = async () =>
    (
      await lock`select count(*)::int4 as number from pg_locks where relation = 'heldup_1.balance'::regclass and not granted`
    )[0]!.number as number
  while ((await waiting()) === 0) await Bun.sleep(10)
  const supply = await read(SupplyStore.use((store) => store.find(ten, token, undefined)))
  expect(supply.value).toBe(String(supplyOf(facts.balances.get(token), undefined)))
  const balance = await read(HolderStore.use((store) => store.findBalance(ten, token, accounts[3]!, undefined)))
  expect(balance.asOf.map(({ chainId }) => chainId)).toEqual([ten])
  expect((await read(HolderStore.use((store) => store.count(ten, token)))).value).toBeGreaterThan(0)
  expect((await read(AuditStore.use((store) => store.findMany(ten, [token])))).asOf).toHaveLength(1)
  // All of those statements together have two connections.
  expect(await waiting()).toBe(2)
  await lock`rollback`
  lock.release()
  expect((await Promise.all(pages)).length).toBe(30)
}, 60_000)
