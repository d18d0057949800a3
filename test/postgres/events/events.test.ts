/** Events over PostgreSQL: a webhook that two instances on one database tell in turn, and positions whose corrections are no longer kept. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import postgres from "postgres"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { keepWebhooks } from "../../../src/domain/events/keepWebhooks.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { prefix, sha256, startService, type TestService } from "../../http/support.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { takeEvents } from "../../support/eventStream.ts"
import { testDatabase } from "../../support/postgres.ts"

const key = "the-manager"
const [zero, gold, ann] = [address(0), address(0x70), address(0xa1)]
const quick = { waits: { firstMs: 10, capMs: 40 }, giveUpMs: 60_000, idleMs: 100 }

let sql: postgres.Sql
let services: ReadonlyArray<TestService>
let writer: LedgerWriter
const chain = new TestChain()
let salts = 0
beforeAll(async () => {
  const url = await testDatabase()
  sql = postgres(url, { max: 2, onnotice: () => {} })
  const start = () =>
    startService({
      managersSha256: [sha256(key)],
      allowPrivate: true,
      storeLayer: PostgresStore.layer({ url }, { eventsDays: 1 }),
    })
  services = [await start(), await start()]
  writer = await services[0]!.open("43114")
  await grow()
})
afterAll(async () => {
  for (const service of services) {
    service.app.endStreams()
    await service.close()
  }
  await sql.end()
})

const run = <A, E>(effect: Effect.Effect<A, E>) => services[0]!.run(effect)
const grow = async () => {
  chain.block([transfer(gold, zero, ann, BigInt(++salts))], { salt: `${salts}` })
  const from = chain.nextBlock - 1
  await run(writer.append(chain.segment(from, undefined, { finalizedBlock: from - 6 })))
}
const takeBack = async (blocks: number) => {
  chain.truncate(chain.nextBlock - blocks)
  await run(writer.rollback(chain.nextBlock))
}
const until = async (what: string, holds: () => boolean | Promise<boolean>) => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await Bun.sleep(10)) if (await holds()) return
  throw new Error(`it did not come: ${what}`)
}

test("two instances tell a webhook in turn: one at a time, and the other goes on when one dies or its session is lost", async () => {
  interface Body {
    readonly sequence: number
    readonly events: ReadonlyArray<{ readonly type: string; readonly id: string }>
  }
  const bodies: Array<Body> = []
  const underWay = new Set<number>()
  let atOnce = 0
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const body = (await request.json()) as Body
      underWay.add(body.sequence)
      atOnce = Math.max(atOnce, underWay.size)
      await Bun.sleep(20)
      underWay.delete(body.sequence)
      bodies.push(body)
      return new Response("thanks")
    },
  })
  const made = await services[0]!.fetch("/v2/webhooks", {
    method: "POST",
    headers: { apikey: key },
    body: JSON.stringify({ url: receiver.url.href, filter: { kinds: ["transfer"] }, chainIds: ["43114"] }),
  })
  const { id } = (await made.json()) as { id: string }
  const keep = (service: TestService) => {
    // In its own runtime: with it goes the session that holds what it took.
    let ended = false
    let fiber: Fiber.Fiber<unknown, unknown> | undefined
    const over = service.run(
      Effect.flatMap(Effect.forkDetach(keepWebhooks(quick, 20)), (forked) => {
        fiber = forked
        return Effect.void
      }),
    )
    return async () => {
      if (ended) return
      ended = true
      await over
      await Effect.runPromise(Fiber.interrupt(fiber!))
    }
  }
  const holders = () => sql<Array<{ pid: number }>>`
    select l.pid from pg_locks l, (select hashtextextended(${`webhook cowry ${id}`}, 0) as key) k
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and l.classid::int8 = (k.key >> 32) & 4294967295 and l.objid::int8 = k.key & 4294967295`
  const stops = services.map(keep)
  const amountOf = () =>
    new Set(bodies.flatMap(({ events }) => events.filter(({ type }) => type === "transfer").map((it) => it.id))).size
  try {
    await until("somebody has it", async () => (await holders()).length === 1)
    for (let more = 0; more < 3; more++) await grow()
    await until("three are told", () => amountOf() >= 3)
    // The session that holds it ends: whoever has it next goes on.
    const pid = (await holders())[0]!.pid
    await sql`select pg_terminate_backend(${pid}::int4)`
    await grow()
    await until("another session has it", async () => {
      const now = await holders()
      return now.length === 1 && now[0]!.pid !== pid
    })
    await until("the fourth is told", () => amountOf() >= 4)
    // One instance ends, whichever had it; then the other has it.
    await stops[0]!()
    await grow()
    await until("the fifth is told", () => amountOf() >= 5)
    expect(await holders()).toHaveLength(1)
    stops[0] = keep(services[0]!)
    await stops[1]!()
    await grow()
    await until("the sixth is told", () => amountOf() >= 6)
  } finally {
    for (const stop of stops) await stop()
    receiver.stop(true)
  }
  await until("nobody has it", async () => (await holders()).length === 0)
  const shown = async (path: string) =>
    (await services[0]!.fetch(`/v2/webhooks${path}`, { headers: { apikey: key } })).json()
  // What was being written as the last of them ended is written behind that.
  await until("the list has it as it is", async () =>
    Bun.deepEquals(await shown(""), { items: [await shown(`/${id}`)] }),
  )
  expect(atOnce).toBe(1)
  const bySequence = new Map(bodies.map((body) => [body.sequence, body]))
  const text = await (await services[0]!.fetch("/metrics")).text()
  expect(text).toContain('cowry_webhooks{state="active"} 1')
  expect(text).toContain('cowry_webhooks{state="paused"} 0')
  expect(Number(/^cowry_webhook_batches_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(bySequence.size - 1)
  expect([...bySequence.keys()]).toEqual(Array.from({ length: bySequence.size }, (_, place) => place + 1))
  const ids = [...bySequence.values()].flatMap(({ events }) =>
    events.filter(({ type }) => type === "transfer").map((event) => event.id),
  )
  expect(new Set(ids).size).toBe(ids.length)
  // The same to the byte, where one came again.
  for (const body of bodies) expect(body).toEqual(bySequence.get(body.sequence)!)
  // A count of what was done does not fall where one is removed; all else of it goes.
  const batchesOf = (page: string) => Number(/^cowry_webhook_batches_total (\d+)$/m.exec(page)?.[1])
  await services[0]!.fetch(`/v2/webhooks/${id}`, { method: "DELETE", headers: { apikey: key } })
  expect(batchesOf(await (await services[1]!.fetch("/metrics")).text())).toBe(batchesOf(text))
  expect(await shown("")).toEqual({ items: [] })
  expect((await services[0]!.fetch(`/v2/webhooks/${id}`, { headers: { apikey: key } })).status).toBe(404)
})

test("a position behind rows that are no longer kept is refused, and says from where to go on", async () => {
  const url = (after: string) => `${prefix("43114")}/events?kinds=transfer&after=${encodeURIComponent(after)}`
  const take = (after: string, enough: Parameters<typeof takeEvents>[1]) =>
    takeEvents(url(after), enough, (path, init) => services[0]!.fetch(path, init))
  const told = (type: string) => (all: ReadonlyArray<{ type: string }>) => all.some((it) => it.type === type)
  for (let more = 0; more < 8; more++) await grow()
  const { told: first } = await take("beginning", told("heartbeat"))
  const old = first.at(-1)!.position
  await takeBack(2)
  await grow()
  // Within EVENTS_DAYS it is told what was taken back.
  const kept = await take(old, (all) => all.some(({ type }) => type === "transfer"))
  expect(kept.told.filter(({ type }) => type === "retract")).toHaveLength(2)
  const lately = kept.told.at(-1)!.position

  await sql.unsafe("update cowry_43114.correction set at = at - 2 * 86400")
  // Rows go at the next correction.
  await takeBack(1)
  await grow()
  const refused = await take(old, () => true)
  expect([refused.status, refused.problem!.code]).toEqual([410, "EVENTS_GONE"])
  expect(refused.problem!.message).toContain("what they held is no longer known")
  const left = await sql.unsafe(
    "select count(*)::int4 as rows from cowry_43114.corrected_row where rollback_no < (select max(rollback_no) from cowry_43114.correction)",
  )
  expect(left[0]!.rows).toBe(0)
  // Who heard of it before goes on, and is told of the last one alone.
  const later = await take(lately, (all) => all.some(({ type }) => type === "transfer"))
  expect(later.told.filter(({ type }) => type === "retract")).toHaveLength(1)
  // Who forgets what lies above the block that is named ends with the ledger's rows.
  const [, block = "", after = ""] =
    /blocks above (\d+), and go on with after=(\S+)/.exec(refused.problem!.message) ?? []
  const rows = new Map(
    first
      .filter(({ type, data }) => type === "transfer" && Number(data.block) <= Number(block))
      .map((it) => [it.data.id, it.data]),
  )
  const rest = await take(
    after,
    (all) => all.filter(({ type }) => type === "transfer").length === chain.nextBlock - 1 - Number(block),
  )
  for (const { type, data } of rest.told) {
    if (type === "transfer") rows.set(data.id, data)
    expect(type).not.toBe("retract")
  }
  const anew = await take(
    "beginning",
    (all) => all.filter(({ type }) => type === "transfer").length === chain.nextBlock,
  )
  const wanted = anew.told.filter(({ type }) => type === "transfer").map(({ data }) => data.id)
  expect([...rows.keys()]).toEqual(wanted)
})

test("a position behind rows that came late and are no longer kept is refused once, and the one that is named ends with all rows", async () => {
  const url = (after: string) => `${prefix("43114")}/events?kinds=transfer&after=${encodeURIComponent(after)}`
  const take = (after: string, enough: Parameters<typeof takeEvents>[1]) =>
    takeEvents(url(after), enough, (path, init) => services[0]!.fetch(path, init))
  const isTransfer = ({ type }: { readonly type: string }) => type === "transfer"
  const all = (rows: number) => (told: ReadonlyArray<{ type: string }>) => told.filter(isTransfer).length === rows
  // A block whose second row the ledger misses, far below those that are not final.
  const gap = chain.nextBlock
  chain.block([transfer(gold, zero, ann, 7n), transfer(gold, zero, ann, 8n)], { salt: "gap" })
  const segment = chain.segment(gap, undefined, { finalizedBlock: gap - 6 })
  await run(writer.append({ ...segment, movements: segment.movements.slice(0, 1) }))
  for (let more = 0; more < 12; more++) await grow()
  const { told: first } = await take("beginning", all(chain.nextBlock))
  const old = first.at(-1)!.position
  const missing = { movements: segment.movements.slice(1), nfts: [], headers: [chain.blocks[gap]!.header] }
  expect(await run(writer.heal(missing))).toBe(1)
  await sql.unsafe("update cowry_43114.correction set at = at - 2 * 86400")
  await takeBack(1)
  await grow()

  const refused = await take(old, () => true)
  expect([refused.status, refused.problem!.code]).toEqual([410, "EVENTS_GONE"])
  expect(refused.problem!.message).toContain("rows came in late since")
  const [, block = "", after = ""] =
    /blocks above (\d+), and go on with after=(\S+)/.exec(refused.problem!.message) ?? []
  expect(Number(block)).toBe(gap - 1)
  const kept = first.filter((it) => isTransfer(it) && Number(it.data.block) < gap).map(({ data }) => data.id)
  const rest = await take(after, all(chain.nextBlock + 1 - kept.length))
  expect(rest.told.map(({ type }) => type)).not.toContain("retract")
  const anew = await take("beginning", all(chain.nextBlock + 1))
  const idsOf = ({ told }: typeof anew) => told.filter(isTransfer).map(({ data }) => data.id)
  expect([...kept, ...idsOf(rest)]).toEqual(idsOf(anew))
})

const ask = async (method: string, path: string, body?: object) => {
  const sent = { method, headers: { apikey: key }, ...(body && { body: JSON.stringify(body) }) }
  const response = await services[0]!.fetch(`/v2/webhooks${path}`, sent)
  const { code, message } = (await response.json()) as { readonly code: string; readonly message: string }
  return { status: response.status, code, message }
}

test.each(["%00", "wh_%00"])("of what is no id of a webhook the database is not asked: %s", async (id) => {
  const asked = [
    ["GET", `/${id}`],
    ["PATCH", `/${id}`],
    ["DELETE", `/${id}`],
    ["POST", `/${id}/replay?after=beginning`],
  ] as const
  for (const [method, path] of asked) {
    const { status, code, message } = await ask(method, path, method === "PATCH" ? {} : undefined)
    expect([method, status, code]).toEqual([method, 404, "NOT_FOUND"])
    expect(message).toStartWith("id: expected the id of a webhook, got ")
  }
})

test("a URL that the database cannot keep is refused as none", async () => {
  const { status, message } = await ask("POST", "", { url: "https://example.com/\u0000" })
  expect([status, message]).toEqual([400, "url: expected a URL that webhooks may lead to, got it is no URL"])
})
