/** Server-sent events over HTTP: a real server, its own streams, and the `eventsource` package as a client. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { EventSource } from "eventsource"
import { type Server, serve } from "../../src/adapters/http/server.ts"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { EventStore } from "../../src/ports/EventStore.ts"
import type { LedgerWriter } from "../../src/ports/Ledger.ts"
import { address, nftTransfer, TestChain, transfer } from "../support/chain/testChain.ts"
import { problemOf } from "../support/failure.ts"
import { prefix, startService, type TestService } from "./support.ts"

const zero = address(0)
const gold = address(0x70)
const salt = address(0x71)
const ann = address(0xa1)
const bob = address(0xb2)
const path = `${prefix("43114")}/events`

let service: TestService
let server: Server
let writer: LedgerWriter
const chain = new TestChain()
let salts = 0

beforeAll(async () => {
  service = await startService({ heartbeatMs: 100, patienceMs: 4000, eventStreams: 20, eventStreamsPerSecond: 1000 })
  server = await serve(service.app, { port: 0, hostname: "127.0.0.1", graceMs: 200 })
  writer = await service.open("43114")
  chain.block([transfer(gold, zero, ann, 1000n), nftTransfer(salt, zero, bob, 7n)])
  await append()
})
afterAll(async () => {
  service.app.endStreams()
  await server.stop()
  await service.close()
})

/** The newest block, with all before it but three final. */
const append = (from = chain.nextBlock - 1) =>
  service.run(writer.append(chain.segment(from, undefined, { finalizedBlock: chain.nextBlock - 4 })))
const grow = async (events: Parameters<TestChain["block"]>[0]) => {
  chain.block(events, { salt: `${salts++}` })
  await append()
}
const url = (query = "") => `http://127.0.0.1:${server.port}${path}${query}`

interface Told {
  readonly type: string
  readonly id: string
  readonly data: Record<string, unknown>
}

const names = ["transfer", "swap", "token", "retract", "finalized", "heartbeat"] as const

/** What an EventSource of the package hears. */
const listen = (query: string, lastEventId?: string) => {
  const told: Array<Told> = []
  const source = new EventSource(url(query), {
    fetch: (input, init) =>
      fetch(input, {
        ...init,
        headers: { ...init.headers, ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }) },
      }),
  })
  for (const type of names)
    source.addEventListener(type, (event) =>
      told.push({ type, id: event.lastEventId, data: JSON.parse(event.data) as Record<string, unknown> }),
    )
  const until = async (what: (told: ReadonlyArray<Told>) => boolean): Promise<ReadonlyArray<Told>> => {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await Bun.sleep(5)) if (what(told)) return told
    throw new Error(`not heard: ${told.length} events, ${JSON.stringify(told.slice(-3))}`)
  }
  const rows = () => told.filter(({ type }) => type !== "heartbeat" && type !== "finalized")
  return { told, rows, until, close: () => source.close(), source }
}

