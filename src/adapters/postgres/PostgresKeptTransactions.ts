/** The KeptTransactions port in PostgreSQL, in the registry. */
import { Effect, Layer } from "effect"
import type { Hash } from "../../model/primitives.ts"
import type { TransactionFacts } from "../../model/transactions/transaction.ts"
import { KeptTransactions } from "../../ports/KeptTransactions.ts"
import { Database } from "./database/Database.ts"

/** Rows of the table at most, by and large, where nothing else is set. */
const usualMost = 1_000_000
/** Rows that go at once, so that few of the writes remove any. */
const removedAtOnce = 1000

interface Row {
  readonly hash: Hash
  readonly block_number: number
  readonly block_hash: Hash
  readonly tx_index: number
  readonly nonce: string
  readonly gas: string
  readonly gas_price: string
  readonly gas_used: string
  readonly cumulative_gas: string
  readonly method_id: string
}

/** `most`: rows that are kept at most, by and large; 0 = nothing is kept, and nothing that was kept is told. */
export const layerWith = (most = usualMost) =>
  Layer.effect(
    KeptTransactions,
    Effect.gen(function* () {
      const database = yield* Database
      const { sql } = database
      const table = sql(`${database.schema}.kept_transaction`)
      /** The oldest of those that are too many: their places are numbers without many gaps. */
      const removeOldest = () => sql`
        delete from ${table} where place in (
          select place from ${table}
          where place <= (select max(place) from ${table}) - ${most}::int8 order by place limit ${10 * removedAtOnce}
          for update skip locked)`
      return KeptTransactions.of({
        find: Effect.fn("PostgresKeptTransactions.find")(function* (chainId, transactions) {
          if (transactions.length === 0 || most === 0) return []
          const rows = yield* database.query(
            () => sql<Array<Row>>`
              select '0x' || encode(tx_hash, 'hex') as hash, block_number, '0x' || encode(block_hash, 'hex') as block_hash,
                tx_index, nonce::text as nonce, gas::text as gas, gas_price::text as gas_price,
                gas_used::text as gas_used, cumulative_gas::text as cumulative_gas,
                '0x' || encode(method_id, 'hex') as method_id
              from ${table} where chain_id = ${chainId}::int8 and tx_hash = any(${transactions as Array<Hash>}::bytea[])`,
          )
          return rows.map(factsOf)
        }),
        keep: Effect.fn("PostgresKeptTransactions.keep")(function* (chainId, transactions) {
          if (transactions.length === 0 || most === 0) return
          const column = <A>(of: (facts: TransactionFacts) => A) => transactions.map(of)
          const kept = yield* database.transact((tx, run) =>
            // In one order: two who keep the same rows at once would else lock each other out.
            run(tx<Array<{ place: number }>>`
                insert into ${table} as kept (chain_id, tx_hash, block_number, block_hash, tx_index, nonce, gas, gas_price,
                  gas_used, cumulative_gas, method_id)
                select ${chainId}::int8, * from unnest(
                  ${column((it) => it.hash)}::bytea[], ${column((it) => it.blockNumber)}::int8[],
                  ${column((it) => it.blockHash)}::bytea[], ${column((it) => it.index)}::int4[],
                  ${column((it) => it.nonce)}::numeric[], ${column((it) => it.gas)}::numeric[],
                  ${column((it) => it.gasPrice)}::numeric[], ${column((it) => it.gasUsed)}::numeric[],
                  ${column((it) => it.cumulativeGasUsed)}::numeric[], ${column((it) => it.methodId)}::bytea[]
                ) it (tx_hash) order by it.tx_hash
                on conflict (chain_id, tx_hash) do update set
                  block_number = excluded.block_number, block_hash = excluded.block_hash, tx_index = excluded.tx_index,
                  nonce = excluded.nonce, gas = excluded.gas, gas_price = excluded.gas_price,
                  gas_used = excluded.gas_used, cumulative_gas = excluded.cumulative_gas, method_id = excluded.method_id
                where (kept.block_number, kept.block_hash, kept.tx_index)
                  <> (excluded.block_number, excluded.block_hash, excluded.tx_index)
                returning place`),
          )
          const newest = kept.reduce((most, { place }) => Math.max(most, place), 0)
          const before = newest - transactions.length
          // Once in so many rows: what is removed then makes room for as many again.
          if (Math.floor(newest / removedAtOnce) > Math.floor(before / removedAtOnce)) {
            yield* database.query(removeOldest)
          }
        }),
      })
    }),
  )

const factsOf = (row: Row): TransactionFacts => ({
  hash: row.hash,
  blockNumber: row.block_number,
  blockHash: row.block_hash,
  index: row.tx_index,
  nonce: row.nonce,
  gas: row.gas,
  gasPrice: row.gas_price,
  gasUsed: row.gas_used,
  cumulativeGasUsed: row.cumulative_gas,
  methodId: row.method_id,
})
