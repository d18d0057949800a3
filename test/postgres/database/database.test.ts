/** What the database must be, how it is brought up to date, and what its rows and failures look like. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { Effect, Fiber, Layer } from "effect"
import postgres from "postgres"
import { makeClient } from "../../../src/adapters/postgres/database/client.ts"
import {
  Database,
  type DatabaseSettings,
  type DatabaseShape,
} from "../../../src/adapters/postgres/database/Database.ts"
import { databaseOf, holding } from "../../../src/adapters/postgres/database/databaseOf.ts"
import { openHeld } from "../../../src/adapters/postgres/database/held.ts"
import { ledgerMigrations, migrate, registryMigrations } from "../../../src/adapters/postgres/database/migrate.ts"
import * as PostgresDatabase from "../../../src/adapters/postgres/database/PostgresDatabase.ts"
import { findObstacle } from "../../../src/adapters/postgres/database/serverCheck.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { testDatabase, VERSIONS } from "../../support/postgres.ts"
import { releasedMigrations } from "./released.ts"
import { startTransactionPooler } from "./transactionPooler.ts"

const migrationFolder = "../../../src/adapters/postgres/database/migrations"

let url: string
let sql: postgres.Sql
beforeAll(async () => {
  url = await testDatabase()
  sql = postgres(url, { max: 2, onnotice: () => {} })
  await sql.unsafe("create table public.hit (x int)")
})
afterAll(() => sql.end())

const use = <A, E>(settings: DatabaseSettings, body: (database: DatabaseShape) => Effect.Effect<A, E>) =>
  Effect.runPromise(Database.use(body).pipe(Effect.provide(PostgresDatabase.layer(settings))))
/** Everything a failure to open shows, its causes included. */
const failureToOpen = async (settings: DatabaseSettings) => {
  const error = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(PostgresDatabase.layer(settings)))))
  return { tag: error._tag, message: error.message, all: Bun.inspect(error, { depth: 9 }) + JSON.stringify(error) }
}

for (const version of VERSIONS) {
  test(`eight starts at once on PostgreSQL ${version} migrate the registry and a chain once`, async () => {
    const fresh = await testDatabase(version)
    const start = () =>
      use({ url: fresh }, ({ sql, chainSchema }) =>
        Effect.promise(() => migrate(sql, chainSchema(ChainId.make("1")), ledgerMigrations)),
      )
    await Promise.all(Array.from({ length: 8 }, start))
    const journal = await use({ url: fresh }, (database) =>
      database.query(
        () => database.sql<Array<{ file: string }>>`
          select file from cowry.migration union all select file from cowry_1.migration`,
      ),
    )
    expect(journal.map(({ file }) => file)).toEqual([...registryMigrations, ...ledgerMigrations])
  })
}

const migrationFiles = () => readdirSync(new URL(migrationFolder, import.meta.url)).sort()

test("every file in migrations is applied to the registry or to a chain", () => {
  expect([...registryMigrations, ...ledgerMigrations].sort()).toEqual(migrationFiles())
})

test("no migration that was released is another one today", () => {
  const digestOf = (file: string) =>
    createHash("sha256")
      .update(readFileSync(new URL(`${migrationFolder}/${file}`, import.meta.url)))
      .digest("hex")
  expect(Object.fromEntries(migrationFiles().map((file) => [file, digestOf(file)]))).toEqual(releasedMigrations)
})

test("a migration that was changed after it was applied is refused, and so is one from a newer version", async () => {
  const schema = "altered"
  await use({ url, schema }, () => Effect.void)
  await sql`update altered.migration set sha256 = 'other' where file = '000_registry.sql'`
  const altered = await failureToOpen({ url, schema })
  expect([altered.tag, altered.message]).toEqual([
    "DatabaseRefused",
    "migration 000_registry.sql is another one than was applied to schema altered. Run the version that applied it, or " +
      "use another database: DATABASE_URL, or DATA_DIR of the embedded one",
  ])
  await sql`update altered.migration set file = '999_future.sql' where file = '000_registry.sql'`
  expect((await failureToOpen({ url, schema })).message).toBe(
    "schema altered was made by a newer version: it holds migration 999_future.sql, which this version does not know. Run " +
      "the newer version again, or use another database: DATABASE_URL, or DATA_DIR of the embedded one",
  )
})