describe("an EventSource", () => {
  test("hears rows as the lists have them, then what is new, and what a reorg takes back by the ids that were given", async () => {
    const heard = listen("?after=beginning")
    await heard.until(() => heard.rows().length === 4)
    expect(heard.rows().map(({ type }) => type)).toEqual(["token", "transfer", "token", "transfer"])
    const { body } = await service.get(`${prefix("43114")}/erc20-transfers`)
    const { id, standard, block, hash, ...record } = heard.rows()[1]!.data
    expect([record, standard, block, hash]).toEqual([body.items[0], "erc20", 0, chain.blocks[0]!.header.hash])
    const tokens = await service.get(`${prefix("43114")}/erc721`)
    expect(heard.rows()[2]!.data).toMatchObject(tokens.body.items[0])
    await grow([transfer(gold, ann, bob, 5n), transfer(gold, bob, ann, 2n)])
    await heard.until(() => heard.rows().length === 6)
    chain.truncate(1)
    await service.run(writer.rollback(1))
    await grow([transfer(gold, ann, bob, 6n)])
    await heard.until(() => heard.rows().length === 9)
    const [first, second, gone, goneToo, again] = heard.rows().slice(4)
    expect([gone!.type, goneToo!.type, again!.type]).toEqual(["retract", "retract", "transfer"])
    expect([gone!.data.id, goneToo!.data.id]).toEqual([second!.data.id, first!.data.id])
    expect(gone!.data).toMatchObject({ retracts: "transfer", tokenAddress: gold, from: bob, to: ann, amount: "2" })
    heard.close()
  })

  test("comes back with the id it had last, to an instance that never saw it", async () => {
    const whole = listen("?after=beginning")
    await whole.until(() => whole.rows().length >= 4)
    const all = whole.rows()
    whole.close()
    for (const [place, { id }] of all.entries()) {
      const rest = listen("", id)
      await rest.until(() => rest.rows().length >= all.length - place - 1 && rest.told.length > 0)
      expect(rest.rows().map(({ data }) => data.id)).toEqual(all.slice(place + 1).map(({ data }) => data.id))
      rest.close()
    }
  })

  test("with an empty id begins where `after` says", async () => {
    const whole = listen("?after=beginning")
    await whole.until(() => whole.rows().length >= 4)
    const [first] = whole.rows()
    whole.close()
    for (const [after, rows] of [["beginning", whole.rows()] as const, [first!.id, whole.rows().slice(1)] as const]) {
      const heard = listen(`?after=${after}`, "")
      await heard.until(() => heard.rows().length >= rows.length)
      expect(heard.rows().map(({ data }) => data.id)).toEqual(rows.map(({ data }) => data.id))
      heard.close()
    }
  })

  test("hears only what passes its filter, and final rows alone where it asks for those", async () => {
    const [ofAnn, final] = [listen(`?address=${ann}&kinds=transfer`), listen("?delivery=finalized&after=beginning")]
    await ofAnn.until((told) => told.length > 0)
    await grow([transfer(salt, bob, zero, 1n), transfer(salt, bob, ann, 3n)])
    await ofAnn.until(() => ofAnn.rows().length === 1)
    expect(ofAnn.rows()[0]!.data).toMatchObject({ to: ann, amount: "3" })
    for (let more = 0; more < 4; more++) await grow([])
    await final.until(() => final.rows().some(({ data }) => data.to === ann && data.amount === "3"))
    await final.until((told) =>
      told.some(({ type, data }) => type === "finalized" && data.block === chain.nextBlock - 4),
    )
    for (const { data } of final.rows()) expect(data.block as number).toBeLessThan(chain.nextBlock - 3)
    ofAnn.close()
    final.close()
  })

  test("hears of all chains with one id", async () => {
    const other = await service.open("1")
    const source = new EventSource(`http://127.0.0.1:${server.port}${prefix("all")}/events`)
    const ids: Array<string> = []
    for (const name of names) source.addEventListener(name, ({ lastEventId }) => void ids.push(lastEventId))
    const second = new TestChain().block([transfer(gold, zero, bob, 1n)])
    while (ids.length === 0) await Bun.sleep(5)
    await service.run(other.append(second.segment(0)))
    for (const deadline = Date.now() + 60_000; !ids.at(-1)?.includes("~") && Date.now() < deadline; ) await Bun.sleep(5)
    source.close()
    expect(ids.at(-1)).toContain("~")
    const response = await fetch(`http://127.0.0.1:${server.port}${prefix("all")}/events?after=${ids[0]}`)
    const reader = response.body!.getReader()
    let text = ""
    while (!text.includes("event: transfer")) text += new TextDecoder().decode((await reader.read()).value)
    expect(text).toContain(`"chainId":"1"`)
    await reader.cancel()
  })
})

