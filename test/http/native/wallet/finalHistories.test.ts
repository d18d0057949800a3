/** Histories of final blocks: each page goes up to the newest final block of its own moment, as a feed does, and names no other. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { encodeCursor } from "../../../../src/model/cursor.ts"
import { ChainId } from "../../../../src/model/primitives.ts"
import type { LedgerWriter } from "../../../../src/ports/Ledger.ts"
import { TokenPrices } from "../../../../src/ports/TokenPrices.ts"
import { TestChain, transfer } from "../../../support/chain/testChain.ts"
import { type Json, prefix, startService, type TestService } from "../../support.ts"
import { ann, gold, zero } from "../../world.ts"

const at = prefix("43114")
const hour = 3600
const begin = 1_700_000_000 - (1_700_000_000 % hour)

/** Blocks 0 to 9, one an hour; each mints some for ann. */
const chain = new TestChain(new Set(), 0, begin)
for (let block = 0; block < 10; block++)
  chain.block([transfer(gold, zero, ann, BigInt(block + 1))], { time: begin + hour * block })

const lists = [`${at}/erc20/${gold}/supply/history`, `${at}/address/${ann}/tokens/${gold}/balances`]
const prices = `${at}/erc20/${gold}/price/history`
const hourOf = ({ timestamp }: Json): number => (Date.parse(timestamp) / 1000 - begin) / hour
const blockOf = ({ blockNumber }: Json): number => blockNumber

let service: TestService
let writer: LedgerWriter
beforeEach(async () => {
  service = await startService()
  writer = await service.open("43114")
})
afterEach(() => service.close())
const append = (from: number, to: number, finalizedBlock: number) =>
  service.run(writer.append(chain.segment(from, to, { finalizedBlock })))
const recordPrices = async () => {
  for (let at = 0; at < 10; at++) {
    const seen = [{ address: gold, price: BigInt(at + 1) }]
    await service.run(
      TokenPrices.use((port) => port.recordHour(ChainId.make("43114"), begin / hour + at, seen, begin / hour + at + 1)),
    )
  }
}

const pageOf = async (path: string) => {
  const response = await service.fetch(path)
  const body: Json = await response.json()
  return { status: response.status, at: response.headers.get("x-at-block"), body }
}

test("a walk while blocks become final has each row once, and no page names a block below its rows", async () => {
  await append(0, 6, 3)
  await recordPrices()
  const walks = [...lists.map((path) => [path, blockOf] as const), [prices, hourOf] as const]
  const firsts = await Promise.all(walks.map(([path]) => pageOf(`${path}?sort=asc&finality=finalized&limit=2`)))
  await append(7, 9, 8)
  for (const [place, [path, of]] of walks.entries()) {
    const pages = [firsts[place]!]
    for (let next = pages[0]!.body.link.next; next !== undefined; next = pages.at(-1)!.body.link.next)
      pages.push(await pageOf(next))
    expect([path, pages.flatMap(({ body }) => body.items.map(of))]).toEqual([path, [0, 1, 2, 3, 4, 5, 6, 7, 8]])
    expect([path, pages.map((page) => page.at)]).toEqual([path, pages.map(() => null)])
    const back = await pageOf(pages[2]!.body.link.prev)
    expect(back.body.items).toEqual(pages[1]!.body.items)
  }
})

test("of a chain without a final block they are empty, as a feed is", async () => {
  await append(0, 3, -1)
  await recordPrices()
  // What a stablecoin is worth from the first hour on is of no block.
  await service.run(TokenPrices.use((port) => port.recordPegs(ChainId.make("43114"), [gold], [gold])))
  for (const path of [...lists, prices, `${at}/erc20-transfers`]) {
    const { status, body } = await pageOf(`${path}?finality=finalized`)
    expect([path, status, body.items]).toEqual([path, 200, []])
  }
})

test("of a second that is not over a portfolio says nothing: further blocks of it may come", async () => {
  const of = new TestChain(new Set(), 0, begin)
  for (const [block, time] of [0, hour, hour, hour + 1].entries())
    of.block([transfer(gold, zero, ann, BigInt(block + 1))], { time: begin + time })
  const other = await service.open("1")
  const grow = (from: number, finalizedBlock: number) =>
    service.run(other.append(of.segment(from, from, { finalizedBlock })))
  const paths = [prefix("1"), prefix("all")].map(
    (chains) => `${chains}/address/${ann}/portfolio/history?interval=1h&sort=asc`,
  )
  const hoursOf = (query: string) =>
    Promise.all(paths.map(async (path) => (await pageOf(`${path}${query}`)).body.items.map(hourOf)))
  for (const [block, final] of [0, 1, 1, 2].entries()) await grow(block, final)
  expect(await hoursOf("")).toEqual([
    [0, 1],
    [0, 1],
  ])
  expect(await hoursOf("&finality=finalized")).toEqual([[0], [0]])
  of.block([], { time: begin + hour + 2 })
  await grow(4, 3)
  expect(await hoursOf("&finality=finalized")).toEqual([
    [0, 1],
    [0, 1],
  ])
})

test("cursors from when a history had a block of its walk are read: they go on behind their row", async () => {
  await append(0, 9, 8)
  await recordPrices()
  const boundTo = (id: string, range: ReadonlyArray<string>) => {
    const parameters = [["sort", "asc"], ...range.map((name) => [name, null]), ["finality", true]]
    return JSON.stringify([id, "mainnet", "43114", parameters, [["address", gold]]])
  }
  const token = (binding: string, parts: ReadonlyArray<number>) => encodeCursor(binding, "next", parts)
  const supply = boundTo("erc20/supply/history", ["blockNumberFrom", "blockNumberTo"])
  const price = boundTo("erc20/price/history", [])
  const first = await pageOf(`${lists[0]}?sort=asc&finality=finalized&limit=2`)
  // The binding is written as the service writes it.
  expect(first.body.link.nextToken).toBe(token(supply, [1, 0]))
  for (const [path, binding, parts, of] of [
    [lists[0]!, supply, [1, 3, 0], blockOf],
    [prices, price, [begin / hour + 1, 3], hourOf],
  ] as const) {
    const { status, body } = await pageOf(`${path}?sort=asc&finality=finalized&limit=3&next=${token(binding, parts)}`)
    expect([path, status, body.items?.map(of)]).toEqual([path, 200, [2, 3, 4]])
  }
  await service.run(writer.rollback(9))
  await append(9, 9, 8)
  // How often the ledger had been rolled back, they say still.
  const ahead = `${lists[0]}?sort=asc&finality=finalized&next=${token(supply, [1, 3, 7])}`
  expect((await pageOf(ahead)).body.code).toBe("INVALID_CURSOR")
})
