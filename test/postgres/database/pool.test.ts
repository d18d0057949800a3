/** The readers' pool when connections are lost: whoever asks hears nothing of it, and no connection is spoilt for later. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, ManagedRuntime } from "effect"
import postgres, { type Sql } from "postgres"
import { Database } from "../../../src/adapters/postgres/database/Database.ts"
import * as PostgresDatabase from "../../../src/adapters/postgres/database/PostgresDatabase.ts"
import { type Cuttable, startCuttable } from "../../support/nodes/cuttable.ts"
import { testDatabase } from "../../support/postgres.ts"

let line: Cuttable
let url: string
let admin: postgres.Sql
/** Not over the line, whose connections some tests spoil. */
let direct: ManagedRuntime.ManagedRuntime<Database, unknown>
let runtime: ManagedRuntime.ManagedRuntime<Database, unknown>
beforeAll(async () => {
  const database = await testDatabase()
  const over = new URL(database)
  line = await startCuttable("127.0.0.1", Number(over.port))
  over.port = String(line.port)
  url = over.href
  runtime = ManagedRuntime.make(PostgresDatabase.layer({ url, max: 4 }))
  await runtime.runPromise(Effect.void)
  direct = ManagedRuntime.make(PostgresDatabase.layer({ url: database, max: 4 }))
  await direct.runPromise(Effect.void)
  admin = postgres(database, { max: 1, onnotice: () => {} })
  await admin`create table public.noted (number int4)`
})
afterAll(async () => {
  await runtime.dispose()
  await direct.dispose()
  await admin.end()
  await line.stop()
})

const read = (number: number) =>
  runtime.runPromise(Database.use(({ sql, query }) => query(() => sql`select ${number}::int4 as read`)))

test("reads go on at once after each loss, of idle connections and of busy ones", async () => {
  for (let round = 0; round < 8; round++) {
    const busy = Array.from({ length: round % 2 === 0 ? 0 : 6 }, (_, number) => read(number).catch(() => undefined))
    line.cut()
    line.mend()
    await Promise.all(busy)
    const found = await Promise.all(Array.from({ length: 6 }, (_, number) => read(number)))
    expect(found.map(([row]) => row)).toEqual(Array.from({ length: 6 }, (_, number) => ({ read: number })))
  }
})

test("reads go on where the connections went silent without an end", async () => {
  const own = ManagedRuntime.make(PostgresDatabase.layer({ url, max: 2, queryBudgetMs: 4000 }))
  const ask = () => own.runPromise(Database.use(({ sql, query }) => query(() => sql`select 1::int4 as read`)))
  await Promise.all([ask(), ask()])
  line.hush()
  const failures = await Promise.all([ask(), ask()].map((it) => it.catch((cause) => cause._tag)))
  expect(failures).toEqual(["QueryTooSlow", "QueryTooSlow"])
  let found: unknown
  while (found === undefined) found = await ask().catch(() => undefined)
  expect(found).toEqual([{ read: 1 }])
  await own.dispose()
})

test("reads that are given up while their connections open cost the pool none of them", async () => {
  const own = ManagedRuntime.make(PostgresDatabase.layer({ url, max: 4 }))
  await own.runPromise(Effect.void)
  const ask = (signal?: AbortSignal) =>
    own.runPromise(
      Database.use(({ sql, query }) => query(() => sql`select pg_sleep(0.05), 1::int4 as read`)),
      signal && { signal },
    )
  for (let round = 0; round < 5; round++) {
    const leaving = new AbortController()
    const left = Array.from({ length: 20 }, () => ask(leaving.signal).catch(() => "left"))
    leaving.abort()
    expect(new Set(await Promise.all(left))).toEqual(new Set(["left"]))
  }
  const found = await Promise.all(Array.from({ length: 12 }, () => ask()))
  expect(found.map(([row]) => row!.read)).toEqual(Array.from({ length: 12 }, () => 1))
  await own.dispose()
})

test("a statement behind one that failed amid its rows has its own rows, and no empty places before them", async () => {
  const own = ManagedRuntime.make(PostgresDatabase.layer({ url, max: 1 }))
  const ask = (statement: (sql: Sql) => ReturnType<Sql>) =>
    own.runPromise(Effect.exit(Database.use(({ sql, query }) => query(() => statement(sql)))))
  for (const rows of [1, 3, 0]) {
    const failed = await ask((sql) => sql`select 1 / (4 - g) as it from generate_series(1, 9) g`)
    expect(failed._tag).toBe("Failure")
    const next = await ask((sql) => sql`select g as it from generate_series(1, ${rows}::int4) g`)
    if (next._tag !== "Success") throw new Error(`${next.cause}`)
    const answer = next.value as unknown as ReadonlyArray<{ it: number }>
    expect([answer.length, answer.map(({ it }) => it)]).toEqual([rows, Array.from({ length: rows }, (_, at) => at + 1)])
  }
  await own.dispose()
})

