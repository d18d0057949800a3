/** A walk over a difference keeps the block that it began from, whatever the ledger knows of its time by then. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { encodeCursor } from "../../../../src/model/cursor.ts"
import type { LedgerWriter } from "../../../../src/ports/Ledger.ts"
import { TestChain, transfer } from "../../../support/chain/testChain.ts"
import { type Json, prefix, startService, type TestService } from "../../support.ts"
import { ann, bob, cid, gold, zero } from "../../world.ts"

const at = prefix("43114")
const begin = 1_700_000_000
const timeOf = (block: number) => begin + 12 * block
const last = 9
/** Block 5 is empty: only its header tells its time. */
const from = 5
const chain = new TestChain(new Set(), 0, begin)
for (let block = 0; block <= last + 1; block++)
  chain.block(block === from ? [] : [ann, bob, cid].map((to) => transfer(gold, zero, to, 1n)), { time: timeOf(block) })

let service: TestService
let writer: LedgerWriter
beforeEach(async () => {
  service = await startService()
  writer = await service.open("43114")
  await service.run(writer.append(chain.segment(0, last, { finalizedBlock: 2 })))
})
afterEach(() => service.close())
/** Headers below the newest one are dropped. */
const goOn = () => service.run(writer.append(chain.segment(last + 1, last + 1, { finalizedBlock: last + 1 })))

const pageOf = async (path: string) => {
  const response = await service.fetch(path)
  const body: Json = await response.json()
  const blocks = ["x-from-block", "x-at-block"].map((name) => response.headers.get(name))
  return { status: response.status, blocks, body }
}
const path = `${at}/erc20/${gold}/holders/diff?limit=1&timestampFrom=${timeOf(from)}`
const blocks = [`43114:${from}`, `43114:${last}`]
const binding = JSON.stringify([
  ...["erc20/holders/diff", "mainnet", "43114"],
  [
    ["blockNumberFrom", null],
    ["blockNumberTo", null],
    ["timestampFrom", timeOf(from)],
  ],
  [["address", gold]],
])
const tokenOf = (...parts: ReadonlyArray<string | number | null>) => encodeCursor(binding, "next", [ann, ...parts])

test("the pages of a walk are from one block", async () => {
  const first = await pageOf(path)
  await goOn()
  const second = await pageOf(first.body.link.next)
  const back = await pageOf(second.body.link.prev)
  expect([first, second, back].map((page) => page.blocks)).toEqual([blocks, blocks, blocks])
  expect([first, second].map(({ body }) => body.items[0].change)).toEqual(["4", "4"])
  expect(back.body.items).toEqual(first.body.items)
})

test("a walk from before the first block goes on from there", async () => {
  const { body } = await pageOf(`${at}/erc20/${gold}/holders/diff?limit=1&timestampFrom=0`)
  const second = await pageOf(body.link.next)
  expect([second.status, second.blocks, second.body.items[0].change]).toEqual([200, [null, `43114:${last}`], "9"])
})

test("cursors of before, without it, are read; those that no list gave are not", async () => {
  const { nextToken } = (await pageOf(path)).body.link
  // The binding is written as the service writes it.
  expect(nextToken).toBe(tokenOf(last, String(from), 0))
  for (const parts of [[last], [last, 0]]) {
    const { status, blocks: named, body } = await pageOf(`${path}&next=${tokenOf(...parts)}`)
    expect([status, named, body.items[0].address]).toEqual([200, blocks, bob])
  }
  for (const parts of [
    [last, "-2"],
    [last, "05"],
    [last, "9"],
    [last, "4294967296"],
    [last, null],
  ]) {
    const { status, body } = await pageOf(`${path}&next=${tokenOf(...parts)}`)
    expect([parts, status, body.code]).toEqual([parts, 400, "INVALID_CURSOR"])
  }
})
