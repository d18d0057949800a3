/** Twenty thousand holders at an old block, streamed from PostgreSQL while the head moves: each once, with its true balance. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { address, multiTransfer, TestChain, type TestEvent, transfer } from "../../support/chain/testChain.ts"
import { testSettings } from "../../support/givenServer.ts"
import { type Json, prefix, startService, type TestService } from "../support.ts"

const zero = address(0)
const token = address(0x70)
const base = prefix("43114")
const holder = (number: number) => address(0x10_0000 + number)
const perBlock = 2000
const mintBlocks = 10
const holders = mintBlocks * perBlock
/** Every hundredth gives away what it has. */
const givers = holders / 100
const amountOf = (number: number): bigint => BigInt(1 + ((number * 7919) % 1000)) * 10n ** BigInt(number % 30)

let service: TestService
let writer: LedgerWriter
const chain = new TestChain()
/** The old block. */
const block = mintBlocks

beforeAll(async () => {
  service = await startService({ storeLayer: PostgresStore.layer(await testSettings()) })
  writer = await service.open("43114")
  for (let first = 0; first < holders; first += perBlock) {
    chain.block(
      Array.from({ length: perBlock }, (_, place) =>
        transfer(token, zero, holder(first + place), amountOf(first + place)),
      ),
    )
  }
  const all = Array.from({ length: givers }, (_, place) => place * 100)
  chain.block(all.map((number) => transfer(token, holder(number), holder(number + 1), amountOf(number))))
  // Ids of an ERC-1155 for every fiftieth.
  chain.block(
    Array.from({ length: holders / 50 }, (_, place) =>
      multiTransfer(token, zero, holder(place * 50), [[BigInt(place), 5n]]),
    ),
  )
  await service.run(writer.append(chain.segment(0)))
})
afterAll(() => service.close())

/** Everybody's balance moves in the blocks that come, and somebody is new. */
const grow = async () => {
  const number = chain.nextBlock
  const events: Array<TestEvent> = [transfer(token, zero, holder(500_000 + number), 1n)]
  for (let place = 0; place < 300; place++) {
    const from = (place * 61 + number) % holders
    events.push(transfer(token, holder(from), holder((from + 13) % holders), 0n))
    events.push(transfer(token, zero, holder(from), 3n))
  }
  chain.block(events)
  await service.run(writer.append(chain.segment(number)))
}

const linesOf = async function* (response: Response) {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    yield lines
  }
  expect(rest).toBe("")
}

/** What they held after the block, by the rules of the test alone. */
const truth = () => {
  const held = new Map<string, bigint>()
  for (let number = 0; number < holders; number++) held.set(holder(number), amountOf(number))
  for (let place = 0; place < givers; place++) {
    held.set(holder(place * 100 + 1), amountOf(place * 100) + amountOf(place * 100 + 1))
    held.delete(holder(place * 100))
  }
  return held
}

test("the ledger grows and turns back meanwhile, and the stream is that of the block", async () => {
  const expected = truth()
  const response = await service.fetch(`${base}/erc20/${token}/holders?blockNumber=${block}`, {
    headers: { accept: "application/x-ndjson" },
  })
  expect(response.status).toBe(200)
  let pieces = 0
  let last: Json
  for await (const lines of linesOf(response)) {
    if (++pieces % 4 === 1) await grow()
    if (pieces === 9) {
      await service.run(writer.rollback(block))
      chain.truncate(block)
      chain.block([transfer(token, zero, holder(0), 1n)], { salt: "another" })
      await service.run(writer.append(chain.segment(block)))
    }
    for (const line of lines) {
      const row = JSON.parse(line)
      if (expected.get(row.address) !== BigInt(row.balance))
        throw new Error(`not the balance of ${row.address}: ${line}`)
      if (last !== undefined && BigInt(last.balance) < BigInt(row.balance)) throw new Error(`out of order: ${line}`)
      expected.delete(row.address)
      last = row
    }
  }
  expect([...expected]).toEqual([])
  expect(pieces).toBeGreaterThan(18)
  const now = await service.get(`${base}/erc20/${token}/holders?blockNumber=${block}&limit=1&count=true`)
  expect(now.body.count).toBe(holders)
})

test("units of an ERC-1155 at an old block are those of its pages", async () => {
  for (let blocks = 0; blocks < 2; blocks++) await grow()
  chain.block(
    Array.from({ length: 1200 }, (_, place) => multiTransfer(token, zero, holder(place), [[7n, BigInt(place + 1)]])),
  )
  await service.run(writer.append(chain.segment(chain.nextBlock - 1)))
  const old = chain.nextBlock - 1
  await grow()
  const path = `${base}/erc1155/${token}/holders?blockNumber=${old}`
  const rows: Array<Json> = []
  for await (const lines of linesOf(await service.fetch(path, { headers: { accept: "application/x-ndjson" } }))) {
    rows.push(...lines.map((line) => JSON.parse(line)))
  }
  const pages: Array<Json> = []
  for (let next: string | undefined = `${path}&limit=700`; next !== undefined; ) {
    const { body }: { body: Json } = await service.get(next)
    pages.push(...body.items)
    next = body.link.next
  }
  expect(rows).toEqual(pages)
  expect(rows).toHaveLength(1200)
})