test("an id of all chains never runs ahead of what was told of any of them", async () => {
  const base = `http://127.0.0.1:${server.port}${prefix("all")}/events?kinds=transfer`
  const framesOf = async (query: string, enough: (text: string) => boolean) => {
    const over = new AbortController()
    const response = await fetch(`${base}${query}`, { signal: over.signal })
    const reader = response.body!.getReader()
    let text = ""
    while (!enough(text)) {
      const { value, done } = await reader.read()
      if (done) throw new Error(`the stream ended early: ${text.slice(-300)}`)
      text += new TextDecoder().decode(value)
    }
    over.abort()
    return [...text.matchAll(/^id: (\S+)\nevent: transfer\ndata: (.*)$/gm)].map(([, id, data]) => ({
      id: id!,
      row: (JSON.parse(data!) as { id: string }).id,
    }))
  }
  // After rows and signs of life of both chains.
  const isWhole = (text: string) =>
    ["1", "43114"].every((id) => text.includes(`event: heartbeat\ndata: {"chainId":"${id}"`))
  const all = await framesOf("&after=beginning", isWhole)
  const rows = all.map(({ row }) => row)
  expect(new Set(rows.map((row) => row.split("-")[0])).size).toBe(2)
  for (const [place, { id }] of all.entries()) {
    const rest = (await framesOf(`&after=${id}`, isWhole)).map(({ row }) => row)
    expect([...rows.slice(0, place + 1), ...rest].toSorted()).toEqual(rows.toSorted())
  }
})

