/** Who hears of commits listens on one connection, and asks for another one now and then, however it is refused. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Exit, Layer, ManagedRuntime, Scope } from "effect"
import type postgres from "postgres"
import { makeClient } from "../../../src/adapters/postgres/database/client.ts"
import type { DatabaseShape } from "../../../src/adapters/postgres/database/Database.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { watchLedgers } from "../../../src/adapters/postgres/reads/events/watch.ts"
import * as EventHub from "../../../src/domain/events/EventHub.ts"
import { ChainId, chainIdOfNumber } from "../../../src/model/primitives.ts"
import { Ledger } from "../../../src/ports/Ledger.ts"
import { type Chain, Networks } from "../../../src/ports/Networks.ts"
import { settingsOf } from "../../contracts/store.ts"
import { TestChain } from "../../support/chain/testChain.ts"
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
    watchLedgers(database, (chainId) => woken.push(chainId)).pipe(Effect.provideService(Scope.Scope, scope)),
  )
  for (const chainId of chains) watched.listen(chainId)
  try {
    return await body(woken, () => watched.lookMs(chains[0]!))
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const listeners = () => admin<Array<{ pid: number; query: string }>>`
  select pid, query from pg_stat_activity where datname = current_database() and query like 'listen%'`

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

test("a chain that is learned of later is heard of too, from when somebody waits for it", async () => {
  const networks: { chains: ReadonlyArray<Chain> } = { chains: [] }
  const runtime = ManagedRuntime.make(
    EventHub.layer.pipe(
      Layer.provide(Layer.succeed(Networks, networks)),
      Layer.provideMerge(PostgresStore.layer({ url, schema: "learned" })),
    ),
  )
  const scope = Effect.runSync(Scope.make())
  try {
    const [early, late] = [ChainId.make("7"), ChainId.make("9")]
    const stands = new Map<ChainId, number>()
    for (const chainId of [early, late]) {
      const open = Ledger.use((ledger) => ledger.open(settingsOf({ chainId })))
      const writer = await runtime.runPromise(Effect.provideService(open, Scope.Scope, scope))
      await runtime.runPromise(writer.append(new TestChain().block([]).segment(0)))
      networks.chains = [...networks.chains, { chainId, network: "mainnet", ecosystems: [] }]
      const subscribed = EventHub.EventHub.use(({ subscribe }) =>
        subscribe({
          ...{ chainId, filter: {}, onlyFinal: false, start: "now", push: () => true, room: Effect.void },
          stand: () => void stands.set(chainId, 1),
        }),
      )
      runtime.runFork(subscribed)
      while (!stands.has(chainId)) await pause(5)
      // One connection, which listens to what is waited for.
      while ((await listeners()).map(({ query }) => query).join() !== `listen "learned_${chainId}"`) await pause(5)
    }
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await runtime.dispose()
  }
})
