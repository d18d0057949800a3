/** What holds up whom: who asks what addresses of very many tokens hold, however many pages of them, holds up nobody's figures, and nobody who holds few. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Context, Effect, Layer, ManagedRuntime } from "effect"
import { makeClient, readerParameters } from "../../../../src/adapters/postgres/database/client.ts"
import { Database } from "../../../../src/adapters/postgres/database/Database.ts"
import { databaseOf } from "../../../../src/adapters/postgres/database/databaseOf.ts"
import * as PostgresAudits from "../../../../src/adapters/postgres/reads/audit/PostgresAudits.ts"
import * as PostgresHolders from "../../../../src/adapters/postgres/reads/holders/PostgresHolders.ts"
import * as PostgresSupply from "../../../../src/adapters/postgres/reads/holders/PostgresSupply.ts"
import { type Address, ChainId } from "../../../../src/model/primitives.ts"
import { AuditStore } from "../../../../src/ports/AuditStore.ts"
import { HolderStore } from "../../../../src/ports/HolderStore.ts"
import { SupplyStore } from "../../../../src/ports/SupplyStore.ts"
import { address } from "../../../support/chain/testChain.ts"
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
/** Statements that look through all that an address holds are sent when it is over; how many there are. */
let heldUp = Promise.resolve()
let longOnes = 0
const whale = address(0x3a1e)
beforeAll(async () => {
  const url = await testDatabase(18)
  sql = makeClient({ url, max: 8, parameters: readerParameters })
  for (const [index, chainId] of [one, ten].entries()) {
    facts = randomChain(chainId, 90 + index, traffic)
    await writeChain(sql, "heldup", facts)
  }
  await sql`insert into heldup_1.balance (token_id, holder_no, block_number, holder, balance)
    select 1000 + n, 1, 1, ${whale}::bytea, 1 from generate_series(1, 201) n`
  const plain = databaseOf(sql, { url, schema: "heldup" })
  const query: typeof plain.query = (statement) => {
    const made = statement() as ReturnType<typeof statement> & { readonly strings: ReadonlyArray<string> }
    if (!made.strings.join("").includes("by_token")) return plain.query(() => made)
    longOnes++
    return Effect.flatMap(
      Effect.promise(() => heldUp),
      () => plain.query(() => made),
    )
  }
  const database = Layer.succeed(Database, { ...plain, query })
  runtime = ManagedRuntime.make(layers.pipe(Layer.provide(database)))
  stores = await runtime.context()
})
afterAll(async () => {
  await runtime.dispose()
  await sql.end({ timeout: 1 })
})

const read = <A, E>(effect: Effect.Effect<A, E, Ports>): Promise<A> => Effect.runPromiseWith(stores)(effect)
const held = (chainId: ChainId, holder: Address, offset: number) =>
  read(HolderStore.use((store) => store.listHoldings("erc20", { chainId, holder, window: { page: 1, offset } })))

test("statements of what very many pairs are go on for long: balances, supplies, counts, audits and what others hold do not wait behind them", async () => {
  const [{ address: token }] = facts.tokens as [ChainFacts["tokens"][number]]
  const gate = Promise.withResolvers<void>()
  heldUp = gate.promise
  let answered = 0
  const pages = Array.from({ length: 30 }, (_, index) => held(one, whale, index + 1).finally(() => answered++))
  while (longOnes === 0) await Bun.sleep(10)
  const supply = await read(SupplyStore.use((store) => store.find(ten, token, undefined)))
  expect(supply.value).toBe(String(supplyOf(facts.balances.get(token), undefined)))
  for (const chain of [one, ten]) {
    const balance = await read(HolderStore.use((store) => store.findBalance(chain, token, accounts[3]!, undefined)))
    expect(balance.asOf.map(({ chainId }) => chainId)).toEqual([chain])
    expect((await held(chain, accounts[3]!, 9)).value.length).toBeGreaterThan(0)
  }
  expect((await read(HolderStore.use((store) => store.count(ten, token)))).value).toBeGreaterThan(0)
  expect((await read(AuditStore.use((store) => store.findMany(ten, [token])))).asOf).toHaveLength(1)
  // All of them together have two connections.
  expect(longOnes).toBe(2)
  expect(answered).toBe(0)
  gate.resolve()
  // The pairs are of no token.
  for (const { value } of await Promise.all(pages)) expect(value).toEqual([])
}, 60_000)