test("a migration that fails leaves nothing of it behind", async () => {
  const schema = "half"
  await sql.unsafe(`create schema half; create table half.chain (taken int)`)
  const { tag, message } = await failureToOpen({ url, schema })
  expect(tag).toBe("DatabaseRefused")
  expect(message).toEndWith('cannot be used: relation "chain" already exists (42P07)')
  const [row] = await sql`select to_regclass('half.migration') as journal`
  expect(row!.journal).toBeNull()
})

test("a server that is not there, a wrong database and a wrong password are told apart, without the password", async () => {
  const { host } = new URL(url)
  const elsewhere = (change: (url: URL) => void) => {
    const other = new URL(url)
    change(other)
    return failureToOpen({ url: other.href }).then(({ message }) => message)
  }
  expect(await elsewhere((other) => (other.port = "1"))).toBe(
    "the database at postgres://127.0.0.1:1 cannot be used: it cannot be reached (ECONNREFUSED); check DATABASE_URL",
  )
  expect(await elsewhere((other) => (other.pathname = "/nowhere"))).toBe(
    `the database at postgres://${host} cannot be used: database "nowhere" does not exist (3D000)`,
  )
  const refused = await elsewhere((other) => (other.password = "wrong-secret"))
  expect(refused).toContain("password authentication failed")
  expect(refused).not.toContain("wrong-secret")
})

test("a role without rights is told the exact GRANT, and can go on after it", async () => {
  const name = new URL(url).pathname.slice(1)
  await sql.unsafe(`create role guest login password 'guest-secret'; revoke temporary on database ${name} from public`)
  const guest = new URL(url)
  guest.username = "guest"
  guest.password = "guest-secret"
  const settings = { url: guest.href, schema: "guests" }
  const granted: Array<string> = []
  for (;;) {
    const outcome = await failureToOpen(settings).catch(() => undefined)
    if (outcome === undefined) break
    expect(outcome.tag).toBe("DatabaseRefused")
    const statement = /As an administrator run: (.*;)/.exec(outcome.message)![1]!
    await sql.unsafe(statement)
    granted.push(statement)
    if (granted.length === 2) await sql.unsafe(`create schema guests; revoke create on database ${name} from guest`)
  }
  expect(granted).toEqual([
    `grant temporary on database "${name}" to "guest";`,
    `grant create on database "${name}" to "guest";`,
    `grant usage, create on schema "guests" to "guest";`,
  ])
})

test("a server older than 15 is refused", async () => {
  const old = [{ version: "14.19", number: 140019, role: "x", name: "x", encoding: "UTF8", temporary: true }]
  const obstacle = await findObstacle({ sql: { unsafe: async () => old } } as unknown as DatabaseShape)
  expect(obstacle).toBe("PostgreSQL 15 or newer is needed, the server of DATABASE_URL is 14.19")
})

test("a database that cannot keep every name is refused, one of another name is found by it", async () => {
  await sql.unsafe(`create database latin template template0 encoding 'LATIN1' locale 'C'`)
  await sql.unsafe(`create database "we ird-Ä%'" template template0 encoding 'SQL_ASCII' locale 'C'`)
  const at = (name: string) => Object.assign(new URL(url), { pathname: name }).href
  expect((await failureToOpen({ url: at("latin") })).message).toContain(
    'the database "latin" keeps its text as LATIN1, which not every token\'s name fits in: UTF8 is needed',
  )
  for (const name of [encodeURIComponent("we ird-Ä%'"), "we ird-Ä%25'"]) {
    const [row] = await use({ url: at(name) }, ({ query, sql }) => query(() => sql`select current_database() as name`))
    expect(row!.name).toBe("we ird-Ä%'")
  }
})

for (const lifo of [true, false]) {
  test(`a pooler in transaction mode is refused (${lifo ? "last" : "first"} idle connection first)`, async () => {
    const pooler = await startTransactionPooler(Number(new URL(url).port), lifo)
    const pooled = new URL(url)
    pooled.port = String(pooler.port)
    const { tag, message } = await failureToOpen({ url: pooled.href, max: 1 })
    expect(tag).toBe("DatabaseRefused")
    expect(message).toContain("pooler")
    await pooler.close()
  })
}

