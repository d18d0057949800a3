/** A connection held on purpose: lost at any point of its way, whoever waits on it is told. */
import { expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { getEventListeners, once } from "node:events"
import { createServer } from "node:net"
import { text } from "node:stream/consumers"
import type postgres from "postgres"
import { makeClient } from "../../../src/adapters/postgres/database/client.ts"
import type { DatabaseShape } from "../../../src/adapters/postgres/database/Database.ts"
import { LetInNobody, openHeld } from "../../../src/adapters/postgres/database/held.ts"
import { unavailable } from "../../../src/adapters/postgres/ledger/ledgerErrors.ts"
import { failureOf, problemOf } from "../../support/failure.ts"
import { freePort, testDatabase } from "../../support/postgres.ts"

test("wherever the server's words are cut, opening ends: with the connection, or with why there is none", async () => {
  const program = new URL("cutOpenings.ts", import.meta.url).pathname
  const child = spawn(process.execPath, [program, await testDatabase()], { stdio: ["ignore", "pipe", "pipe"] })
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)])
  const ends = JSON.parse(said) as string[]
  expect(ends.length).toBe(7)
  for (const end of ends) expect(["open", "lost"]).toContain(end)
  expect(ends[0]).toBe("open")
  expect(ends).toContain("lost")
  expect(complained).toBe("")
})

test("what is asked of one that is gone fails at once", async () => {
  const url = await testDatabase()
  const clients: postgres.Sql[] = []
  const connect: DatabaseShape["connect"] = (settings) => {
    const client = makeClient({ ...settings, url })
    clients.push(client)
    return client
  }
  const held = await openHeld({ connect } as DatabaseShape, { lost: "it was lost" })
  const [row] = await held.run((sql) => sql<[{ pid: number }]>`select pg_backend_pid() as pid`)
  const sleeping = held.run((sql) => sql`select pg_sleep(60)`)
  const other = makeClient({ url, max: 1 })
  await other`select pg_terminate_backend(${row.pid}::int4)`
  await failureOf(sleeping)
  while (held.failure() === undefined) await Bun.sleep(5)
  expect(await problemOf(held.run((sql) => sql`select 1`))).toContain("it was lost")
  await Promise.all([...clients, other].map((client) => client.end({ timeout: 0 })))
})

test("one that is told to end while it is opened ends, and what is gone listens to nothing", async () => {
  const silent = createServer(() => {})
  silent.listen(0, "127.0.0.1")
  await once(silent, "listening")
  const { port } = silent.address() as { port: number }
  const over = new AbortController()
  const opening = (url: string) => {
    const connect: DatabaseShape["connect"] = (settings) => makeClient({ ...settings, url })
    return openHeld({ connect } as DatabaseShape, { lost: "it was lost", signal: over.signal })
  }
  const refused = `postgres://nobody@127.0.0.1:${await freePort()}/none`
  expect(await failureOf(opening(refused))).toMatchObject({ code: "ECONNREFUSED" })
  expect(getEventListeners(over.signal, "abort")).toEqual([])
  const waiting = problemOf(opening(`postgres://nobody@127.0.0.1:${port}/none`))
  await once(silent, "connection")
  over.abort()
  expect(await waiting).toBe("it was lost")
  expect(getEventListeners(over.signal, "abort")).toEqual([])
  silent.close()
})

test("where nobody is let in, the chain's status says so, and what may be missing", () => {
  expect(unavailable(new LetInNobody()).problem).toBe(
    "the database let nobody in for 20 s: it, or a pooler before it, may have too few connections",
  )
})
