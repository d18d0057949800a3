/** Questions that are asked at one moment: as many answers as questions, each what it is alone, by one statement. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Context, Effect, Layer, ManagedRuntime } from "effect"
import { makeClient, readerParameters } from "../../../../src/adapters/postgres/database/client.ts"
import { Database } from "../../../../src/adapters/postgres/database/Database.ts"
import { databaseOf } from "../../../../src/adapters/postgres/database/databaseOf.ts"
import * as PostgresHolders from "../../../../src/adapters/postgres/reads/holders/PostgresHolders.ts"
import * as PostgresSupply from "../../../../src/adapters/postgres/reads/holders/PostgresSupply.ts"
import * as PostgresTransfers from "../../../../src/adapters/postgres/reads/transfers/PostgresTransfers.ts"
import { isReserved } from "../../../../src/model/event.ts"
import { ChainId } from "../../../../src/model/primitives.ts"
import { HolderStore } from "../../../../src/ports/HolderStore.ts"
import { SupplyStore } from "../../../../src/ports/SupplyStore.ts"
import { TransferStore } from "../../../../src/ports/TransferStore.ts"
import { testDatabase } from "../../../support/postgres.ts"
import { type ChainFacts, holdersOf, randomChain, supplyOf, writeChain } from "../reads.support.ts"

const [one, ten] = [ChainId.make("1"), ChainId.make("10")]
const traffic = { rows: 300, tokens: 12, logs: 4, shape: "even" } as const
const facts = new Map<ChainId, ChainFacts>()
/** Statements that were sent. */
let sent: Array<string> = []
let sql: ReturnType<typeof makeClient>

const layers = Layer.mergeAll(PostgresTransfers.layer, PostgresHolders.layer, PostgresSupply.layer)
type Stores = Context.Context<Layer.Success<typeof layers>>
let runtime: ManagedRuntime.ManagedRuntime<Layer.Success<typeof layers>, never>
let stores: Stores

beforeAll(async () => {
  const url = await testDatabase(18)
  const observe = (statement: string) => void sent.push(statement)
  sql = makeClient({ url, max: 4, parameters: readerParameters, observe })
  for (const [index, chainId] of [one, ten].entries()) {
    facts.set(chainId, randomChain(chainId, 70 + index, traffic))
    await writeChain(sql, "together", facts.get(chainId)!)
  }
  const database = Layer.succeed(Database, databaseOf(sql, { url, schema: "together" }))
  runtime = ManagedRuntime.make(layers.pipe(Layer.provide(database)))
  stores = await runtime.context()
})
afterAll(async () => {
  await runtime.dispose()
  await sql.end({ timeout: 1 })
})

/** All of them begun in one turn of the event loop. */
const atOnce = async <A, E>(reads: ReadonlyArray<Effect.Effect<A, E, Layer.Success<typeof layers>>>) => {
  sent = []
  return await Promise.all(reads.map((read) => Effect.runPromiseWith(stores)(read)))
}

const newest = (chainId: ChainId, direction: "asc" | "desc", limit: number) =>
  TransferStore.use((store) =>
    store.list({ standard: "erc20", chains: [chainId], filter: {}, direction, page: { limit }, count: false }),
  )

/** Of each length the first so many: `asc` as they came. */
const expectedKeys = (chainId: ChainId, direction: "asc" | "desc", limit: number) => {
  const keys = facts
    .get(chainId)!
    .movements.flatMap((it) => (it.kind === "transfer" ? [`${it.blockNumber} ${it.logIndex}`] : []))
  return (direction === "asc" ? keys : keys.reverse()).slice(0, limit)
}

test("pages of the newest of any length are one statement, and each ends where it would alone", async () => {
  // The chain is looked for once.
  await atOnce([newest(one, "desc", 1)])
  const limits = Array.from({ length: 30 }, (_, index) => 1 + ((index * 37) % 100))
  for (const direction of ["desc", "asc"] as const) {
    for (let round = 0; round < 2; round++) {
      const pages = await atOnce(limits.map((limit) => newest(one, direction, limit)))
      expect(sent.length).toBe(1)
      for (const [index, { value }] of pages.entries()) {
        const wanted = expectedKeys(one, direction, limits[index]!)
        expect(value.items.map((it) => `${it.blockNumber} ${it.logIndex}`)).toEqual(wanted)
        expect(value.keys.map((it) => `${it.blockNumber} ${it.logIndex}`)).toEqual(wanted)
        expect(value.hasMore).toBe(true)
      }
    }
  }
})

