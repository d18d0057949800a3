/** Where a webhook begins that is made without `after`: never in the past, of a chain without a block neither. */
import { afterEach, expect, test } from "bun:test"
import { Effect, Fiber, Layer } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { keepWebhooks } from "../../src/domain/events/keepWebhooks.ts"
import { positionsOf } from "../../src/model/events/position.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { EventStore } from "../../src/ports/EventStore.ts"
import type { LedgerWriter } from "../../src/ports/Ledger.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { type Json, type ServiceOptions, sha256, startService, syncStatus } from "./support.ts"

const key = "the-manager"
const [zero, gold, ann] = [address(0), address(0x70), address(0xa1)]
const quick = { waits: { firstMs: 10, capMs: 40 }, giveUpMs: 60_000, idleMs: 50 }

interface Told {
  readonly chainId: string
  readonly events: ReadonlyArray<{ readonly type: string; readonly block: number }>
}

let ends: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const end of ends.reverse()) await end()
  ends = []
})

const until = async (what: string, holds: () => boolean | Promise<boolean>) => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await Bun.sleep(10)) if (await holds()) return
  throw new Error(`it did not come: ${what}`)
}

/** A service, its receiver, and a chain that grows by a block with one row each. */
const start = async (options: ServiceOptions = {}) => {
  const told: Array<Told> = []
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      told.push((await request.json()) as Told)
      return new Response("thanks")
    },
  })
  const service = await startService({
    managersSha256: [sha256(key)],
    allowPrivate: true,
    storeLayer: MemoryStore.layer,
    ...options,
  })
  const keep = async () => {
    const fiber = await service.run(Effect.forkDetach(keepWebhooks(quick, 20)))
    return () => Effect.runPromise(Fiber.interrupt(fiber))
  }
  ends.push(
    () => receiver.stop(true),
    () => service.close(),
  )
  const ask = async (method: string, path: string, body?: object) => {
    const sent = { method, headers: { apikey: key }, ...(body && { body: JSON.stringify(body) }) }
    const response = await service.fetch(`/v2/webhooks${path}`, sent)
    return { status: response.status, body: (await response.json()) as Json }
  }
  const make = async (fields: object) => {
    const url = receiver.url.href
    const { status, body } = await ask("POST", "", { url, filter: { kinds: ["transfer"] }, ...fields })
    expect(status).toBe(201)
    return body as { readonly id: string; readonly after: string }
  }
  const rows = () =>
    told.flatMap(({ chainId, events }) =>
      events.filter(({ type }) => type === "transfer").map(({ block }) => `${chainId} ${block}`),
    )
  const chainOf = async (chainId: string) => {
    const writer: LedgerWriter = await service.open(chainId)
    const chain = new TestChain()
    /** All at once. */
    let salts = 0
    const grow = async (
      blocks: number,
      finalizedBlock: number,
      { nodeHead, time }: { readonly nodeHead?: number; readonly time?: number } = {},
    ) => {
      const from = chain.nextBlock
      const salt = `${salts++}`
      for (let more = 0; more < blocks; more++)
        chain.block([transfer(gold, zero, ann, 1n)], { salt, ...(time && { time }) })
      await service.run(
        writer.append(chain.segment(from, undefined, { finalizedBlock, ...(nodeHead && { nodeHead }) })),
      )
    }
    /** That block, and all above it. */
    const takeBack = async (fromBlock: number) => {
      chain.truncate(fromBlock)
      await service.run(writer.rollback(fromBlock))
    }
    return Object.assign(grow, { takeBack })
  }
  const types = () => told.flatMap(({ events }) => events.map(({ type }) => type))
  return { keep, make, ask, rows, types, chainOf }
}

