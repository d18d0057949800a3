/** One process that follows a chain and answers from a standby (`ROLE=both` with `DATABASE_READ_URL`), as an operator runs it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { Effect } from "effect"
import postgres from "postgres"
import { Database } from "../../src/adapters/postgres/database/Database.ts"
import { EventHub } from "../../src/domain/events/EventHub.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { ChainRegistry } from "../../src/ports/ChainRegistry.ts"
import { mostProbes, mostReaders, mostWide, ReadServers } from "../../src/ports/ReadServers.ts"
import { SyncStatus } from "../../src/ports/SyncStatus.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import { WebhookStore } from "../../src/ports/WebhookStore.ts"
import { type Json, prefix } from "../http/support.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { takeEvents } from "../support/eventStream.ts"
import { replayOf } from "../support/nodes/replayChain.ts"
import { startReplayNode } from "../support/nodes/replayNode.ts"
import { type Service, startService } from "../support/service.ts"
import { type Replicated, startReplicated } from "../support/standby.ts"
import { openSides } from "./sides.support.ts"

const chainId = ChainId.make("43114")
const key = "manager"
const blocks = 40
/** Blocks of which the node tells at first. */
const past = 20

let head = past - 1
const chain = new TestChain()
for (let block = 0; block < blocks; block++) chain.block([transfer(address(0x7000), address(0), address(0xa1), 5n)])
const whole = replayOf(chainId, chain)
const node = startReplayNode({
  ...whole,
  get head() {
    return head
  },
  find: (place) => {
    const block = whole.find(place)
    return block !== undefined && block.number <= head ? block : undefined
  },
  withLogs: (from, to) => whole.withLogs(from, Math.min(to, head)),
})

let servers: Replicated
let service: Service
beforeAll(async () => {
  servers = await startReplicated()
  service = await startService({
    DATABASE_URL: servers.primary.url,
    DATABASE_READ_URL: servers.standby.url,
    // However long the standby stands still, it is near enough.
    MAX_READ_LAG_MS: "3600000",
    WEBHOOK_KEYS_SHA256: createHash("sha256").update(key).digest("hex"),
    WEBHOOK_ALLOW_PRIVATE: "on",
    PRICES: "off",
    NETWORK_43114: "mainnet",
    [`RPC_URL_${chainId}`]: node.url,
    [`POLL_MS_${chainId}`]: "50",
  })
})
afterAll(async () => {
  await service?.stop()
  await node.stop()
  await servers?.stop()
})

const list = `${prefix(chainId)}/erc20-transfers?limit=1&count=true`
const ask = async (minBlock?: number) => {
  const headers = minBlock === undefined ? {} : { "x-min-block": `${chainId}:${minBlock}` }
  const response = await fetch(service.url + list, { headers })
  const { count } = (await response.json()) as Json
  return { status: response.status, block: Number(response.headers.get("x-as-of-block")?.split(":")[1]), count }
}

test("answers are read from the standby, also while it stands still; who wants a newer block gets it from the primary", async () => {
  const { standby, primary, level, pause: hold, resume } = servers
  await service.reached(chainId, head)
  await level()
  const { servers: told, keepsColumns } = await service.get<Json>("/ready")
  expect(told).toMatchObject([
    { server: expect.stringContaining(new URL(standby.url).port), used: true, standby: true },
    { server: expect.stringContaining(new URL(primary.url).port), used: false, standby: false },
  ])
  expect(keepsColumns).toBeUndefined()
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  expect(metrics).toContain("cowry_read_server_")
  expect(await ask()).toEqual({ status: 200, block: head, count: past })
  await hold()
  const seen = head
  try {
    head += 5
    // It waits for a second; a busy machine may need longer.
    let fresh = await ask(head)
    while (fresh.status === 503) fresh = await ask(head)
    expect(fresh).toEqual({ status: 200, block: head, count: past + 5 })
    expect(await ask()).toEqual({ status: 200, block: seen, count: past })
  } finally {
    await resume()
  }
  await service.reached(chainId, head)
})

const settings = { [`RPC_URL_${chainId}`]: node.url }
const services = Effect.gen(function* () {
  const [events, transfers, webhooks] = [yield* EventHub, yield* TransferStore, yield* WebhookStore]
  return { events, transfers, webhooks, registry: yield* ChainRegistry, servers: yield* ReadServers }
})