test.each([
  [1, true],
  [2, true],
  [2, false],
  [3, true],
  [3, false],
])(
  "a pooler in transaction mode with %i server connections is refused, not waited for (last idle first: %p)",
  async (size, lifo) => {
    const pooler = await startTransactionPooler(Number(new URL(url).port), lifo, size)
    const pooled = new URL(url)
    pooled.port = String(pooler.port)
    const client = makeClient({ url: pooled.href, max: 1 })
    // Where it is in its turn must not count.
    for (let look = 0; look < 4; look++)
      expect(await findObstacle(databaseOf(client, { url: pooled.href }), 100)).toContain("pooler")
    await client.end({ timeout: 0 })
    await pooler.close()
  },
)

test("a schema name that needs quoting is refused", async () => {
  const { tag, message } = await failureToOpen({ url, schema: 'x"; drop' })
  expect([tag, message]).toEqual([
    "DatabaseRefused",
    `the schema's name: expected at most 40 lower-case letters, digits and _, got x"; drop`,
  ])
})

test("no failure shows the password of DATABASE_URL", async () => {
  const free = createServer()
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve))
  const closedPort = (free.address() as { port: number }).port
  await new Promise((resolve) => free.close(resolve))
  const { host, pathname } = new URL(url)
  for (const bad of [
    `postgres://cowry:s3cr3t@${host}${pathname}`,
    `postgres://cowry:s3cr3t@127.0.0.1:${closedPort}/x`,
    `postgres://cowry:s3cr3t@${host}/no_such_database`,
    "postgres://cowry:s3cr3t@[bad/x",
    "postgres://cowry:s3cr3t%@127.0.0.1/x",
    "mysql://cowry:s3cr3t@127.0.0.1/x",
    "s3cr3t",
  ]) {
    const { tag, all } = await failureToOpen({ url: bad, max: 1 })
    expect(["DatabaseRefused", "StoreUnavailable"]).toContain(tag)
    expect(all).not.toContain("s3cr3t")
  }
})

test("rows have the shapes of the records", async () => {
  const rows = await use({ url }, ({ query, sql }) =>
    query(
      () => sql`
        select 1::int8 as int8, -2::int4 as int4, '\\x00Ff'::bytea as bytea, ${Buffer.from("ab", "hex")}::bytea as given,
               ${"0xcd"}::bytea as hex, 12345678901234567890123::numeric as numeric, null::text as nothing,
               '2026-01-02 03:04:05.678+00'::timestamptz as time, array['\\x01'::bytea] as list, '{"a":1}'::jsonb as json`,
    ),
  )
  expect(rows.map((it) => ({ ...it }))).toEqual([
    {
      int8: 1,
      int4: -2,
      bytea: "0x00ff",
      given: "0xab",
      hex: "0xcd",
      numeric: "12345678901234567890123",
      time: "2026-01-02T03:04:05.678Z",
      list: ["0x01"],
      json: { a: 1 },
    },
  ])
})

test("an int8 beyond 2⁵³ is an error, never a rounded number; the connection goes on", async () => {
  const result = await use({ url, max: 1 }, ({ query, sql }) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(query(() => sql`select 9007199254740993::int8 as x from generate_series(1, 3)`))
      return [error._tag, (yield* query(() => sql`select 9007199254740991::int8 as x`))[0]!.x]
    }),
  )
  expect(result).toEqual(["StoreUnavailable", 9007199254740991])
})

const sleeping = () =>
  sql`select pid from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active' and pid <> pg_backend_pid()
    and datname = current_database()`
const until = async (wanted: number) => {
  while ((await sleeping()).length !== wanted) {}
}

for (const [what, sleep] of [
  ["query", ({ query, sql }: DatabaseShape) => query(() => sql`select pg_sleep(60)`)],
  ["snapshot", ({ snapshot }: DatabaseShape) => snapshot((tx, run) => run(tx`select pg_sleep(60)`))],
] as const) {
  test(`an interrupted ${what} ends on the server, and its connection serves on`, async () => {
    await use({ url, max: 1 }, (database) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(sleep(database) as Effect.Effect<unknown, unknown>)
        yield* Effect.promise(() => until(1))
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => until(0))
        expect((yield* database.query(() => database.sql`select 1 as one`))[0]).toEqual({ one: 1 })
      }),
    )
  })

  test(`a ${what} past its budget is too slow, and ends on the server`, async () => {
    await use({ url, max: 1, queryBudgetMs: 100 }, (database) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(sleep(database) as Effect.Effect<unknown, { readonly _tag: string }>)
        expect(error._tag).toBe("QueryTooSlow")
        yield* Effect.promise(() => until(0))
      }),
    )
  })
}