test("of a chain whose first sync goes on, behind the newest block that its node had told, over a restart too", async () => {
  const { keep, make, ask, rows, chainOf } = await start({
    status: [syncStatus("1", { phase: "copying", headBlock: 7 })],
  })
  const other = await chainOf("43114")
  await other(3, 1)
  const made = await make({ chainIds: ["1", "43114"] })
  const first = await keep()
  await other(1, 1)
  await until("the row of the other chain", async () => (await ask("GET", `/${made.id}`)).body.sequence === 1)
  await first()
  // The load ends while nobody tells anything.
  const loaded = await chainOf("1")
  await loaded(10, 5)
  ends.push(await keep())
  await until("rows of the chain", () => rows().length >= 3)
  await loaded(1, 6)
  await until("its next row", () => rows().includes("1 10"))
  expect(rows()).toEqual(["43114 3", "1 8", "1 9", "1 10"])
  expect((await ask("GET", `/${made.id}`)).body.state).toBe("active")
})

test("its position is as good as any: another webhook begins there, and a replay", async () => {
  const { keep, make, ask, rows, chainOf } = await start({
    status: [syncStatus("1", { phase: "copying", headBlock: 7 })],
  })
  const made = await make({ chainIds: ["1"] })
  const copy = await make({ chainIds: ["1"], after: made.after })
  expect(copy.after).toBe(made.after)
  await ask("DELETE", `/${made.id}`)
  await (await chainOf("1"))(10, 5)
  ends.push(await keep())
  await until("two rows", () => rows().length >= 2)
  expect((await ask("POST", `/${copy.id}/replay?after=${made.after}`)).status).toBe(200)
  await until("they come again", () => rows().length >= 4)
  expect(rows()).toEqual(["1 8", "1 9", "1 8", "1 9"])
})

test("with delivery=finalized, when the blocks behind it are final", async () => {
  const { keep, make, rows, chainOf } = await start({ status: [syncStatus("1", { phase: "indexing", headBlock: 7 })] })
  await make({ chainIds: ["1"], delivery: "finalized" })
  const loaded = await chainOf("1")
  await loaded(10, 5)
  ends.push(await keep())
  await loaded(2, 8)
  await until("the first row", () => rows().length >= 1)
  await loaded(1, 9)
  await until("the next", () => rows().length >= 2)
  expect(rows()).toEqual(["1 8", "1 9"])
})

test("of a chain without a block whose node has told none, not before it has: where now is of it nobody knows", async () => {
  const status = syncStatus("10", { phase: "waiting" })
  const { make, ask, chainOf } = await start({ status: [status] })
  await (await chainOf("1"))(3, 1)
  const fields = { url: "https://example.com/", chainIds: ["1", "10"] }
  const refused = await ask("POST", "", fields)
  expect([refused.status, refused.body.code]).toEqual([503, "CHAIN_SYNCING"])
  expect(refused.body.message).toStartWith("chain 10 has no block yet")
  expect((await ask("GET", "")).body.items).toEqual([])
  await make({ chainIds: ["1"] })
  await make({ chainIds: ["1", "10"], after: "beginning" })
  Object.assign(status, { headBlock: 7 })
  const { after } = await make({ chainIds: ["1", "10"] })
  expect(positionsOf(after)?.get(ChainId.make("10"))?.at.block).toBe(7)
})

test("of a chain that is far behind its node too: what it stores of the past is not told", async () => {
  const far = syncStatus("1", { phase: "backfill", headBlock: 20, maxLag: 10 })
  const { keep, make, rows, chainOf } = await start({ status: [far] })
  const stored = await chainOf("1")
  await stored(5, 2)
  await make({ chainIds: ["1"] })
  ends.push(await keep())
  await stored(17, 10)
  await until("a row", () => rows().length > 0)
  expect(rows()).toEqual(["1 21"])
})

test("at the newest stored block where that is near its node's, and with delivery=finalized at the newest final one", async () => {
  const near = syncStatus("1", { phase: "waiting", headBlock: 14, maxLag: 10 })
  const { make, chainOf } = await start({ status: [near] })
  await (await chainOf("1"))(5, 2)
  const blockOf = async (fields: object) =>
    positionsOf((await make({ chainIds: ["1"], ...fields })).after)?.get(ChainId.make("1"))?.at.block
  expect([await blockOf({}), await blockOf({ delivery: "finalized" })]).toEqual([4, 2])
})

