/** What an administrator set for the role or the database changes neither what is stored nor what is read. */
import { expect, test } from "bun:test"
import postgres from "postgres"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import { migrate, registryMigrations } from "../../../src/adapters/postgres/database/migrate.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { contentOf } from "../../contracts/content.ts"
import { freshChainId, openStore, type TestStore } from "../../contracts/store.ts"
import { bazaar } from "../../contracts/worlds/bazaar.ts"
import { testDatabase, VERSIONS } from "../../support/postgres.ts"

const settings = {
  bytea_output: "escape",
  standard_conforming_strings: "off",
  array_nulls: "off",
  transform_null_equals: "on",
  DateStyle: "German",
  IntervalStyle: "sql_standard",
  TimeZone: "Asia/Kathmandu",
  extra_float_digits: "0",
  client_encoding: "LATIN1",
  default_transaction_isolation: "serializable",
  search_path: "pg_temp, public",
  backslash_quote: "on",
  lock_timeout: "2s",
}

for (const version of VERSIONS)
  test(`on PostgreSQL ${version} every table is that of a ledger in memory, also after reorgs and restarts`, async () => {
    const url = await testDatabase(version)
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`
    for (const [setting, value] of Object.entries(settings))
      await sql.unsafe(`alter database ${name} set ${setting} = '${value}'`)
    await sql.end()
    const chain = bazaar(5)
    const chainId = freshChainId()
    const last = chain.nextBlock - 1
    const write = async (store: TestStore) => {
      const first = await store.open({ chainId })
      await store.run(first.append(chain.segment(0, last - 4)))
      await store.run(first.rollback(last - 9))
      await store.run(first.append(chain.segment(last - 9, last - 2)))
      const born = await store.run(first.listUndescribedTokens(3))
      await store.run(first.describeTokens(born.map((token) => ({ token, description: { name: "Ťøкен \\x 'a'" } }))))
      await store.run(first.append(chain.segment(last - 1)))
      return contentOf(store, chainId, chain)
    }
    const stores = [
      await openStore(async () => PostgresStore.layer({ url })),
      await openStore(async () => MemoryStore.layer),
    ]
    const [stored, wanted] = await Promise.all(stores.map(write))
    expect(stored).toEqual(wanted!)
    await Promise.all(stores.map((store) => store.close()))
  })

const limits = ["lock_timeout", "statement_timeout", "transaction_timeout", "idle_in_transaction_session_timeout"]

for (const version of VERSIONS)
  test(`on PostgreSQL ${version} who starts beside a migration waits for it, whatever limits its role has`, async () => {
    const url = await testDatabase(version)
    const sql = postgres(url, { max: 2, onnotice: () => {} })
    const name = new URL(url).pathname.slice(1)
    const known = await sql<Array<{ name: string }>>`select name from pg_settings where name = any(${limits})`
    for (const it of known) await sql.unsafe(`alter database ${name} set ${it.name} = '300ms'`)
    const limited = postgres(url, { max: 1, onnotice: () => {} })
    const other = await sql.reserve()
    // A transaction_timeout counts from where it was opened.
    await other`set statement_timeout = 0`
    await other`select pg_advisory_lock(hashtextextended('migrate waited', 0))`
    const migrated = migrate(limited, "waited", registryMigrations).then(() => "done", String)
    await other`select pg_sleep(1)`
    await other`select pg_advisory_unlock_all()`
    expect(await migrated).toBe("done")
    other.release()
    await Promise.all([sql.end(), limited.end()])
  })