test("a page that holds all of them says that there are no more, beside one that does not", async () => {
  const all = expectedKeys(ten, "desc", 1000).length
  const within = await atOnce([newest(ten, "desc", 100), newest(ten, "desc", Math.min(100, all))])
  expect(within.map(({ value }) => value.hasMore)).toEqual([all > 100, all > 100])
})

test("chains and directions are never mixed", async () => {
  const asked = Array.from({ length: 24 }, (_, index) => ({
    chainId: index % 2 === 0 ? one : ten,
    direction: index % 3 === 0 ? ("asc" as const) : ("desc" as const),
    limit: 5 + index,
  }))
  const pages = await atOnce(asked.map(({ chainId, direction, limit }) => newest(chainId, direction, limit)))
  for (const [index, { asOf, value }] of pages.entries()) {
    const { chainId, direction, limit } = asked[index]!
    expect(asOf.map((it) => it.chainId)).toEqual([chainId])
    expect(value.items.map((it) => `${it.blockNumber} ${it.logIndex}`)).toEqual(expectedKeys(chainId, direction, limit))
  }
})

test("figures of many tokens asked at once are each token's own, again and again, now and after blocks", async () => {
  const { tokens, balances, head } = facts.get(one)!
  const blocks = [undefined, head.number, Math.floor(head.number / 2), Math.floor(head.number / 3)]
  for (let round = 0; round < 6; round++) {
    const asked = Array.from({ length: 30 }, (_, index) => ({
      token: tokens[(index * 7 + round) % tokens.length]!.address,
      block: blocks[(index + round) % blocks.length],
    }))
    const supplies = await atOnce(
      asked.map(({ token, block }) => SupplyStore.use((store) => store.find(one, token, block))),
    )
    expect(sent.length).toBe(2)
    expect(supplies.map(({ value }) => value)).toEqual(
      asked.map(({ token, block }) => String(supplyOf(balances.get(token), block))),
    )
    const counts = await atOnce(
      asked.map(({ token }) => HolderStore.use((store) => store.count(one, token, undefined))),
    )
    expect(sent.length).toBe(1)
    expect(counts.map(({ value }) => value)).toEqual(asked.map(({ token }) => holdersOf(balances.get(token)).length))
    const holders = asked.map(({ token }) => {
      const accounts = [...(balances.get(token)?.keys() ?? [])].filter((account) => !isReserved(account))
      return accounts[round % Math.max(1, accounts.length)]!
    })
    const found = await atOnce(
      asked.map(({ token }, index) =>
        HolderStore.use((store) => store.findBalance(one, token, holders[index]! as never, undefined)),
      ),
    )
    expect(found.map(({ value }) => value)).toEqual(
      asked.map(({ token }, index) => String(balances.get(token)?.get(holders[index]!)?.at(-1)?.balance ?? 0n)),
    )
  }
})

test("pages of holders of any length are each token's own in rank order, long ones by themselves and short ones together", async () => {
  const { tokens, balances } = facts.get(one)!
  const ranked = (token: string) =>
    holdersOf(balances.get(token as never))
      .sort((a, b) => (a.balance === b.balance ? (a.address < b.address ? -1 : 1) : a.balance > b.balance ? -1 : 1))
      .map(({ address, balance }) => [address as string, String(balance)])
  // One row more than a page that is asked for together, and all of them.
  const limits = [1, 100, 101, 1000, 3, 101]
  for (let round = 0; round < 6; round++) {
    const asked = tokens.flatMap(({ address: token }) => limits.map((limit) => ({ token, limit })))
    const pages = await atOnce(
      asked.map(({ token, limit }) =>
        HolderStore.use((store) => store.list("erc20", { chainId: one, token, page: { limit }, count: false })),
      ),
    )
    for (const [index, { value, asOf }] of pages.entries()) {
      const { token, limit } = asked[index]!
      const all = ranked(token)
      expect(value.items.map(({ address, balance }): Array<string> => [address, balance])).toEqual(all.slice(0, limit))
      expect(value.keys.length).toBe(Math.min(limit, all.length))
      expect(value.hasMore).toBe(all.length > limit)
      expect(value.supply).toBe(String(supplyOf(balances.get(token), undefined)))
      expect(asOf.map((it) => it.chainId)).toEqual([one])
    }
  }
})