test("of a chain whose status has no head yet, behind the newest that the ledger heard of", async () => {
  const { make, chainOf } = await start({ status: [syncStatus("1", { phase: "waiting", maxLag: 10 })] })
  await (await chainOf("1"))(5, 2, { nodeHead: 20 })
  const { after } = await make({ chainIds: ["1"] })
  expect(positionsOf(after)?.get(ChainId.make("1"))?.at.block).toBe(20)
})

test("at a newest block of just now, however many its chain makes meanwhile or its node claims", async () => {
  const { make, chainOf } = await start({
    status: [syncStatus("1", { phase: "live", headBlock: 1_000_004, maxLag: 10 })],
  })
  const stored = await chainOf("1")
  await stored(4, 2)
  await stored(1, 2, { time: Math.floor(Date.now() / 1000) })
  const blockOf = async (fields: object) =>
    positionsOf((await make({ chainIds: ["1"], ...fields })).after)?.get(ChainId.make("1"))?.at.block
  expect([await blockOf({}), await blockOf({ delivery: "finalized" })]).toEqual([4, 2])
})

test("a head that no chain has counts as none", async () => {
  const status = [
    syncStatus("1", { phase: "live", headBlock: 2 ** 45 }),
    syncStatus("10", { phase: "copying", headBlock: 2 ** 45 }),
  ]
  const { make, ask, chainOf } = await start({ status })
  await (await chainOf("1"))(5, 2)
  const { after } = await make({ chainIds: ["1"] })
  expect(positionsOf(after)?.get(ChainId.make("1"))?.at.block).toBe(4)
  expect((await ask("POST", "", { url: "https://example.com/", chainIds: ["10"] })).status).toBe(503)
})

test("what is taken back before the ledger has come to that place is not told, nor what comes in its stead", async () => {
  let reads = 0
  const count = <A, E>(read: Effect.Effect<A, E>) => Effect.tap(read, () => Effect.sync(() => void reads++))
  const counted = Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) =>
      EventStore.of({
        ...store,
        read: (query) => count(store.read(query)),
        readHead: (query) => count(store.readHead(query)),
      }),
    ),
  )
  const { keep, make, ask, rows, types, chainOf } = await start({
    storeLayer: Layer.provideMerge(counted, MemoryStore.layer),
    status: [syncStatus("1", { phase: "copying", headBlock: 7 })],
  })
  const { id, after } = await make({ chainIds: ["1"] })
  const stored = await chainOf("1")
  await stored(5, 1)
  ends.push(await keep())
  await until("looks at a ledger that is behind", () => reads >= 3)
  expect((await ask("GET", `/${id}`)).body.after).toBe(after)
  await stored.takeBack(3)
  const before = reads
  await until("looks at it since", () => reads >= before + 3)
  await stored(7, 2)
  await until("two rows", () => rows().length >= 2)
  expect(rows()).toEqual(["1 8", "1 9"])
  expect(new Set(types())).toEqual(new Set(["transfer"]))
})

test("where the next read goes to a server that is behind, at now all the same", async () => {
  /** Whoever reads from a position reads of a server that has a block less. */
  const late = Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) =>
      EventStore.of({
        ...store,
        read: (query) =>
          Effect.map(store.read(query), (slice) => {
            if (slice === undefined || query.since === undefined) return slice
            const { asOf } = slice.mark
            return { ...slice, mark: { ...slice.mark, asOf: { ...asOf, blockNumber: asOf.blockNumber - 1 } } }
          }),
      }),
    ),
  )
  const { make, chainOf } = await start({ storeLayer: Layer.provideMerge(late, MemoryStore.layer) })
  await (await chainOf("43114"))(4, 1)
  const { after } = await make({ chainIds: ["43114"] })
  expect(positionsOf(after)?.get(ChainId.make("43114"))?.at.block).toBe(3)
})
