/** Settings of an empty store: a database of its own, or schemas of its own on the server that `TEST_DATABASE_URL` names. */
import postgres from "postgres"
import type { DatabaseSettings } from "../../src/adapters/postgres/database/Database.ts"
import { dropGivenDatabases, givenUrl } from "./givenDatabase.ts"
import { testDatabase, type Version } from "./postgres.ts"

const state = globalThis as { cowryTestSchemas?: Array<string> }
state.cowryTestSchemas ??= []
const schemas = state.cowryTestSchemas

export const testSettings = async (version: Version = 18): Promise<DatabaseSettings> => {
  if (givenUrl === undefined) return { url: await testDatabase(version) }
  const schema = `test_${process.pid}_${schemas.length + 1}`
  schemas.push(schema)
  return { url: givenUrl, schema }
}

/** Takes away what this process has made on the server that was given. */
export const dropGiven = async (): Promise<void> => {
  if (givenUrl === undefined) return
  await dropGivenDatabases(givenUrl)
  if (schemas.length === 0) return
  const sql = postgres(givenUrl, { max: 1, onnotice: () => {} })
  try {
    for (const schema of schemas.splice(0)) {
      const found = await sql`
        select nspname from pg_namespace where nspname = ${schema} or nspname like ${`${schema.replaceAll("_", "\\_")}\\_%`}`
      for (const { nspname } of found) await sql`drop schema ${sql(nspname)} cascade`
    }
  } finally {
    await sql.end()
  }
}
