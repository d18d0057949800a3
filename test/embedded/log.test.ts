/** The server's log is bounded while it runs, on a full disk too, and no caller who leaves fills it with his statement. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import postgres from "postgres"
import { startEmbedded } from "../../src/adapters/embedded/embedded.ts"
import { openTemporaryFolder } from "../support/postgres.ts"
import { ask, until } from "./support.ts"

let folder: string
let log: string
let url: string
const scope = Scope.makeUnsafe()
beforeAll(async () => {
  folder = openTemporaryFolder("cowry-log-")
  log = join(folder, "data/postgres.log")
  const starting = startEmbedded({ dataDir: join(folder, "data") }).pipe(Scope.provide(scope))
  url = (await Effect.runPromise(starting)).url
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(folder, { recursive: true, force: true })
})

/** A line of the server's own, through the file that it has open. */
const complain = (word: string) => ask(url, `select ${word}`).catch(() => {})

const grow = (last = "") => appendFileSync(log, `${"x".repeat(99)}\n`.repeat(200_000) + last)

test("while the server runs, what is longer than 16 MB is put aside, and the server writes on at the front", async () => {
  grow("the_last_before\n")
  await until("the log is short again", () => statSync(log).size < 1_000)
  // The end of it, which is what matters.
  const aside = readFileSync(`${log}.1`, "utf8")
  expect(aside.length).toBe(16_000_000)
  expect(aside).toContain("the_last_before")
  expect(statSync(`${log}.1`).mode & 0o777).toBe(0o600)
  await complain("the_first_behind")
  const now = readFileSync(log, "utf8")
  expect(now).toContain("the_first_behind")
  expect(now).not.toContain("\0")
})

test("where the disk has no room for that, the log is shortened all the same", async () => {
  // Whatever is written there fails with ENOSPC.
  rmSync(`${log}.1`, { force: true })
  symlinkSync("/dev/full", `${log}.1`)
  grow()
  await until("the log is short again", () => statSync(log).size < 1_000)
  expect(existsSync(`${log}.1`)).toBe(false)
  await complain("the_first_behind")
  expect(readFileSync(log, "utf8")).toContain("the_first_behind")
})

test("a read that is cancelled, as that of a caller who left, and one that fails leave a line each, without their statement", async () => {
  const sql = postgres(url, { max: 1 })
  const read = sql.unsafe("select pg_sleep(60) as a_long_statement").execute()
  await until("it runs", async () => {
    const rows = await ask(url, "select from pg_stat_activity where wait_event = 'PgSleep'")
    return rows.length === 1
  })
  read.cancel()
  await read.catch(() => {})
  await sql.end()
  await ask(url, "select 1 / 0 as another_statement").catch(() => {})
  const said = readFileSync(log, "utf8")
  expect(said).toContain("ERROR:  canceling statement due to user request")
  expect(said).toContain("ERROR:  division by zero")
  expect(said).not.toContain("_statement")
})
