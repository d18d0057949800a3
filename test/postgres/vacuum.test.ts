/** When the server vacuums a ledger's tables: never by hundreds of millions of rows. */
import { expect, test } from "bun:test"
import postgres from "postgres"
import { ledgerMigrations, migrate } from "../../src/adapters/postgres/database/migrate.ts"
import { testDatabase, VERSIONS } from "../support/postgres.ts"

const changing = ["balance", "nft", "token_stat", "unit_balance"]
const growing = [
  ...[
    "approval",
    "balance_history",
    "erc1155_transfer",
    "erc20_transfer",
    "erc721_transfer",
    "odd_log",
    "price_point",
    "swap",
  ],
  ...["unit_balance_history", "wrap"],
]

test.each(VERSIONS)("on PostgreSQL %i, of a billion rows and of a few", async (version) => {
  const sql = postgres(await testDatabase(version), { max: 1, onnotice: () => {} })
  await migrate(sql, "large", ledgerMigrations)
  /** Dead rows, or new ones, that a table of so many rows has when it is vacuumed. */
  const dueAt = async (rows: number, kind: "vacuum" | "vacuum_insert") => {
    const setting = (name: string) => sql`
      coalesce((select option_value from pg_options_to_table(c.reloptions) where option_name = ${name}), current_setting(${name}))::float8`
    return await sql<Array<{ table: string; due: number }>>`
      select relname as table,
        ${setting(`autovacuum_${kind}_threshold`)} + ${setting(`autovacuum_${kind}_scale_factor`)} * ${rows}::float8 as due
      from pg_class c where relnamespace = 'large'::regnamespace and relkind = 'r'
        and relname = any(${kind === "vacuum" ? changing : growing}) order by 1`
  }
  for (const [kind, tables] of [
    ["vacuum", changing],
    ["vacuum_insert", growing],
  ] as const) {
    const large = await dueAt(1_000_000_000, kind)
    expect(large.map(({ table }) => table)).toEqual(tables)
    expect(large.filter(({ due }) => due > 25_000_000)).toEqual([])
    expect((await dueAt(100, kind)).filter(({ due }) => due < 1000)).toEqual([])
  }
  await sql.end()
})
