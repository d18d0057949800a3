/** Native balances after many blocks: batched, asked of each node in turn, kept where they are final, and never made up. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { type Kept, through } from "../../../src/adapters/rpc/contracts/RpcNativeHistories.ts"
import { ChainId, type Hash } from "../../../src/model/primitives.ts"
import { makeLastUsed } from "../../../src/model/time/lastUsed.ts"
import type { NativeMoment } from "../../../src/ports/NativeHistories.ts"
import { address } from "../../support/chain/testChain.ts"
import { answer, clientOf, json, otherUrl, play, type Request, refuse, requestsOf, run, server, url } from "../node.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const chainId = ChainId.make("1")
const hashOf = (block: number) => `0x${block.toString(16).padStart(64, "0")}` as Hash
const header = (block: number, hash = hashOf(block)) => ({
  number: `0x${block.toString(16)}`,
  hash,
  parentHash: hashOf(block - 1),
  timestamp: "0x1",
  logsBloom: `0x${"0".repeat(512)}`,
})
const blockOf = ({ method, params }: Request): number =>
  Number(params[method === "eth_getBlockByNumber" ? 0 : 1] as string)
/** What ten times the block is, as far as the node keeps it. */
const archive = (request: Request) =>
  request.method === "eth_getBlockByNumber" ? header(blockOf(request)) : `0x${(10 * blockOf(request)).toString(16)}`
const askWhole = (
  moments: ReadonlyArray<NativeMoment>,
  {
    kept = makeLastUsed<bigint>(1000),
    urls = [url],
    ledger = "a",
  }: { kept?: Kept; urls?: ReadonlyArray<string>; ledger?: string | undefined } = {},
) =>
  run(
    through(
      urls.map((it) => clientOf({ attempts: 2 }, [it])),
      kept,
      { chainId, ledger, address: address(7), moments },
    ),
  )
/** Balances alone. */
const ask: (...given: Parameters<typeof askWhole>) => Promise<ReadonlyArray<bigint | undefined>> = async (...given) =>
  (await askWhole(...given)).map((it) => it?.balance)
const final = (...blocks: ReadonlyArray<number>) => blocks.map((blockNumber) => ({ blockNumber }))
const asked = (bodies: ReadonlyArray<Parameters<typeof requestsOf>[0]>) =>
  bodies.flatMap((body) => requestsOf(body)).filter(({ method }) => method === "eth_getBalance").length

test("a year of days is a few requests, each block once, and none the second time", async () => {
  const bodies = play([answer(archive)])
  const kept = makeLastUsed<bigint>(1000)
  const blocks = Array.from({ length: 365 }, (_, day) => 100 + 7 * day)
  const wanted = blocks.map((block) => BigInt(10 * block))
  expect(await ask(final(...blocks, 100), { kept })).toEqual([...wanted, 1000n])
  expect([asked(bodies), bodies.length < 12]).toEqual([365, true])
  expect(await ask(final(...blocks), { kept })).toEqual(wanted)
  expect(asked(bodies)).toBe(365)
})

test("what was final in one making of the ledger is asked anew for another, and of one that nobody can tell nothing is kept", async () => {
  const bodies = play([answer(archive)])
  const kept = makeLastUsed<bigint>(1000)
  for (const ledger of ["a", "a", "b", "b", "a"]) await ask(final(5, 6), { kept, ledger })
  expect(asked(bodies)).toBe(4)
  for (const ledger of ["", "", "a"]) await ask(final(7), { kept, ledger })
  expect(asked(bodies)).toBe(7)
})

test("the longest unused go where there are too many", () => {
  const kept = makeLastUsed<bigint>(2)
  kept.keep("a", 1n)
  kept.keep("b", 0n)
  expect(kept.find("a")).toBe(1n)
  kept.keep("c", 3n)
  expect([kept.find("a"), kept.find("b"), kept.find("c")]).toEqual([1n, undefined, 3n])
})

const pruned = (from: number) => (body: Parameters<typeof requestsOf>[0]) =>
  json(
    requestsOf(body).map((request) =>
      blockOf(request) < from
        ? { jsonrpc: "2.0", id: request.id, error: { code: -32000, message: "missing trie node" } }
        : { jsonrpc: "2.0", id: request.id, result: archive(request) },
    ),
  )

test("of a node that keeps no old state the old blocks are unknown, and the others told", async () => {
  play([pruned(200)])
  expect(await ask(final(100, 150, 200, 250))).toEqual([undefined, undefined, 2000n, 2500n])
})

test.each([null, "0x"])("%p is no balance", async (result) => {
  play([answer(() => result)])
  expect(await ask(final(1, 2))).toEqual([undefined, undefined])
})

