/** Tables are brought up to date while others read them: who changes them gives way, and no reader waits behind it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Layer, Logger } from "effect"
import postgres from "postgres"
import { tablesInUse } from "../../../src/adapters/postgres/database/locks/tablesInUse.ts"
import { ledgerMigrations, migrate, registryMigrations } from "../../../src/adapters/postgres/database/migrate.ts"
import * as PostgresDatabase from "../../../src/adapters/postgres/database/PostgresDatabase.ts"
import { unavailable } from "../../../src/adapters/postgres/ledger/ledgerErrors.ts"
import { failureOf } from "../../support/failure.ts"
import { testDatabase } from "../../support/postgres.ts"

let url: string
let sql: postgres.Sql
beforeAll(async () => {
  url = await testDatabase()
  sql = postgres(url, { max: 4, onnotice: () => {} })
})
afterAll(() => sql.end())

/** The files from then on change `state`, and tables of rows. */
const older = ledgerMigrations.slice(0, ledgerMigrations.indexOf("041_appended_moves.sql"))

const filesOf = async (schema: string) => (await sql`select file from ${sql(schema)}.migration`).length

test("while a stream is in them they are waited for by moments, which readers behind it hardly notice; then it is said", async () => {
  await migrate(sql, "old_1", older)
  const stream = await sql.reserve()
  await stream`begin`
  await stream`select from old_1.state`
  const [{ pid }] = await stream<[{ pid: number }]>`select pg_backend_pid() as pid`
  const failure = failureOf(migrate(sql, "old_1", ledgerMigrations))
  const isWaited = () => sql`select from pg_locks where not granted and relation = 'old_1.state'::regclass`
  while ((await isWaited()).length === 0) await pause(2)
  // Behind whoever waits for the table, who gives way long before the stream does.
  await sql`select from old_1.state`
  const { problem } = unavailable(await failure)
  expect(problem).toContain("others are in them for long: a stream that is read slowly")
  expect(problem).toMatch(new RegExp(`In them now: process ${pid} \\(client backend, since [-0-9]+ [0-9:]+ UTC\\)\\.`))
  expect(await filesOf("old_1")).toBe(older.length)
  await stream`commit`
  stream.release()
  await migrate(sql, "old_1", ledgerMigrations)
  expect(await filesOf("old_1")).toBe(ledgerMigrations.length)
})

test("a moment's reader is waited for, and tables that the files do not name are nobody's concern", async () => {
  await migrate(sql, "old_2", older)
  const [reader, other] = [await sql.reserve(), await sql.reserve()]
  for (const [held, table] of [
    [reader, "state"],
    [other, "pool"],
  ] as const) {
    await held`begin`
    await held`select from old_2.${sql(table)}`
  }
  const done = migrate(sql, "old_2", ledgerMigrations)
  const isWaited = () => sql`select from pg_locks where not granted and relation = 'old_2.state'::regclass`
  while ((await isWaited()).length === 0) await pause(2)
  await reader`commit`
  await done
  expect(await filesOf("old_2")).toBe(ledgerMigrations.length)
  await other`commit`
  for (const held of [reader, other]) held.release()
})

test("a vacuum in them is named, also to a role that is told nothing of others' sessions", async () => {
  await migrate(sql, "old_3", older)
  const [vacuum, plain] = [await sql.reserve(), await sql.reserve()]
  // What a vacuum has of its table.
  await vacuum`begin`
  await vacuum`lock table old_3.balance in share update exclusive mode`
  const [{ pid }] = await vacuum<[{ pid: number }]>`select pg_backend_pid() as pid`
  await plain`create role plain_3`
  await plain`set role plain_3`
  expect((await tablesInUse(plain, "old_3", undefined)).message).toContain(
    `In them now: process ${pid} (a vacuum or the like). `,
  )
  await plain`reset role`
  await plain`drop role plain_3`
  await vacuum`commit`
  for (const held of [vacuum, plain]) held.release()
})

test("a start waits for the registry's tables, and says so", async () => {
  await migrate(sql, "cowry", registryMigrations.slice(0, 3))
  const reader = await sql.reserve()
  await reader`begin`
  await reader`select from cowry.chain`
  const said: Array<unknown> = []
  const started = Effect.runPromise(
    Effect.scoped(Layer.build(PostgresDatabase.layer({ url }))).pipe(
      Effect.asVoid,
      Effect.provide(Logger.layer([Logger.make(({ message }) => void said.push(message))])),
    ),
  )
  while (said.length === 0) await pause(20)
  expect(String(said[0])).toContain("the tables of schema cowry are to be brought up to date")
  await reader`commit`
  reader.release()
  await started
  expect(await filesOf("cowry")).toBe(registryMigrations.length)
})