/** Three statements at once, and how each of them ends. */
const threeAtOnce = (endings: Array<Promise<string>>): Parameters<DatabaseShape["snapshot"]>[0] => {
  const ending = (statement: Promise<unknown>) =>
    statement.then(
      () => "ended well",
      (error: { readonly code?: string }) => String(error.code),
    )
  return (tx, run) => {
    const sent = [run(tx`select pg_sleep(60)`), run(tx`select 2`), run(tx`select 3`)]
    endings.push(...sent.map(ending))
    return Promise.all(sent)
  }
}
const [cancelled, aborted] = ["57014", "25P02"]

for (const what of ["snapshot", "transact"] as const) {
  test(`of statements that a ${what} sends at once the one that runs is cancelled, and no connection is given up`, async () => {
    const client = makeClient({ url, max: 2 })
    let renewed = 0
    const database = databaseOf(client, { url, max: 1 }, () => renewed++)
    const endings: Array<Promise<string>> = []
    const fiber = Effect.runFork(database[what](threeAtOnce(endings)))
    await until(1)
    await Effect.runPromise(Fiber.interrupt(fiber))
    // There is one place: whoever comes next has it once the server has done with those.
    await Effect.runPromise(database.query(() => client`select 1`))
    expect([await Promise.all(endings), renewed]).toEqual([[cancelled, aborted, aborted], 0])
    await client.end({ timeout: 0 })
  })
}

test("of statements sent at once over a connection that is held the one that runs is cancelled", async () => {
  await use({ url, max: 1 }, (database) =>
    Effect.promise(async () => {
      const held = await openHeld(database, { lost: "it was lost", first: (sql) => sql`begin` })
      const endings: Array<Promise<string>> = []
      const fiber = Effect.runFork(holding(database, held).snapshot(threeAtOnce(endings)))
      await until(1)
      await Effect.runPromise(Fiber.interrupt(fiber))
      expect(await Promise.all(endings)).toEqual([cancelled, aborted, aborted])
      held.fail(new Error("done"))
    }),
  )
})

test("a read that somebody else's cancel request hits is asked again", async () => {
  const reads = use({ url, max: 1 }, (database) =>
    Effect.all([
      database.query(() => database.sql`select 1 as one, pg_sleep(60 * (count(*) = 0)::int) from public.hit`),
      database.snapshot((tx, run) => run(tx`select 1 as one, pg_sleep(60 * (count(*) < 2)::int) from public.hit`)),
    ]),
  )
  // The one that sleeps by now, not the one before, which may not have seen yet that it is to end.
  for (const sleeping of ["%(count(*) = 0)%public.hit%", "%(count(*) < 2)%public.hit%"]) {
    let pid: number | undefined
    while (pid === undefined) {
      const [row] = await sql`
        select pid from pg_stat_activity where query like ${sleeping} and wait_event = 'PgSleep' and pid <> pg_backend_pid()`
      pid = row?.pid
    }
    await sql`insert into public.hit values (1)`
    await sql`select pg_cancel_backend(${pid!})`
  }
  expect((await reads).map(([row]) => row!.one)).toEqual([1, 1])
})

test("a snapshot sees one state, whatever is committed meanwhile, and cannot write", async () => {
  await sql.unsafe("create table public.probe (x int)")
  const seen = await use({ url }, (database) =>
    database.snapshot(async (tx, run) => {
      const before = await run(tx`select count(*)::int as n from public.probe`)
      await sql`insert into public.probe values (1)`
      const after = await run(tx`select count(*)::int as n from public.probe`)
      return [before[0]!.n, after[0]!.n]
    }),
  )
  expect(seen).toEqual([0, 0])
  const error = await use({ url }, (database) =>
    Effect.flip(database.snapshot((tx, run) => run(tx`delete from public.probe`))),
  )
  expect(error._tag).toBe("StoreUnavailable")
})
