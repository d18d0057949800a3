/** The writer's look-ups go by the key of the table, whatever the planner was told of it when it was young. */
import { expect, test } from "bun:test"
import postgres from "postgres"
import { ledgerMigrations, migrate } from "../../../src/adapters/postgres/database/migrate.ts"
import { joinByKey } from "../../../src/adapters/postgres/ledger/wire/byKey.ts"
import { testDatabase, VERSIONS, type Version } from "../../support/postgres.ts"

/** A ledger's tables, and a session that plans as a writer's does. */
const openTables = async (version: Version, schema: string): Promise<postgres.Sql> => {
  const sql = postgres(await testDatabase(version), { max: 1, onnotice: () => {} })
  await migrate(sql, schema, ledgerMigrations)
  await sql`set search_path = ${sql(schema)}`
  for (const way of ["hashjoin", "mergejoin", "seqscan", "bitmapscan"]) await sql.unsafe(`set enable_${way} = off`)
  return sql
}

/** Of a pair and of a unit, by a look-up as the writer sends it. */
const expectKeys = async (sql: postgres.Sql) => {
  const pair = await sql`
    explain select row.holder_no, row.balance
    from unnest(array[1, 2], array['\\x01'::bytea, '\\x02']) as wanted (token_id, holder)
    ${joinByKey(sql, "balance", ["holder", "token_id"])}`
  expect(planOf(pair)).toMatch(/Index Scan using balance_pkey on balance k.*\n\s+Index Cond: /)
  const unit = await sql`
    explain select row.unit_no, row.balance
    from unnest(array[1, 2], array['\\x01'::bytea, '\\x02'], array[1::numeric, 2]) as wanted (token_id, holder, nft_id)
    ${joinByKey(sql, "unit_balance", ["holder", "token_id", "nft_id"])}`
  expect(planOf(unit)).toMatch(/Index Scan using unit_balance_pkey on unit_balance k.*\n\s+Index Cond: /)
}

const planOf = (rows: ReadonlyArray<postgres.Row>) => rows.map((row) => row["QUERY PLAN"]).join("\n")

test.each(VERSIONS)(
  "on PostgreSQL %i, by statistics of no, one, thirty and two hundred rows, when there are thousands",
  async (version) => {
    const sql = await openTables(version, "young")
    for (const rows of [0, 1, 30, 200]) {
      await sql`truncate balance, unit_balance`
      await sql`
      insert into balance (token_id, holder_no, block_number, holder, balance)
      select n, 2, 1, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1 from generate_series(1, ${rows}::int4) n`
      await sql`
      insert into unit_balance (token_id, unit_no, block_number, nft_id, holder, balance)
      select n, 2, 1, n, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1 from generate_series(1, ${rows}::int4) n`
      await sql`analyze balance, unit_balance`
      await sql`
      insert into balance (token_id, holder_no, block_number, holder, balance)
      select 7, n, 1, decode(lpad(to_hex(n), 40, '0'), 'hex'), n from generate_series(1000, 9000) n`
      await sql`
      insert into unit_balance (token_id, unit_no, block_number, nft_id, holder, balance)
      select 7, n, 1, n, decode(lpad(to_hex(n), 40, '0'), 'hex'), n from generate_series(1000, 9000) n`
      await expectKeys(sql)
    }
    await sql.end()
  },
)

test.each(VERSIONS)(
  "on PostgreSQL %i, where pairs lie in the order of their tokens, as a load stores them, and no cache holds them",
  async (version) => {
    const sql = await openTables(version, "loaded")
    await sql`set effective_cache_size = '256kB'`
    await sql`
      insert into balance (token_id, holder_no, block_number, holder, balance)
      select n / 100, n, 1, decode(md5(n::text), 'hex'), n from generate_series(1, 50000) n`
    await sql`
      insert into unit_balance (token_id, unit_no, block_number, nft_id, holder, balance)
      select n / 100, n, 1, n, decode(md5(n::text), 'hex'), n from generate_series(1, 50000) n`
    await sql`vacuum analyze balance, unit_balance`
    // Two bounds of the key's row, which looks as narrow, take the rank of a token's holders there.
    const bounds = await sql`
      explain select b.holder_no from unnest(array[1, 2], array['\\x01'::bytea, '\\x02']) as wanted (token_id, holder)
      join balance b on (b.holder, b.token_id) >= (wanted.holder, wanted.token_id)
        and (b.holder, b.token_id) <= (wanted.holder, wanted.token_id)`
    expect(planOf(bounds)).toMatch(/Index Scan using balance_rank/)
    await expectKeys(sql)
    await sql.end()
  },
)
