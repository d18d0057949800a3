/** The writer's look-ups go by the key of the table, whatever the planner was told of it when it was young. */
import { expect, test } from "bun:test"
import postgres from "postgres"
import { ledgerMigrations, migrate } from "../../../src/adapters/postgres/database/migrate.ts"
import { isKey } from "../../../src/adapters/postgres/ledger/wire/byKey.ts"
import { testDatabase, VERSIONS } from "../../support/postgres.ts"

const planOf = (rows: ReadonlyArray<postgres.Row>) => rows.map((row) => row["QUERY PLAN"]).join("\n")

test.each(VERSIONS)(
  "on PostgreSQL %i, by statistics of no, one, thirty and two hundred rows, when there are thousands",
  async (version) => {
    const sql = postgres(await testDatabase(version), { max: 1, onnotice: () => {} })
    await migrate(sql, "young", ledgerMigrations)
    await sql`set search_path = young`
    await sql`set enable_hashjoin = off`
    await sql`set enable_mergejoin = off`
    await sql`set enable_seqscan = off`
    await sql`set enable_bitmapscan = off`
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
      const pair = await sql`
      explain select b.holder_no, b.balance from unnest(array[1, 2], array['\\x01'::bytea, '\\x02']) as wanted (token_id, holder)
      join balance b on ${isKey(sql, sql`b.holder, b.token_id`, sql`wanted.holder, wanted.token_id`)}`
      expect(planOf(pair)).toMatch(/Index Scan using balance_pkey on balance b.*\n\s+Index Cond: /)
      const unit = await sql`
      explain select u.unit_no, u.balance
      from unnest(array[1, 2], array['\\x01'::bytea, '\\x02'], array[1::numeric, 2]) as wanted (token_id, holder, nft_id)
      join unit_balance u on ${isKey(sql, sql`u.holder, u.token_id, u.nft_id`, sql`wanted.holder, wanted.token_id, wanted.nft_id`)}`
      expect(planOf(unit)).toMatch(/Index Scan using unit_balance_pkey on unit_balance u.*\n\s+Index Cond: /)
    }
    await sql.end()
  },
)
