/** Native balances after many blocks: batched, asked of each node in turn, kept where they are final, and never made up. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test"
import { makeKept, through } from "../../../src/adapters/rpc/contracts/RpcNativeHistories.ts"
import { ChainId, type Hash } from "../../../src/model/primitives.ts"
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
const ask = (
  moments: ReadonlyArray<NativeMoment>,
  { kept = makeKept(1000), urls = [url] }: { kept?: ReturnType<typeof makeKept>; urls?: ReadonlyArray<string> } = {},
) =>
  run(
    through(
      urls.map((it) => clientOf({ attempts: 2 }, [it])),
      kept,
      { chainId, address: address(7), moments },
    ),
  )
const final = (...blocks: ReadonlyArray<number>) => blocks.map((blockNumber) => ({ blockNumber }))
const asked = (bodies: ReadonlyArray<Parameters<typeof requestsOf>[0]>) =>
  bodies.flatMap((body) => requestsOf(body)).filter(({ method }) => method === "eth_getBalance").length

test("a year of days is a few requests, each block once, and none the second time", async () => {
  const bodies = play([answer(archive)])
  const kept = makeKept(1000)
  const blocks = Array.from({ length: 365 }, (_, day) => 100 + 7 * day)
  const wanted = blocks.map((block) => BigInt(10 * block))
  expect(await ask(final(...blocks, 100), { kept })).toEqual([...wanted, 1000n])
  expect([asked(bodies), bodies.length < 12]).toEqual([365, true])
  expect(await ask(final(...blocks), { kept })).toEqual(wanted)
  expect(asked(bodies)).toBe(365)
})

test("the longest unused go where there are too many", () => {
  const kept = makeKept(2)
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
  const kept = makeKept(1000)
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
