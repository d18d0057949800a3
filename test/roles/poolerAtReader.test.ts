/** A reader behind a pooler in transaction mode: refused at its start, and never read where it is found later. */
import { expect, test } from "bun:test"
import { createServer, connect as dial, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Database, type DatabaseShape } from "../../src/adapters/postgres/database/Database.ts"
import { makeChecks } from "../../src/adapters/postgres/servers/checks.ts"
import { type Candidate, chooseServer } from "../../src/adapters/postgres/servers/choose.ts"
import * as ReaderDatabase from "../../src/adapters/postgres/servers/ReaderDatabase.ts"
import { startTransactionPooler } from "../postgres/database/transactionPooler.ts"
import { testDatabase } from "../support/postgres.ts"

/** Leads nowhere until it is told where to: then those that come are led there. */
const startDoor = async () => {
  let target: number | undefined
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (target === undefined) return client.destroy()
    const upstream = dial(target, "127.0.0.1")
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => socket.destroy()))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as { readonly port: number }).port,
    leadTo: (port: number) => {
      target = port
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    close: () => server.close(),
  }
}

const at = (url: string, port: number) => Object.assign(new URL(url), { port: `${port}` }).href
const settings = { readUrls: [], schema: "cowry", maxLagMs: 60_000 }
const select = ({ query, sql }: DatabaseShape) => query(() => sql`select ${1}::int as one`)
const portOf = (url: string) => Number(new URL(url).port)

test("a start is refused, and names the setting; no part of a password is shown", async () => {
  const url = await testDatabase()
  for (const size of [2, 10]) {
    const pooler = await startTransactionPooler(portOf(url), true, size)
    const pooled = at(url, pooler.port)
    const refusalOf = (servers: Partial<ReaderDatabase.ReaderSettings>) =>
      Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(ReaderDatabase.layer({ ...settings, ...servers })))))
    const [ofPrimary, ofStandby] = await Promise.all([
      refusalOf({ primary: pooled }),
      size === 10 ? refusalOf({ readUrls: [pooled], primary: url }) : undefined,
    ])
    expect(ofPrimary.message).toStartWith(
      `DATABASE_URL: postgres://127.0.0.1:${pooler.port} cannot be read: it is reached through a pooler`,
    )
    if (size === 10) expect(ofStandby?.message).toStartWith(`DATABASE_READ_URL: postgres://127.0.0.1:${pooler.port} `)
    expect(ofPrimary.message).not.toContain(new URL(url).password)
    await pooler.close()
  }
})

test("a server that comes later through such a pooler is not read, while another one is; straight again it is", async () => {
  const url = await testDatabase()
  const door = await startDoor()
  const pooler = await startTransactionPooler(portOf(url), true)
  const alone = ManagedRuntime.make(ReaderDatabase.layer({ ...settings, primary: at(url, door.port) }))
  const beside = ManagedRuntime.make(
    ReaderDatabase.layer({ ...settings, readUrls: [at(url, door.port)], primary: url, maxLagMs: 60_000 }),
  )
  const problemOf = async (runtime: typeof alone, wanted: string | undefined) => {
    const { servers } = await runtime.runPromise(Database)
    const problem = () => servers.list()[0]!.problem
    for (const end = Date.now() + 20_000; Date.now() < end; await pause(20))
      if (wanted === undefined ? problem() === undefined : problem()?.includes(wanted)) return servers.list()
    throw new Error(`its problem is ${problem()}, not ${wanted}`)
  }
  try {
    for (const runtime of [alone, beside]) await problemOf(runtime, "it does not answer")
    door.leadTo(pooler.port)
    for (const runtime of [alone, beside])
      expect((await problemOf(runtime, "through a pooler"))[0]).toMatchObject({ isReached: false })
    const refused = await alone.runPromise(Database.use((it) => Effect.flip(select(it))))
    expect(Object(refused).reason).toContain("the database cannot be read: it is reached through a pooler")
    expect((await beside.runPromise(Database.use(select)))[0]).toEqual({ one: 1 })
    door.leadTo(portOf(url))
    for (const runtime of [alone, beside])
      expect((await problemOf(runtime, undefined))[0]).toMatchObject({ isReached: true, isUsed: true })
    expect((await alone.runPromise(Database.use(select)))[0]).toEqual({ one: 1 })
  } finally {
    await alone.dispose()
    await beside.dispose()
    door.close()
    await pooler.close()
  }
})

test("a server is checked when it answers for the first time, when it is back, and again while it has an obstacle", async () => {
  const told: Array<string | undefined> = []
  let answer: () => Promise<string | undefined> = () => Promise.reject(new Error("gone"))
  let asked = 0
  const server = {
    check: () => {
      asked++
      return answer()
    },
  }
  const checks = makeChecks<typeof server>((it) => told.push(checks.obstacleOf(it)), { againMs: 0, failedMs: 0 })
  const see = async (answers: boolean) => {
    checks.seen(server, answers)
    await checks.settled()
    await pause(1)
    return [asked, checks.obstacleOf(server)]
  }
  expect(await see(false)).toEqual([0, undefined])
  // Nothing is learned of one that goes meanwhile.
  expect(await see(true)).toEqual([1, undefined])
  answer = async () => undefined
  expect(await see(true)).toEqual([2, undefined])
  expect(await see(true)).toEqual([2, undefined])
  answer = async () => "lent"
  expect(await see(false)).toEqual([2, undefined])
  expect(await see(true)).toEqual([3, "lent"])
  expect(await see(false)).toEqual([3, "lent"])
  expect(await see(true)).toEqual([4, "lent"])
  answer = async () => undefined
  expect(await see(true)).toEqual([5, undefined])
  expect(told).toEqual(["lent", undefined])
})

test("one that may not be read is the last that is chosen", () => {
  const look = {
    ...{ version: "18", number: 180_000, place: 1, isFed: true, isEven: true, isDistributed: false },
    ...{ isStandby: true, takesWrites: false },
  }
  const standby: Candidate = { isPrimary: false, look, lagMs: 0 }
  const primary: Candidate = { isPrimary: true, look, lagMs: 0 }
  const of = (...candidates: ReadonlyArray<Candidate>) => chooseServer(candidates, 1)
  expect(of({ ...standby, obstacle: "lent" }, primary)).toBe(1)
  expect(of({ ...standby, lagMs: 9 }, { ...primary, obstacle: "lent" })).toBe(0)
  expect(of({ ...standby, obstacle: "lent" }, { ...standby, lagMs: 9 })).toBe(1)
})
