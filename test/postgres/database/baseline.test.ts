/** A ledger that is made of the baseline is the one that the migrations make, step by step. */
import { expect, test } from "bun:test"
import postgres from "postgres"
import { ledgerMigrations, migrate } from "../../../src/adapters/postgres/database/migrate.ts"
import { testDatabase, VERSIONS } from "../../support/postgres.ts"

/** Everything that PostgreSQL keeps of a schema, in words without its name and numbers. */
const catalogueOf = async (sql: postgres.Sql, schema: string) => {
  const inside = sql`relnamespace = ${schema}::regnamespace`
  const columns = await sql`
    select relname, attname, format_type(atttypid, atttypmod) as type, attnotnull, attstorage, attcompression, attstattarget, attgenerated, attoptions,
           attcollation::regcollation as collation, pg_get_expr(adbin, adrelid) as value
    from pg_class c join pg_attribute a on attrelid = c.oid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where ${inside} and attnum > 0 and not attisdropped order by relname, attnum`
  // Where two indexes cost the same the planner takes the one that was made first.
  const indexes = await sql`
    select t.relname as table, replace(pg_get_indexdef(indexrelid), ${`${schema}.`}, '') as definition, indisprimary, indisunique, indisvalid, indisclustered, indisreplident
    from pg_index join pg_class c on c.oid = indexrelid join pg_class t on t.oid = indrelid
    where c.${inside} order by t.relname, indexrelid`
  const relations = await sql`
    select relname, relkind, reloptions, relpersistence, relreplident, reltoastrelid <> 0 as toasted, relrowsecurity, relacl, relispartition, relnatts - (
             select count(*) from pg_attribute where attrelid = c.oid and attisdropped) as columns
    from pg_class c where ${inside} order by relname`
  const constraints = await sql`
    select relname, conname, contype, condeferrable, pg_get_constraintdef(o.oid) as definition
    from pg_constraint o join pg_class c on c.oid = conrelid where ${inside} order by relname, conname`
  const others = await sql`
    select 'function' as kind, proname as name from pg_proc where pronamespace = ${schema}::regnamespace
    union all select 'type', typname from pg_type where typnamespace = ${schema}::regnamespace
    union all select 'trigger', tgname from pg_trigger join pg_class c on c.oid = tgrelid where ${inside}
    union all select 'statistics', stxname from pg_statistic_ext where stxnamespace = ${schema}::regnamespace
    union all select 'rule', rulename from pg_rewrite join pg_class c on c.oid = ev_class where ${inside}
    order by 1, 2`
  return { columns, indexes, relations, constraints, others }
}

const rowsOf = async (sql: postgres.Sql, schema: string) => {
  const tables = await sql<Array<{ tablename: string }>>`
    select tablename from pg_tables where schemaname = ${schema} and tablename <> 'migration' order by 1`
  const rows = tables.map(async ({ tablename }) => [
    tablename,
    await sql`select * from ${sql(schema)}.${sql(tablename)}`,
  ])
  return Object.fromEntries(await Promise.all(rows))
}

for (const version of VERSIONS)
  test(`on PostgreSQL ${version}`, async () => {
    const sql = postgres(await testDatabase(version), { max: 1, onnotice: () => {} })
    await migrate(sql, "by_step", ledgerMigrations.slice(0, 1))
    for (const schema of ["by_step", "at_once"]) await migrate(sql, schema, ledgerMigrations)

    const [stepwise, atOnce] = [await catalogueOf(sql, "by_step"), await catalogueOf(sql, "at_once")]
    for (const part of ["columns", "indexes", "relations", "constraints", "others"] as const) {
      expect([...atOnce[part]]).toEqual([...stepwise[part]])
    }
    expect(stepwise.columns.length).toBeGreaterThan(200)
    expect(stepwise.indexes.length).toBeGreaterThan(80)
    expect(await rowsOf(sql, "at_once")).toEqual(await rowsOf(sql, "by_step"))

    const journalOf = (schema: string) => sql`select file, sha256 from ${sql(schema)}.migration order by file`
    expect([...(await journalOf("at_once"))]).toEqual([...(await journalOf("by_step"))])
    expect(await journalOf("at_once")).toHaveLength(ledgerMigrations.length)
    await sql.end()
  })
