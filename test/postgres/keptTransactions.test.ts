/** Kept transactions in PostgreSQL stay within their number, the newest of them, whoever keeps them at once. */
import { beforeAll, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import postgres from "postgres"
import * as PostgresDatabase from "../../src/adapters/postgres/database/PostgresDatabase.ts"
import * as PostgresKeptTransactions from "../../src/adapters/postgres/PostgresKeptTransactions.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { TransactionFacts } from "../../src/model/transactions/transaction.ts"
import { KeptTransactions } from "../../src/ports/KeptTransactions.ts"
import { hash } from "../support/chain/testChain.ts"
import { testDatabase } from "../support/postgres.ts"

const chainId = ChainId.make("7")
const factsOf = (number: number): TransactionFacts => ({
  ...{ hash: hash(`tx ${number}`), blockNumber: number, blockHash: hash(`block ${number}`), index: 0, nonce: "1" },
  ...{ gas: "2", gasPrice: "3", gasUsed: "4", cumulativeGasUsed: "5", methodId: "0x" },
})
const some = (first: number, count: number) => Array.from({ length: count }, (_, place) => factsOf(first + place))

let url: string
beforeAll(async () => {
  url = await testDatabase()
})

const keeping = <A>(most: number, use: (kept: KeptTransactions["Service"]) => Effect.Effect<A, unknown>) =>
  Effect.runPromise(
    KeptTransactions.use(use).pipe(
      Effect.provide(
        PostgresKeptTransactions.layerWith(most).pipe(Layer.provide(PostgresDatabase.layer({ url, schema: "kept" }))),
      ),
    ) as Effect.Effect<A>,
  )

test("the oldest go, and two who keep the same at once keep it once", async () => {
  await keeping(3000, (kept) =>
    Effect.gen(function* () {
      for (let first = 0; first < 12_000; first += 250) {
        const batch = some(first, 250)
        // Both, and what one of them has already.
        yield* Effect.all([kept.keep(chainId, batch), kept.keep(chainId, batch.toReversed())], { concurrency: 2 })
        yield* kept.keep(chainId, some(Math.max(0, first - 100), 100))
      }
    }),
  )
  const sql = postgres(url, { max: 1 })
  const [row] = await sql`select count(*)::int as rows, min(block_number)::int as oldest from kept.kept_transaction`
  await sql.end()
  expect(row!.rows).toBeLessThanOrEqual(4000)
  expect(row!.rows).toBeGreaterThan(500)
  const found = await keeping(3000, (kept) => kept.find(chainId, [hash("tx 11999"), hash("tx 11500"), hash("tx 0")]))
  expect(found.map(({ blockNumber }) => blockNumber).sort()).toEqual([11_500, 11_999])
})

test("a larger table is brought down to a smaller number", async () => {
  await keeping(100_000, (kept) => kept.keep(chainId, some(20_000, 5000)))
  await keeping(500, (kept) =>
    Effect.forEach([0, 1, 2, 3], (round) => kept.keep(chainId, some(30_000 + 500 * round, 500)), { discard: true }),
  )
  const sql = postgres(url, { max: 1 })
  const [row] = await sql`select count(*)::int as rows from kept.kept_transaction`
  await sql.end()
  expect(row!.rows).toBeLessThanOrEqual(1500)
})

test("with a number of 0 nothing is kept, and nothing told", async () => {
  const found = await keeping(0, (kept) =>
    Effect.gen(function* () {
      yield* kept.keep(chainId, some(50_000, 1))
      return yield* kept.find(chainId, [hash("tx 50000"), hash("tx 31999")])
    }),
  )
  expect(found).toEqual([])
  expect(await keeping(10, (kept) => kept.find(chainId, [hash("tx 50000")]))).toEqual([])
})