test("with a standby the answers have stores of their own, and what is told is read there; without one, all is one", async () => {
  const [DATABASE_URL, DATABASE_READ_URL] = [servers.primary.url, servers.standby.url]
  const sharedOf = async (given: Record<string, string>) => {
    const { following, answering, close } = openSides({ ...settings, ...given })
    try {
      const [one, other] = [await following.runPromise(services), await answering.runPromise(services)]
      const names = ["events", "transfers", "webhooks", "registry", "servers"] as const
      await following.runPromise(SyncStatus.use(({ update }) => Effect.sync(() => update(chainId, { logs: 7 }))))
      const status = await answering.runPromise(SyncStatus.use(({ find }) => Effect.sync(() => find(chainId))))
      expect(status?.logs).toBe(7)
      return [other.servers.list().length, ...names.filter((name) => one[name] === other[name])]
    } finally {
      await close()
    }
  }
  const all = ["events", "transfers", "webhooks", "registry", "servers"] as const
  expect(await sharedOf({ DATABASE_URL })).toEqual([1, ...all])
  expect(await sharedOf({ DATABASE_URL, ROLE: "writer" })).toEqual([1, ...all])
  expect(await sharedOf({ DATABASE_URL, DATABASE_READ_URL, ROLE: "writer" })).toEqual([1, ...all])
  expect(await sharedOf({ DATABASE_URL, DATABASE_READ_URL })).toEqual([2, "events"])
})

test("a standby has one set of connections, whoever reads there", async () => {
  const { following, answering, close } = openSides({
    ...settings,
    DATABASE_URL: servers.primary.url,
    DATABASE_READ_URL: `${servers.standby.url}?application_name=sides`,
    MAX_READ_LAG_MS: "3600000",
  })
  const watching = postgres(servers.standby.url, { max: 1, onnotice: () => {} })
  const count = async () => {
    const [row] = await watching<[{ count: number }]>`
      select count(*)::int4 as count from pg_stat_activity where application_name = 'sides'`
    return row.count
  }
  try {
    const { events } = await following.runPromise(services)
    const { registry } = await answering.runPromise(services)
    const { sql, query, probes, wide } = await answering.runPromise(Database)
    const several = <A, E>(times: number, read: Effect.Effect<A, E>) => Array.from({ length: times }, () => read)
    const sleeping = [
      ...several(
        mostReaders,
        query(() => sql`select pg_sleep(0.5)`),
      ),
      ...several(
        mostProbes,
        probes.query(() => probes.sql`select pg_sleep(0.5)`),
      ),
      ...several(
        mostWide,
        wide.snapshot((tx, run) => run(tx`select pg_sleep(0.5)`)),
      ),
    ]
    // Who had connections of its own would not wait for these.
    const others = [registry.look, events.startPosition({ chainId, onlyFinal: false, start: "now" })]
    await answering.runPromise(Effect.all([...sleeping, ...others], { concurrency: "unbounded" }))
    expect(await count()).toBe(mostReaders + mostProbes + mostWide)
  } finally {
    await watching.end()
    await close()
  }
})

test("a webhook is made at the primary, and told; a stream tells what the answers have; nothing is written at the standby", async () => {
  const taken = Promise.withResolvers<Json>()
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      taken.resolve(await request.json())
      return new Response("")
    },
  })
  try {
    const made = await fetch(`${service.url}/v2/webhooks`, {
      method: "POST",
      headers: { apikey: key },
      body: JSON.stringify({ url: `http://127.0.0.1:${receiver.port}/`, after: "beginning" }),
    })
    expect(made.status).toBe(201)
    expect((await taken.promise).chainId).toBe(chainId)
    const wanted = ++head
    const stream = `${service.url}${prefix(chainId)}/events?kinds=transfer&after=beginning`
    await takeEvents(stream, (told) => told.some(({ data }) => data.block === wanted))
    expect((await ask()).block).toBeGreaterThanOrEqual(wanted)
    expect(servers.standby.log()).not.toMatch(/cannot execute|recovery is in progress/)
  } finally {
    await receiver.stop(true)
  }
})

test("without the primary answers go on", async () => {
  await servers.level()
  const before = await ask()
  await servers.primary.kill()
  expect(await ask()).toEqual(before)
  expect(before.status).toBe(200)
})