test("whoever is given up, nobody is given the rows of another", async () => {
  const own = ManagedRuntime.make(PostgresDatabase.layer({ url, max: 2 }))
  for (let round = 0; round < 20; round++) {
    const answers = Array.from({ length: 30 }, async (_, number) => {
      const leaving = new AbortController()
      const read = own.runPromise(
        Database.use(({ sql, query }) =>
          query(() => sql`select ${number}::int4 as read, pg_sleep(0.001 * ${number % 3})`),
        ),
        { signal: leaving.signal },
      )
      if (number % 2 === 1) setTimeout(() => leaving.abort(), number % 7)
      return read.then(([row]) => row?.read === number).catch(() => number % 2 === 1)
    })
    expect(await Promise.all(answers)).toEqual(answers.map(() => true))
  }
  await own.dispose()
})

test("a request to cancel that comes late hits nothing that comes after", async () => {
  const own = ManagedRuntime.make(PostgresDatabase.layer({ url, max: 1 }))
  await own.runPromise(Effect.void)
  await admin`create sequence public.begun`
  const leaving = new AbortController()
  const ask = (seconds: number, signal?: AbortSignal) =>
    own.runPromise(
      Database.use(({ sql, query }) =>
        query(() => sql`select nextval('public.begun')::int4 as begun, pg_sleep(${seconds})`),
      ),
      signal && { signal },
    )
  line.delay(300)
  const first = ask(0.2, leaving.signal).catch(() => "left")
  await pause(50)
  leaving.abort()
  const second = ask(0.6)
  expect(await first).toBe("left")
  expect(await second).toMatchObject([{ begun: 2 }])
  line.delay(0)
  await own.dispose()
})

test("sessions of a time in which the database took no writes refuse none after it", async () => {
  const name = new URL(url).pathname.slice(1)
  const note = (number: number) =>
    direct.runPromise(
      Effect.exit(Database.use(({ sql, query }) => query(() => sql`insert into public.noted values (${number})`))),
    )
  await admin.unsafe(`alter database ${name} set default_transaction_read_only = on`)
  await admin`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'cowry'`
  expect((await Promise.all([1, 2].map(note))).map(({ _tag }) => _tag)).toEqual(["Failure", "Failure"])
  await admin.unsafe(`alter database ${name} reset default_transaction_read_only`)
  // The pool is made anew once a second at most.
  await pause(1100)
  expect((await Promise.all([3, 4].map(note))).map(({ _tag }) => _tag)).toEqual(["Success", "Success"])
})

test("a read whose session the server's operator ends is made once more", async () => {
  const reading = direct.runPromise(
    Database.use(({ sql, query }) =>
      query(() => sql`select 5::int4 as read, pg_sleep(60 * (count(*) = 0)::int) from public.noted where number = 9`),
    ),
  )
  let pid: number | undefined
  while (pid === undefined) {
    const [row] = await admin`
      select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
    pid = row?.pid as number | undefined
  }
  await admin`insert into public.noted values (9)`
  await admin`select pg_terminate_backend(${pid!}::int4)`
  expect((await reading)[0]!.read).toBe(5)
})

test("of a promise of the driver that nobody waits for nothing is printed; of any other the cause is, and neither ends the process", () => {
  const said = (code: string) => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        "-e",
        `import { bearDriverFault } from "${new URL("../../../src/adapters/postgres/database/driverFault.ts", import.meta.url).pathname}"
         bearDriverFault((cause) => console.log(cause.code))
         setTimeout(() => Promise.reject(Object.assign(new Error("lost"), { code: "${code}" })), 1)
         setTimeout(() => process.exit(0), 200)`,
      ],
      { stdio: ["ignore", "pipe", "ignore"] },
    )
    return [status, String(stdout)]
  }
  expect([said("CONNECTION_CLOSED"), said("ANOTHER")]).toEqual([
    [0, ""],
    [0, "ANOTHER\n"],
  ])
})

test("the driver's write to a connection that is gone ends nothing; any other error that nobody caught does", () => {
  const codeOf = (name: string) =>
    spawnSync(
      process.execPath,
      [
        "-e",
        `import { bearDriverFault } from "${new URL("../../../src/adapters/postgres/database/driverFault.ts", import.meta.url).pathname}"
         bearDriverFault()
         setImmediate(function ${name}() { const socket = null; socket.write("") })
         setTimeout(() => process.exit(0), 200)`,
      ],
      { stdio: "ignore" },
    ).status
  expect([codeOf("nextWrite"), codeOf("another")]).toEqual([0, 1])
})
