/** The driver as it is patched (patches/): what is asked over connections that are lost is answered for, and never run in another's place. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import type postgres from "postgres"
import { makeClient } from "../../../src/adapters/postgres/database/client.ts"
import { failureOf, problemOf } from "../../support/failure.ts"
import { freePort, testDatabase } from "../../support/postgres.ts"

let url: string
let admin: postgres.Sql
beforeAll(async () => {
  url = await testDatabase()
  admin = makeClient({ url, max: 1 })
  await admin`create table noted (number int4)`
})
afterAll(() => admin.end())

const endBackend = async (pid: number) => {
  await admin`select pg_terminate_backend(${pid}::int4)`
  while ((await admin`select from pg_stat_activity where pid = ${pid}`).length > 0) await pause(5)
}
const pidOf = async (sql: postgres.TransactionSql) =>
  (await sql<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid

/** Connections through it end by a reset now and then, as of a host that went. */
const startResetting = async () => {
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), "127.0.0.1")
    const end = () => {
      open.delete(client)
      client.destroy()
      upstream.destroy()
    }
    open.add(client)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one
        .on("data", (data) => other.write(data))
        .on("error", end)
        .on("close", end)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const port = (server.address() as { port: number }).port
  let turn = 0
  const resets = setInterval(() => {
    for (const socket of open) if (turn++ % 2 === 0) socket.resetAndDestroy()
  }, 150)
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    calm: () => clearInterval(resets),
    stop: () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

test("what is asked while connections are reset is answered or refused, each with its own rows", async () => {
  const line = await startResetting()
  const sql = makeClient({ url: line.url, max: 4 })
  const counts = { answered: 0, refused: 0, wrong: 0 }
  const note = (asked: number) => (found: number) => void counts[found === asked ? "answered" : "wrong"]++
  const ask = async (number: number) => {
    const one = sql<[{ it: number }]>`select ${number}::int4 as it, pg_sleep(0.005)`.then(([row]) => row.it)
    const several = sql.begin(async (tx) => {
      await Promise.all([tx`select pg_sleep(0.005)`, tx`select 1`, tx`select 2`])
      return (await tx<[{ it: number }]>`select ${number}::int4 as it`)[0].it
    })
    // What is refused is asked again at once, as readers do: also on a connection that is about to end.
    const again = () => sql<[{ it: number }]>`select ${number}::int4 as it`.then(([row]) => row.it)
    const both = [one, several as Promise<number>].map((asked) =>
      asked.catch(again).then(note(number), () => void counts.refused++),
    )
    await Promise.all(both)
  }
  const asked: Array<Promise<void>> = []
  for (let number = 0; number < 300; number++) {
    asked.push(ask(number))
    await pause(10)
  }
  line.calm()
  await Promise.all(asked)
  expect(counts.wrong).toBe(0)
  expect(counts.answered + counts.refused).toBe(600)
  expect(counts.answered).toBeGreaterThan(100)
  await sql.end()
  line.stop()
})

test("a transaction whose connection went runs nothing in the one that came after it, and ends none", async () => {
  const sql = makeClient({ url, max: 1 })
  const paused = Promise.withResolvers<void>()
  const late = Promise.withResolvers<string>()
  let pid = 0
  const first = sql.begin(async (tx) => {
    const own = await pidOf(tx)
    await tx`insert into noted values (1)`
    // From here on it is ended: before, the insert might be what fails.
    pid = own
    await paused.promise
    await tx`insert into noted values (2)`.then(
      () => late.resolve("ran"),
      ({ code }) => late.resolve(code),
    )
  })
  first.catch(() => {})
  while (pid === 0) await pause(5)
  await endBackend(pid)
  await failureOf(first)
  const second = sql.begin(async (tx) => {
    await tx`insert into noted values (3)`
    paused.resolve()
    expect(await late.promise).toBe("CONNECTION_CLOSED")
    await pause(50)
    await tx`insert into noted values (4)`
  })
  await second
  expect((await admin`select number from noted order by 1`).map(({ number }) => number)).toEqual([3, 4])
  await sql.end()
})

test("statements that wait in a transaction or on a held connection are told when that is gone", async () => {
  const sql = makeClient({ url, max: 1 })
  const ends: Array<Promise<string>> = []
  const told = (statement: Promise<unknown>) =>
    void ends.push(
      statement.then(
        () => "ran",
        ({ code }) => code,
      ),
    )
  const pid = Promise.withResolvers<number>()
  const transaction = sql.begin(async (tx) => {
    pid.resolve(await pidOf(tx))
    for (let count = 0; count < 300; count++) told(tx`select pg_sleep(10)`)
    await pause(60_000)
  })
  transaction.catch(() => {})
  await endBackend(await pid.promise)
  const held = await sql.reserve()
  const [row] = await held<[{ pid: number }]>`select pg_backend_pid() as pid`
  for (let count = 0; count < 300; count++) told(held`select pg_sleep(10)`)
  await endBackend(row.pid)
  expect(new Set(await Promise.all(ends)).has("ran")).toBe(false)
  await failureOf(held`select 1`)
  held.release()
  expect([...(await sql`select 1 as it`)]).toEqual([{ it: 1 }])
  await sql.end()
})

