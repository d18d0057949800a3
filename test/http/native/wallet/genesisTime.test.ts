/** A genesis of 1970, as Ethereum's, is no time of the chain: its history begins with the first block behind it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { shapeNames } from "../../../../src/adapters/http/shapes/shapes.ts"
import { dateTimeOf } from "../../../../src/model/primitives.ts"
import { TestChain, transfer } from "../../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../../support.ts"
import { ann, gold, zero } from "../../world.ts"

const hour = 3600
const day = 24 * hour
/** The beginning of a day, in which its blocks are; five days later the newest one is. */
const begin = 19_700 * day
const last = begin + 5 * day

let service: TestService
beforeAll(async () => {
  service = await startService({ compatShapes: shapeNames })
  const chain = new TestChain(new Set(), 0, 0)
    .block([], { time: 0 })
    .block([transfer(gold, zero, ann, 10n)], { time: begin + hour / 2 })
    .block([transfer(gold, zero, ann, 5n)], { time: last })
  await store(service, "43114", chain)
})
afterAll(() => service.close())

test.each(["43114", "all"])("hours and days of %s", async (chain) => {
  for (const [interval, seconds] of [
    ["1h", hour],
    ["1d", day],
  ] as const) {
    const path = `${prefix(chain)}/address/${ann}/portfolio/history?interval=${interval}&sort=asc&count=true&limit=1`
    const { body } = await service.get(path)
    const first = begin + seconds
    expect([body.items[0].timestamp, body.count]).toEqual([dateTimeOf(first), (last - first) / seconds + 1])
  }
})

test("days as GoldRush's clients ask them", async () => {
  const { body } = await service.get(`/v1/43114/address/${ann}/portfolio_v2/?days=30`)
  const [{ holdings }] = body.data.items
  expect(holdings.map(({ timestamp }: Json) => timestamp)).toEqual(
    [5, 4, 3, 2, 1, 0].map((days) => dateTimeOf(begin + days * day)),
  )
})