test("where turns are slow the answer begins before its own has come, and the stream tells the same", async () => {
  let gate = Promise.withResolvers<void>()
  const slowly = Layer.effect(
    EventStore,
    EventStore.use((store) =>
      Effect.succeed(
        EventStore.of({
          ...store,
          read: (query) =>
            query.limit === 1
              ? store.read(query)
              : Effect.andThen(
                  Effect.promise(() => gate.promise),
                  store.read(query),
                ),
        }),
      ),
    ),
  )
  const storeLayer = slowly.pipe(Layer.provideMerge(MemoryStore.layer))
  const slow = await startService({ heartbeatMs: 100, firstWaitMs: 50, storeLayer })
  const slowServer = await serve(slow.app, { port: 0, hostname: "127.0.0.1", graceMs: 200 })
  try {
    for (const id of ["1", "43114"]) {
      const own = await slow.open(id)
      await slow.run(own.append(chain.segment(0, undefined, { finalizedBlock: chain.nextBlock - 4 })))
    }
    const framesOf = async (chains: string, after: string, enough: (text: string) => boolean) => {
      const over = new AbortController()
      gate = Promise.withResolvers()
      const target = `http://127.0.0.1:${slowServer.port}${prefix(chains)}/events?kinds=transfer&after=${after}`
      const response = await fetch(target, { signal: over.signal })
      expect(response.status).toBe(200)
      gate.resolve()
      const reader = response.body!.getReader()
      let text = ""
      while (!enough(text)) {
        const { value, done } = await reader.read()
        if (done) break
        text += new TextDecoder().decode(value)
      }
      over.abort()
      const transfers = [...text.matchAll(/^id: (\S+)\nevent: transfer\ndata: (.*)$/gm)]
      const rows = transfers.map(([, id, data]) => ({ id: id!, row: (JSON.parse(data!) as { id: string }).id }))
      return { text, rows }
    }
    const isWhole = (...ids: ReadonlyArray<string>) => {
      const signs = ids.map((id) => new RegExp(`event: heartbeat\\ndata: {"chainId":"${id}".*"lagBlocks":0`))
      return (text: string) => signs.every((sign) => sign.test(text))
    }
    const all = await framesOf("43114", "beginning", isWhole("43114"))
    expect(all.rows.length).toBeGreaterThan(2)
    const rest = await framesOf("43114", all.rows[1]!.id, isWhole("43114"))
    expect(rest.rows).toEqual(all.rows.slice(2))
    const both = await framesOf("all", "beginning", isWhole("1", "43114"))
    expect(both.rows.length).toBe(2 * all.rows.length)
    expect(new Set(both.rows.map(({ row }) => row)).size).toBe(both.rows.length)
    // From each of its ids on it is the rest of both.
    for (const [place, { id }] of both.rows.entries()) {
      expect(id).toContain("~")
      const { rows } = await framesOf("all", id, isWhole("1", "43114"))
      expect([...both.rows.slice(0, place + 1), ...rows].map(({ row }) => row).toSorted()).toEqual(
        both.rows.map(({ row }) => row).toSorted(),
      )
    }
    const gone = await framesOf("43114", all.rows[1]!.id.replace(/^(\d+\.)\w+/, "$1abcdef"), () => false)
    expect(gone.text).toMatch(/event: gone\ndata: {"chainId":"43114","message":"the ledger was replaced/)
  } finally {
    slow.app.endStreams()
    await slowServer.stop()
    await slow.close()
  }
})

test("of final blocks alone a sign of life says the block up to which rows were told", async () => {
  const [all, final] = [listen("?after=beginning"), listen("?after=beginning&delivery=finalized")]
  for (const amount of [3n, 4n, 5n, 6n]) await grow([transfer(gold, ann, bob, amount)])
  const newest = chain.nextBlock - 1
  const isAt = (block: number) => (told: ReadonlyArray<Told>) =>
    told.some(({ type, data }) => type === "heartbeat" && data.block === block && data.lagBlocks === 0)
  await all.until(isAt(newest))
  await final.until(isAt(newest - 3))
  const { data } = final.told.findLast(({ type }) => type === "heartbeat")!
  const { hash } = chain.blocks[newest - 3]!.header
  expect([data.finalizedBlock, data.hash, data.timestamp]).toEqual([newest - 3, hash, undefined])
  expect(final.told.some((it) => it.type === "heartbeat" && Number(it.data.block) > newest - 3)).toBe(false)
  for (const each of [all, final]) each.close()
})

describe("refusals", () => {
  const refused = async (query: string) => {
    const response = await fetch(url(query))
    return [response.status, ((await response.json()) as { message: string }).message] as const
  }
  test.each([
    ["?kinds=mint", "kinds: expected transfer, swap, token, got mint"],
    ["?delivery=soon", "delivery: expected instant or finalized, got soon"],
    ["?after=yesterday", "after: expected the id of an event of this path, or beginning, got yesterday"],
    [
      "?after=43114.000000.000000.1.0.0.0.zik0zk.0.",
      "after: expected the id of an event of this path, or beginning, got 43114.000000.000000.1.0.0.0.zik0zk.0.",
    ],
    ["?address=0x1", "address: expected an address: 0x and 40 hex digits, got 0x1"],
  ])("%s", async (query, message) => {
    expect(await refused(query)).toEqual([400, message])
  })

  test("a position in a ledger with other settings is gone, and so is one that this ledger cannot vouch for", async () => {
    const heard = listen("?after=beginning")
    const { id } = (await heard.until((told) => told.some(({ type }) => type === "heartbeat"))).at(-1)!
    heard.close()
    const [status, message] = await refused(`?after=${id.replace(/^(\d+\.)\w+/, "$1abcdef")}`)
    expect([status, message.slice(0, 70)]).toEqual([
      410,
      "the ledger was replaced by one with other settings, which has other ro",
    ])
    const anew = await refused(`?after=${id.replace(/^(\d+\.\w+\.)\w+/, "$1ffffff")}`)
    expect(anew).toEqual([410, expect.stringMatching(/^the ledger was built anew .* with after=beginning$/)])
    const parts = id.split(".")
    parts[9] = "0123456789abcdef"
    const other = await refused(`?after=${parts.join(".")}`)
    expect(other[0]).toBe(410)
    const after = /after=(\S+)$/.exec(other[1])![1]
    expect((await fetch(url(`?after=${after}`), { method: "HEAD" })).status).toBe(200)
  })

  test("more streams than a caller may have are refused, with a time to wait; those that ended do not count", async () => {
    const open = await Promise.all(Array.from({ length: 20 }, () => fetch(url())))
    const late = await fetch(url())
    expect([late.status, late.headers.get("retry-after")]).toEqual([429, "5"])
    await late.body?.cancel()
    await Promise.all(open.map(({ body }) => body!.cancel()))
    for (let tries = 0; tries < 100; tries++) {
      const again = await fetch(url())
      await again.body?.cancel()
      if (again.status === 200) return
      await Bun.sleep(20)
    }
    throw new Error("streams that ended still count")
  })
})

test("a block that is larger than what may lie unread comes in pieces", async () => {
  const whole = listen("?kinds=transfer&after=beginning")
  const { id } = (await whole.until((told) => told.some(({ type }) => type === "heartbeat"))).at(-1)!
  whole.close()
  const reader = (await service.fetch(`${path}?kinds=transfer&after=${id}`)).body!.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (!text.includes("event: heartbeat")) text += decoder.decode((await reader.read()).value, { stream: true })
  await grow(Array.from({ length: 3000 }, () => transfer(gold, ann, bob, 1n)))
  const pieces: Array<number> = []
  while (text.split("event: transfer").length - 1 < 3000) {
    const { value } = await reader.read()
    pieces.push(value!.byteLength)
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  expect(Math.max(...pieces)).toBeLessThan(1024 * 1024)
})

test("a client that reads slowly is kept as long as it reads", async () => {
  const reader = (await service.fetch(`${path}?kinds=transfer`)).body!.getReader()
  const other = listen("?kinds=transfer")
  await other.until((told) => told.length > 0)
  // Far more than may lie there, in pieces that are small beside it.
  for (let block = 1; block <= 10; block++) {
    await grow(Array.from({ length: 300 }, () => transfer(gold, ann, bob, 1n)))
    await other.until(() => other.rows().length === 300 * block)
  }
  other.close()
  let text = ""
  const rows = () => text.split("event: transfer").length - 1
  for (const decoder = new TextDecoder(); rows() < 3000; ) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the stream ended after ${rows()} rows`)
    text += decoder.decode(value, { stream: true })
    // Signs of life lie between the pieces.
    if (value.byteLength > 10_000) await Bun.sleep(150)
  }
  expect(rows()).toBe(3000)
  await reader.cancel()
})

test("a client that reads nothing is let go, and nobody else waits", async () => {
  // Below the socket's own buffers: they take some megabytes before anybody can know.
  const stalled = await service.fetch(`${path}?after=beginning`)
  const other = listen("?kinds=transfer")
  await other.until((told) => told.length > 0)
  const many = Array.from({ length: 1500 }, (_, place) => transfer(gold, ann, bob, BigInt(place)))
  for (let block = 0; block < 4; block++) await grow(many)
  await other.until(() => other.rows().length === 6000)
  const dropped = async () => /dropped_total ([1-9])/.test(await (await service.fetch("/metrics")).text())
  for (const deadline = Date.now() + 15_000; !(await dropped()) && Date.now() < deadline; ) await Bun.sleep(50)
  expect(await problemOf(stalled.body!.getReader().read())).toContain("the client reads too slowly")
  other.close()
})

test("while the past is told a sign of life is of the block that was reached: who waits for no lag has all rows", async () => {
  const long = await startService({ heartbeatMs: 1, patienceMs: 4000 })
  const longServer = await serve(long.app, { port: 0, hostname: "127.0.0.1", graceMs: 200 })
  const past = new TestChain()
  // Read in ten parts and more.
  for (let block = 0; block < 500; block++)
    past.block(Array.from({ length: 10 }, () => transfer(gold, block === 0 ? zero : ann, ann, 1n)))
  const ledger = await long.open("43114")
  await long.run(ledger.append(past.segment(0, undefined, { finalizedBlock: 490 })))
  let rows = 0
  const beats: Array<readonly [block: number, lag: number, rows: number]> = []
  const source = new EventSource(`http://127.0.0.1:${longServer.port}${path}?kinds=transfer&after=beginning`)
  source.addEventListener("transfer", () => rows++)
  await new Promise<void>((resolve) =>
    source.addEventListener("heartbeat", ({ data }) => {
      const { block, lagBlocks } = JSON.parse(data) as { block: number; lagBlocks: number }
      beats.push([block, lagBlocks, rows])
      if (lagBlocks === 0) resolve()
    }),
  )
  source.close()
  expect(beats.at(-1)).toEqual([499, 0, 5000])
  for (const [block, lag, told] of beats.slice(0, -1)) {
    // All of that block was told, and of the next one a part at most, or all of it without a word that it was all.
    expect([Math.floor(told / 10) - 1, Math.ceil(told / 10) - 2]).toContain(block)
    expect(lag).toBe(499 - block)
  }
  expect(beats.length).toBeGreaterThan(1)
  long.app.endStreams()
  await longServer.stop()
  await long.close()
})