test("a node behind it is asked for what the first does not keep, and for no more", async () => {
  play([pruned(200)])
  const others = play([answer(archive)], otherUrl)
  expect(await ask(final(100, 150, 200), { urls: [url, otherUrl] })).toEqual([1000n, 1500n, 2000n])
  expect(asked(others)).toBe(2)
})

test("a block of another hash is unknown, and none with a hash is kept", async () => {
  const bodies = play([answer(archive)])
  const kept = makeLastUsed<bigint>(1000)
  const moments = [
    { blockNumber: 300, hash: hashOf(300) },
    { blockNumber: 301, hash: hashOf(999) },
  ]
  expect(await ask(moments, { kept })).toEqual([3000n, undefined])
  expect(await ask(moments, { kept })).toEqual([3000n, undefined])
  expect(asked(bodies)).toBe(4)
})

test("a node that is down, or says nonsense, tells nothing and is no failure", async () => {
  play([refuse(-32000, "boom")])
  expect(await ask(final(1, 2))).toEqual([undefined, undefined])
  play([answer(() => 5)])
  expect(await ask([...final(1), { blockNumber: 2, hash: hashOf(2) }])).toEqual([undefined, undefined])
})

describe("the block of a time", () => {
  /** Irregular: some blocks come at once, some after long. */
  const timeOf = (block: number) => 1000 + 12 * block + (block % 7) + (block > 5000 ? 40_000 : 0)
  const chain = (request: Request) =>
    request.method === "eth_getBlockByNumber"
      ? { ...header(blockOf(request)), timestamp: `0x${timeOf(blockOf(request)).toString(16)}` }
      : `0x${(10 * blockOf(request)).toString(16)}`
  const between = (time: number, low: number, high: number): NativeMoment => ({
    blockNumber: low,
    until: { time, since: timeOf(low), next: { blockNumber: high, time: timeOf(high) } },
  })

  test("is found between two known ones, of many times together, and is kept", async () => {
    const bodies = play([answer(chain)])
    const kept = makeLastUsed<bigint>(10_000)
    const blocks = [3, 50, 51, 700, 701, 702, 4999, 5000, 5001, 7300, 9998]
    const asked = blocks.flatMap((block) => [
      between(timeOf(block), 3, 9999),
      between(timeOf(block + 1) - 1, block, 9999),
    ])
    const wanted = blocks.flatMap((block) => {
      const last = (time: number) => Array.from({ length: 9999 }, (_, at) => at).findLast((at) => timeOf(at) <= time)!
      return [timeOf(block), timeOf(block + 1) - 1].map((time) => ({
        blockNumber: last(time),
        balance: BigInt(10 * last(time)),
      }))
    })
    expect(await askWhole(asked, { kept })).toEqual(wanted)
    const headers = bodies.flatMap((body) => requestsOf(body)).filter(({ method }) => method !== "eth_getBalance")
    expect(headers.length).toBeLessThan(30 * asked.length)
    const before = bodies.length
    expect(await askWhole(asked, { kept })).toEqual(wanted)
    expect(bodies.length).toBe(before)
  })

  test("of regular blocks takes next to no guesses", async () => {
    const regular = (request: Request) =>
      request.method === "eth_getBlockByNumber"
        ? { ...header(blockOf(request)), timestamp: `0x${(12 * blockOf(request)).toString(16)}` }
        : "0x1"
    const bodies = play([answer(regular)])
    const days = Array.from({ length: 365 }, (_, day): NativeMoment => {
      const [low, high] = [7200 * day + 100, 7200 * (day + 1) + 50]
      return {
        blockNumber: low,
        until: { time: 86_400 * day + 43_205, since: 12 * low, next: { blockNumber: high, time: 12 * high } },
      }
    })
    const told = await askWhole(days)
    expect(told.map((it) => it?.blockNumber)).toEqual(days.map((_, day) => 7200 * day + 3600))
    expect(bodies.flatMap((body) => requestsOf(body)).length).toBeLessThan(365 * 4)
  })

  test("is unknown where the node lacks headers or tells times that cannot be, and then no balance is told", async () => {
    play([answer((request) => (request.method === "eth_getBlockByNumber" ? null : "0x1"))])
    expect(await askWhole([between(2000, 3, 99), ...final(7)])).toEqual([undefined, { blockNumber: 7, balance: 1n }])
    play([answer((request) => (request.method === "eth_getBlockByNumber" ? header(blockOf(request)) : "0x1"))])
    expect(await askWhole([between(1500, 3, 99)])).toEqual([undefined])
  })
})