test("a statement that comes behind the end of its transaction is refused, not run outside of it", async () => {
  const sql = makeClient({ url, max: 1 })
  const late = Promise.withResolvers<string>()
  const failed = sql.begin((tx) => {
    tx`select pg_sleep(1)`
      .then(() => tx`insert into noted values (5)`)
      .then(
        () => late.resolve("ran"),
        ({ code }) => late.resolve(code),
      )
    // Once it is sent, and long before it is answered.
    return pause(0).then(() => Promise.reject(new Error("of its own")))
  })
  expect(await problemOf(failed)).toBe("of its own")
  expect(await late.promise).toBe("TRANSACTION_OVER")
  expect(await admin`select from noted where number = 5`).toHaveLength(0)
  await sql.begin((tx) => tx`insert into noted values (6)`)
  expect(await admin`select from noted where number = 6`).toHaveLength(1)
  await sql.end()
})

const named = (name: string) => admin`select from pg_stat_activity where application_name = ${name}`

test("a client that is ended while statements wait for it answers them, and keeps no connection", async () => {
  const sql = makeClient({ url, max: 1, parameters: { application_name: "backlog" } })
  const asked = Array.from({ length: 300 }, (_, at) => sql<[{ it: number }]>`select ${at}::int4 as it, pg_sleep(0.001)`)
  const found = asked.map((it) => it.then(([row]) => row.it))
  await pause(50)
  await sql.end({ timeout: 60 })
  expect(await Promise.all(found)).toEqual(asked.map((_, at) => at))
  while ((await named("backlog")).length > 0) await pause(5)
})

test("a connection that was refused is not tried again for whoever was told, nor behind the client's end", async () => {
  const probe = createServer()
  const port = await freePort()
  let tries = 0
  probe.on("connection", (socket) => {
    tries++
    socket.destroy()
  })
  const sql = makeClient({ url: Object.assign(new URL(url), { port: String(port) }).href, max: 1 })
  expect(await failureOf(sql.reserve())).toMatchObject({ code: "ECONNREFUSED" })
  probe.listen(port, "127.0.0.1")
  await once(probe, "listening")
  await pause(300)
  expect(tries).toBe(0)
  const asked = failureOf(sql.reserve())
  // The next try comes in a second.
  while (tries < 6) await pause(1)
  await sql.end({ timeout: 0 })
  await asked
  await pause(1500)
  expect(tries).toBe(6)
  probe.close()
})

test("a connection gives back the prepared statements that were not used for longest, by their weight", async () => {
  const sql = makeClient({ url, max: 1, mostPrepared: 6 })
  const ask = (number: number, weight = 1) =>
    sql.unsafe<[{ found: string }]>(`select $1::text || '/${number}' as found`, ["x"], { prepare: true, weight })
  const held = async () =>
    (
      await sql<Array<{ number: string }>>`
        select substring(statement from '/([0-9]+)') as number from pg_prepared_statements
        where statement like 'select $1::text ||%' order by prepare_time`.simple()
    ).map(({ number }) => Number(number))
  try {
    for (const number of [1, 2, 3, 4, 5, 6]) expect((await ask(number))[0].found).toBe(`x/${number}`)
    expect(await held()).toEqual([1, 2, 3, 4, 5, 6])
    await ask(1)
    await ask(7)
    expect(await held()).toEqual([1, 3, 4, 5, 6, 7])
    await ask(8, 4)
    expect(await held()).toEqual([1, 7, 8])
    // What nobody counts goes first, however lately it was used.
    for (const number of [1, 7, 8]) await ask(number)
    await sql.unsafe("select $1::text || '/20' as found", ["x"], { prepare: true })
    expect(await held()).toEqual([7, 8, 20])
    await ask(7)
    await ask(9)
    expect(await held()).toEqual([7, 8, 9])
    // Many at once, of more statements than it holds: each gets its own answer.
    const numbers = Array.from({ length: 200 }, (_, index) => (index * 7) % 23)
    const answers = await Promise.all(numbers.map((number) => ask(number)))
    expect(answers.map(([row]) => row.found)).toEqual(numbers.map((number) => `x/${number}`))
    // One that fails while others leave.
    const failed = await problemOf(sql.unsafe("select 1 / $1::int4 as failed", ["0"], { prepare: true, weight: 6 }))
    expect(failed).toContain("division by zero")
    expect(await held()).toEqual([])
    expect((await ask(10))[0].found).toBe("x/10")
  } finally {
    await sql.end()
  }
})
