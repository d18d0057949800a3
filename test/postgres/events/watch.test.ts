/** Who hears of commits listens on one connection, and asks for another one now and then, however it is refused. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Exit, Scope } from "effect"
import type postgres from "postgres"
import { makeClient } from "../../../src/adapters/postgres/database/client.ts"
import type { DatabaseShape } from "../../../src/adapters/postgres/database/Database.ts"
import { watchLedgers } from "../../../src/adapters/postgres/reads/events/watch.ts"
import { type ChainId, chainIdOfNumber } from "../../../src/model/primitives.ts"
import { testDatabase } from "../../support/postgres.ts"

let url: string
let admin: postgres.Sql
beforeAll(async () => {
  url = await testDatabase()
  admin = makeClient({ url, max: 1 })
})
afterAll(() => admin.end())

const chains = Array.from({ length: 20 }, (_, at) => chainIdOfNumber(at + 1))

/** `wake` of each chain is noted in `woken`. */
const watching = async <A>(
  of: string,
  body: (woken: Array<ChainId>, lookMs: () => number) => Promise<A>,
): Promise<A> => {
  const database = {
    chainSchema: (chainId: ChainId) => `cowry_${chainId}`,
    connect: (settings: Parameters<DatabaseShape["connect"]>[0]) => makeClient({ url: of, ...settings }),
    servers: { list: () => [] },
  } as unknown as DatabaseShape
  const woken: Array<ChainId> = []
  const scope = Effect.runSync(Scope.make())
  const watched = await Effect.runPromise(
    watchLedgers(database, chains, (chainId) => woken.push(chainId)).pipe(Effect.provideService(Scope.Scope, scope)),
  )
  try {
    return await body(woken, watched.lookMs)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const listeners = () => admin<Array<{ pid: number }>>`
  select pid from pg_stat_activity where datname = current_database() and query like 'listen%'`

test("each chain's commits are heard; a connection that is lost is replaced after a while, and ends with the watch", async () => {
  await watching(url, async (woken, lookMs) => {
    while (woken.length < chains.length) await pause(5)
    expect(woken.toSorted()).toEqual(chains.toSorted())
    const slow = lookMs()
    await admin`select pg_notify('cowry_7', '')`
    while (woken.length === chains.length) await pause(5)
    expect(woken.at(-1)).toBe(chainIdOfNumber(7))

    const [first] = await listeners()
    await admin`select pg_terminate_backend(${first!.pid}::int4)`
    while (lookMs() === slow) await pause(5)
    const count = woken.length
    // Whoever listens again has missed what was told meanwhile.
    while (woken.length < count + chains.length) await pause(20)
    expect(lookMs()).toBe(slow)
    expect(await listeners()).toHaveLength(1)
  })
  while ((await listeners()).length > 0) await pause(5)
})

test("a server that lets nobody in is asked once, not for each chain as fast as it answers", async () => {
  let logins = 0
  const refusal = Buffer.from("SFATAL\0VFATAL\0C57P03\0Mthe database system is not yet accepting connections\0\0")
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("data", () => {
      logins++
      const head = Buffer.from([0x45, 0, 0, 0, 0])
      head.writeInt32BE(refusal.length + 4, 1)
      socket.end(Buffer.concat([head, refusal]))
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const port = (server.address() as { port: number }).port
  await watching(Object.assign(new URL(url), { port: String(port) }).href, async (woken) => {
    while (logins === 0) await pause(5)
    await pause(1000)
    expect(logins).toBe(1)
    expect(woken).toEqual([])
  })
  server.close()
  for (const socket of sockets) socket.destroy()
})
