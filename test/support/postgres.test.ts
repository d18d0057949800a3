/** The suite's own databases: real servers of the versions they promise, empty and apart from each other. */
import { expect, test } from "bun:test"
import postgres from "postgres"
import { testDatabase, VERSIONS } from "./postgres.ts"

for (const version of VERSIONS)
  test(`testDatabase(${version}) gives empty databases of their own on PostgreSQL ${version}`, async () => {
    const [first, second] = await Promise.all([testDatabase(version), testDatabase(version)])
    expect(first).not.toBe(second)
    const sql = postgres(first, { max: 1 })
    const [row] = await sql`select current_setting('server_version_num')::int / 10000 as major,
      (select count(*)::int from pg_tables where schemaname = 'public') as tables`
    await sql.end()
    expect({ ...row }).toEqual({ major: version, tables: 0 })
  })
