/** A chain of swaps, made by SQL in the tables that their feeds are read from. */
import type postgres from "postgres"
import { ledgerMigrations, migrate } from "../../src/adapters/postgres/database/migrate.ts"
import { Address } from "../../src/model/primitives.ts"

/** Numbers 1 to 3 are hubs, one of them in every pool; the others have a pool each, the busier the lower. Of every third the token alone tells decimals. */
export const swapAsset = (number: number): Address =>
  Address.make(`0x${(8n * 10n ** 9n + BigInt(number)).toString(16).padStart(40, "0")}`)

/**
 * Makes the schema of `chainId` and fills it. Three swaps in ten are of hubs 1 and 2, ten in all are of hubs 1 and 3,
 * of 2 and 3 none; half of the others are in a hundredth of the pools. `seed` is -1 to 1.
 */
export const seedSwaps = async (
  sql: postgres.Sql,
  schema: string,
  rows: number,
  pools = 20_000,
  seed = 0.5,
): Promise<void> => {
  await migrate(sql, schema, ledgerMigrations)
  const blocks = Math.ceil(rows / 5)
  const address = (expression: string) => `decode(lpad(to_hex((8000000000 + ${expression})::int8), 40, '0'), 'hex')`
  const statements = [
    `set search_path = ${schema}`,
    `select setseed(${seed})`,
    `insert into asset select n, ${address("n")}, n % 3 * 6, 0 from generate_series(1, ${pools + 3}) n`,
    `insert into token (token_id, standard, address, decimals, first_pos, sort_time)
     select n, 20, ${address("n")}, 18, n, 0 from generate_series(1, ${pools + 3}) n`,
    `insert into pool
     select n, ${address("1000000000 + n")}, 1 + n % 3, 3 + n, ${address("n % 7")}, 0 from generate_series(1, ${pools}) n
     union all select ${pools + 1}, ${address("0")}, 1, 2, null, 0
     union all select ${pools + 2}, ${address("-1")}, 1, 3, null, 0
     union all select ${pools + 3}, ${address("-2")}, 2, 3, null, 0`,
    `insert into swap
     select made.pos, 1700000000 + (made.pos >> 24) * 2, case when made.turned then p.asset1 else p.asset0 end,
       case when made.turned then p.asset0 else p.asset1 end, p.pool_no, sha256(int8send(made.pos)), 10 ^ 18, made.pos
     from (
       select ((n / 5)::int8 << 24) + n % 5 as pos, random() < 0.5 as turned,
         case when n % ${Math.ceil(rows / 10)} = 7 then ${pools + 2} when random() < 0.3 then ${pools + 1}
              else 1 + floor(${pools} * power(random(), 7))::int end as pool_no
       from generate_series(0, ${rows - 1}) n
     ) made join pool p using (pool_no) order by made.pos`,
    `insert into clock select block, 1700000000 + block * 2 from generate_series(0, ${blocks}, 256) block`,
    `insert into state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_parent, head_time, swaps)
     select 1, '', '{}', 0, ${blocks + 1}, sha256('head'), sha256('parent'), 1700000000 + ${blocks} * 2, count(*) from swap`,
    "reset search_path",
  ]
  const connection = await sql.reserve()
  try {
    for (const statement of statements) await connection.unsafe(statement)
    for (const table of ["asset", "token", "pool", "swap", "clock", "state"])
      await connection.unsafe(`vacuum analyze ${schema}.${table}`)
  } finally {
    connection.release()
  }
}
