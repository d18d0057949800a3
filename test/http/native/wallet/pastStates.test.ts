/** `x-audit-state` of histories and differences: what the token's figures were worth at the blocks that they are of, not what they are worth now. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { ChainId, zeroAddress as zero } from "../../../../src/model/primitives.ts"
import { AuditStore } from "../../../../src/ports/AuditStore.ts"
import { TestChain, transfer } from "../../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../../support.ts"
import { ann, bob, gold } from "../../world.ts"

const avalanche = ChainId.make("43114")
/** More than a stream reads at a time. */
const blocks = 1100
const balances = `${prefix("43114")}/address/${ann}/tokens/${gold}/balances`
const supply = `${prefix("43114")}/erc20/${gold}/supply/history`
const diff = `${prefix("43114")}/erc20/${gold}/holders/diff`

let service: TestService
const put = async (state: "exact" | "rebasing") => {
  const breadth = { top: 0, recent: 0, places: [] }
  const { value } = await service.run(AuditStore.use((it) => it.sample(avalanche, { tokens: [gold] }, breadth)))
  const record = { state, blockNumber: 4, time: 1_700_000_000, compared: 1, watched: [], differed: { from: 1, to: 3 } }
  await service.run(AuditStore.use((it) => it.record(avalanche, [{ token: value[0]!.token, record }])))
}
beforeAll(async () => {
  service = await startService()
  const chain = new TestChain()
  for (let block = 0; block < blocks; block++) chain.block([transfer(gold, zero, ann, 1n)])
  await store(service, "43114", chain)
  await put("exact")
})
afterAll(() => service.close())

const stateOf = async (path: string, accept = "application/json") => {
  const response = await service.fetch(path, { headers: { accept } })
  await response.body?.cancel()
  return [response.status, response.headers.get("x-audit-state")?.replace("43114:", "")]
}

test.each([balances, supply])("a page has the state of the lowest block that its rows are of: %s", async (path) => {
  expect(await stateOf(`${path}?blockNumberFrom=2&blockNumberTo=2`)).toEqual([200, "drift"])
  expect(await stateOf(`${path}?blockNumberFrom=3&blockNumberTo=5`)).toEqual([200, "drift"])
  expect(await stateOf(`${path}?blockNumberFrom=4`)).toEqual([200, "exact"])
  expect(await stateOf(`${path}?sort=asc&limit=1`)).toEqual([200, "drift"])
  expect(await stateOf(`${path}?limit=1000`)).toEqual([200, "exact"])
  const { body }: { body: Json } = await service.get(`${path}?blockNumberTo=4&limit=1`)
  expect(await stateOf(`${path}?blockNumberTo=4&limit=1`)).toEqual([200, "exact"])
  expect(await stateOf(body.link.next)).toEqual([200, "drift"])
})

test("without rows it is that of the last block that was asked for, or of now", async () => {
  const ofBob = balances.replace(ann, bob)
  expect(await stateOf(`${ofBob}?blockNumberTo=3`)).toEqual([200, "drift"])
  expect(await stateOf(`${ofBob}?blockNumberFrom=1&blockNumberTo=4`)).toEqual([200, "exact"])
  expect(await stateOf(ofBob)).toEqual([200, "exact"])
})

test("a difference has that of the first of its two blocks, where that is not before everything", async () => {
  expect(await stateOf(`${diff}?blockNumberFrom=0&blockNumberTo=2`)).toEqual([200, "drift"])
  expect(await stateOf(`${diff}?blockNumberFrom=3`)).toEqual([200, "drift"])
  expect(await stateOf(`${diff}?blockNumberFrom=4`)).toEqual([200, "exact"])
  expect(await stateOf(`${diff}?blockNumberTo=3`)).toEqual([200, "drift"])
  expect(await stateOf(`${diff}?blockNumberTo=4`)).toEqual([200, "exact"])
  expect(await stateOf(diff)).toEqual([200, "exact"])
})

test.each([
  ["application/x-ndjson", balances],
  ["text/csv", supply],
])("a stream says the worst that may come, before its rows: %s of %s", async (media, path) => {
  const of = async (asked: string) => (await stateOf(asked, media))[1]
  expect(await of(path)).toBe("drift")
  expect(await of(`${path}?sort=asc`)).toBe("drift")
  expect(await of(`${path}?blockNumberFrom=4`)).toBe("exact")
  // What is read before the header goes out is all, or later rows are of later blocks.
  expect(await of(`${path}?limit=10`)).toBe("exact")
  expect(await of(`${path}?sort=asc&timestampFrom=1700000100`)).toBe("exact")
  expect(await of(`${path}?blockNumberTo=3&limit=1`)).toBe("drift")
  expect(await of(`${diff}?blockNumberFrom=3`)).toBe("drift")
  expect(await of(`${diff}?blockNumberTo=3`)).toBe("drift")
  expect(await of(`${diff}?blockNumberFrom=4`)).toBe("exact")
})

test("an answer that is kept, or is the caller's already, has it too, and another once the audit says another", async () => {
  const path = `${balances}?blockNumberFrom=2&blockNumberTo=2`
  const first = await service.fetch(path)
  const again = await service.fetch(path, { headers: { "if-none-match": first.headers.get("etag")! } })
  expect([again.status, again.headers.get("x-audit-state")]).toEqual([304, "43114:drift"])
  expect(await stateOf(path)).toEqual([200, "drift"])
  await put("rebasing")
  expect(await stateOf(path)).toEqual([200, "rebasing"])
})
