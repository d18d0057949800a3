/** A chain of a million ERC-721 and a million ERC-1155 rows, made by SQL in the tables that feeds are read from. */
import type postgres from "postgres"
import { ledgerMigrations, migrate } from "../../src/adapters/postgres/database/migrate.ts"
import { Address } from "../../src/model/primitives.ts"

/** Contracts of each NFT standard; those of ERC-20 that the exchange has been in come after them. */
const contracts = 5_000
const coins = 40_000

/** Number 1 is the hottest token of its standard, the busiest account. */
export const nftAddress = (standard: 721 | 1155, number: number): Address =>
  Address.make(`0x${(BigInt(standard) * 10n ** 9n + BigInt(number)).toString(16).padStart(40, "0")}`)
export const nftAccount = (number: number): Address => Address.make(`0x${number.toString(16).padStart(40, "0")}`)

/** Makes the schema of `chainId` and fills it: about one row in four is of the hottest token. `seed` is -1 to 1. */
export const seedNfts = async (sql: postgres.Sql, schema: string, rows: number, seed = 0.5): Promise<void> => {
  await migrate(sql, schema, ledgerMigrations)
  const blocks = Math.floor(rows / 5)
  const zero = `decode('${"00".repeat(20)}', 'hex')`
  const account = (expression: string) => `decode(lpad(to_hex((${expression})::int8), 40, '0'), 'hex')`
  const statements = [
    `set search_path = ${schema}`,
    `select setseed(${seed})`,
    `insert into token (token_id, standard, address, name, symbol, first_pos, sort_time)
     select n, s, ${account("s * 1000000000::int8 + at")}, 'Token ' || n, 'T', n, n from (
       select n, case when n <= ${contracts} then 721 when n <= ${2 * contracts} then 1155 else 20 end as s,
         case when n <= ${2 * contracts} then (n - 1) % ${contracts} + 1 else n end as at
       from generate_series(1, ${2 * contracts + coins}) n) numbered`,
    // A log in five is a batch of five rows; parties and tokens by a power law; mints, burns and a few voids.
    ...[721, 1155].map(
      (
        standard,
      ) => `insert into erc${standard}_transfer (pos, sub, time, token_id, tx_hash, from_addr, to_addr, nft_id${standard === 1155 ? ", amount" : ""})
     select (block::int8 << 24) + log, sub, 1700000000 + block * 2, token_id, sha256(int8send(block::int8 * 1000 + log)),
       case when kind < 0.2 or kind > 0.99999 then ${zero} else ${account("sender")} end,
       case when kind > 0.97 then ${zero} else ${account("receiver")} end,
       floor(${standard === 1155 ? 100 : 10000} * power(random(), 2))${standard === 1155 ? ", 1" : ""}
     from (
       select block, ${standard === 721 ? 0 : 100} + log as log, random() as kind, (block + log) % 5 = 0 as batch,
         ${standard === 721 ? 1 : contracts + 1} + floor(${contracts} * power(random(), 6))::int as token_id,
         1 + floor(200000 * power(random(), 4)) as sender, 1 + floor(200000 * power(random(), 4)) as receiver
       from generate_series(1, ${blocks}) block, generate_series(0, 2) log
     ) logs, generate_series(0, 4) sub where batch or sub = 0`,
    ),
    `create temp table touch as
     select token_id, holder, block, dense_rank() over (order by token_id, holder)::int as holder_no,
       row_number() over (partition by token_id, holder order by block desc) as age
     from (
       select token_id, from_addr as holder, (pos >> 24)::int as block from erc721_transfer where from_addr <> ${zero}
       union select token_id, to_addr, (pos >> 24)::int from erc721_transfer where to_addr <> ${zero}
       union select token_id, from_addr, (pos >> 24)::int from erc1155_transfer where from_addr <> ${zero}
       union select token_id, to_addr, (pos >> 24)::int from erc1155_transfer where to_addr <> ${zero} or from_addr = ${zero}
       union select n, ${account("1")}, (n % ${blocks})::int from generate_series(${2 * contracts + 1}, ${2 * contracts + coins}) n
     ) touched`,
    "insert into balance select token_id, holder_no, block, holder, 1 from touch where age = 1",
    "insert into balance_history select token_id, holder_no, block, 1 from touch where age > 1",
    `insert into token_stat (token_id, standard, address, transfers, holder_seq)
     select t.token_id, t.standard, t.address, count(r.*), 0 from token t left join (
       select token_id from erc721_transfer union all select token_id from erc1155_transfer
     ) r using (token_id) group by t.token_id`,
    `insert into clock select block, 1700000000 + block * 2 from generate_series(1, ${blocks}) block where block % 256 = 0`,
    `insert into state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_parent, head_time,
       erc721_transfers, erc1155_transfers)
     select 1, '', '{}', 0, ${blocks + 1}, sha256('head'), sha256('parent'), 1700000000 + ${blocks} * 2,
       (select count(*) from erc721_transfer), (select count(*) from erc1155_transfer)`,
    "drop table touch",
    "reset search_path",
  ]
  const connection = await sql.reserve()
  try {
    for (const statement of statements) await connection.unsafe(statement)
    await connection.unsafe("vacuum analyze")
  } finally {
    connection.release()
  }
}
