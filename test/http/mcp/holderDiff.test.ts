/** Differences between two blocks, by the list and by the tool: both name the blocks, which are a walk's, whatever arrives meanwhile. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import { type Server, serve } from "../../../src/adapters/http/server.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../support.ts"
import { ann, bob, cid, gold, zero } from "../world.ts"

const start = 1_700_000_000
const timeOf = (block: number) => start + 12 * (block + 1)
const list = `${prefix("43114")}/erc20/${gold}/holders/diff`

const chain = new TestChain()
const grow = (blocks: number) => {
  for (let block = 0; block < blocks; block++) chain.block([ann, bob, cid].map((to) => transfer(gold, zero, to, 1n)))
}
let service: TestService
let writer: LedgerWriter
let server: Server
let client: Client
beforeAll(async () => {
  service = await startService()
  grow(5)
  writer = await store(service, "43114", chain)
  server = await serve(service.app, { port: 0, hostname: "127.0.0.1", graceMs: 1000 })
  client = new Client({ name: "tests", version: "1" })
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${server.port}/mcp`)))
  // The client holds answers against the schemas that it was told.
  await client.listTools()
})
afterAll(async () => {
  await client.close()
  await server.stop()
  await service.close()
})

const append = async (blocks: number) => {
  const from = chain.nextBlock
  grow(blocks)
  await service.run(writer.append(chain.segment(from, chain.nextBlock - 1, {})))
}
const diff = async (given: object): Promise<Json> => {
  const { isError, content, structuredContent } = await client.callTool({
    name: "holder_diff",
    arguments: { chain: "43114", tokenAddress: gold, limit: 1, ...given },
  })
  return isError === true ? content : structuredContent
}
const blocksOf = async (query: string) => {
  const { status, headers } = await service.fetch(`${list}?${query}`)
  return [status, headers.get("x-from-block"), headers.get("x-at-block")]
}

test.each<[string, object]>([
  ["neither end named", {}],
  ["a time behind the newest block", { timestampFrom: timeOf(1), timestampTo: timeOf(90) }],
])("%s: all pages name the blocks that their rows are of", async (_, given) => {
  const first = await diff(given)
  const { items, toBlock, fromBlock, next } = first
  await append(3)
  const second = await diff({ ...given, cursor: next })
  expect([second.fromBlock, second.toBlock]).toEqual([fromBlock, toBlock])
  expect(toBlock).toBe(chain.nextBlock - 4)
  expect(second.asOf[0].blockNumber).toBe(chain.nextBlock - 1)
  // Each got one with each block.
  const got = toBlock - (fromBlock ?? -1)
  expect([items, second.items].map(([row]) => row.change)).toEqual([`${got}`, `${got}`])
})

test("the list itself names them, of a stream too; before the first block there is none", async () => {
  const head = chain.nextBlock - 1
  expect(await blocksOf("limit=1")).toEqual([200, null, `43114:${head}`])
  expect(await blocksOf("blockNumberFrom=1&blockNumberTo=3")).toEqual([200, "43114:1", "43114:3"])
  expect(await blocksOf(`timestampFrom=${timeOf(2)}&timestampTo=${timeOf(3) + 1}`)).toEqual([200, "43114:2", "43114:3"])
  expect(await blocksOf(`timestampFrom=0&timestampTo=${timeOf(3)}`)).toEqual([200, null, "43114:3"])
  expect(await blocksOf("timestampFrom=0&timestampTo=1")).toEqual([200, null, null])
  const { headers } = await service.fetch(`${list}?blockNumberFrom=1`, { headers: { accept: "text/csv" } })
  expect([headers.get("x-from-block"), headers.get("x-at-block")]).toEqual(["43114:1", `43114:${head}`])
})

test("a time before the first block is taken by the tool as by the list: nobody had anything", async () => {
  const { fromBlock, toBlock, items } = await diff({ timestampFrom: "2001-01-01", blockNumberTo: 2 })
  expect([fromBlock, toBlock, items[0].change]).toEqual([undefined, 2, "3"])
  const none = await diff({ timestampFrom: 0, timestampTo: 1 })
  expect([none.fromBlock, none.toBlock, none.items]).toEqual([undefined, undefined, []])
})

test("the newest final block ends it where the end that is named is no earlier", async () => {
  await service.run(
    Effect.suspend(() => {
      const from = chain.nextBlock
      grow(1)
      return writer.append(chain.segment(from, from, { finalizedBlock: 4 }))
    }),
  )
  expect(await blocksOf("finality=finalized")).toEqual([200, null, "43114:4"])
  expect(await blocksOf("finality=finalized&blockNumberTo=2")).toEqual([200, null, "43114:2"])
  expect(await blocksOf("finality=finalized&blockNumberTo=6&blockNumberFrom=0")).toEqual([200, "43114:0", "43114:4"])
})

test("of a chain without a block nobody came and nobody left, and what is refused is what was sent", async () => {
  const empty = `${prefix("10")}/erc20/${gold}/holders/diff`
  const of = async (query: string) => {
    const { status, body } = await service.get(`${empty}${query}`)
    return [status, body.message ?? body]
  }
  expect(await of("")).toEqual([200, { items: [], link: {} }])
  expect(await of("?count=true")).toEqual([200, { items: [], count: 0, countType: "exact", link: {} }])
  for (const name of ["blockNumberFrom", "blockNumberTo"])
    expect(await of(`?${name}=5`)).toEqual([
      400,
      `${name}: expected a block up to the indexed head (nothing is indexed yet), got 5`,
    ])
})
