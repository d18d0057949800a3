/** Days of tokens are read in parts of a month: what a token is worth on days without a holding does not hang on where a part ends. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { shapeNames } from "../../../../src/adapters/http/shapes/shapes.ts"
import { ChainId } from "../../../../src/model/primitives.ts"
import { AuditStore } from "../../../../src/ports/AuditStore.ts"
import { TokenPrices } from "../../../../src/ports/TokenPrices.ts"
import { TestChain, transfer } from "../../../support/chain/testChain.ts"
import { type Json, startService, store, type TestService } from "../../support.ts"
import { ann, apes, bob, cid, gold, zero } from "../../world.ts"

const day = 86_400
const begin = 19_700 * day
const bought = 48
/** Each hour has a price of its own. */
const priceIn = (hour: number) => BigInt(hour - begin / 3600 + 1) * 10n ** 18n

let service: TestService
beforeAll(async () => {
  service = await startService({ compatShapes: shapeNames })
  const chain = new TestChain(new Set(), 0, begin)
    .block([transfer(gold, zero, bob, 1n), transfer(apes, zero, bob, 1n)], { time: begin })
    .block([transfer(gold, bob, ann, 1n), transfer(apes, bob, ann, 1n), transfer(gold, cid, zero, 3n)], {
      time: begin + bought * day + day / 2,
    })
    .block([transfer(gold, zero, cid, 10n)], { time: begin + 50 * day })
  const decimals = { name: "Gold", symbol: "AU", decimals: 0 }
  await store(service, "43114", chain, { [gold]: decimals, [apes]: { ...decimals, symbol: "APE" } })
  for (let hour = begin / 3600; hour <= begin / 3600 + 24 * 50; hour++)
    await service.run(
      TokenPrices.use((port) =>
        port.recordHour(ChainId.make("43114"), hour, [{ address: gold, price: priceIn(hour) }], hour + 1),
      ),
    )
})
afterAll(() => service.close())

test("nothing of a token that has a price is worth nothing, of others it is not known", async () => {
  const { body } = await service.get(`/v1/43114/address/${ann}/portfolio_v2/?days=60`)
  const holdingsOf = (token: string): ReadonlyArray<Json> =>
    body.data.items.find((item: Json) => item.contract_address === token).holdings
  const quotesOf = (token: string) => holdingsOf(token).map(({ close }) => [close.balance, close.quote])
  const before = (quote: number | null) => Array.from({ length: bought }, () => ["0", quote])
  expect(quotesOf(gold).slice(51 - bought)).toEqual(before(0))
  expect(quotesOf(apes).slice(51 - bought)).toEqual(before(null))
  // At the end of each day, of the newest at the newest block.
  const rates = Array.from({ length: 51 }, (_, place) =>
    Number(priceIn(begin / 3600 + 24 * Math.min(51 - place, 50)) / 10n ** 18n),
  )
  expect(holdingsOf(gold).map(({ quote_rate }) => quote_rate)).toEqual(rates)
  expect(holdingsOf(apes).map(({ quote_rate }) => quote_rate)).toEqual(rates.map(() => null))
})

test("what is below zero by its events is no figure: it is worth nothing that is known, and the header says so", async () => {
  const chainId = ChainId.make("43114")
  const breadth = { top: 0, recent: 0, places: [] }
  const { value } = await service.run(AuditStore.use((audits) => audits.sample(chainId, { tokens: [gold] }, breadth)))
  const record = {
    state: "exact",
    blockNumber: 2,
    time: begin,
    compared: 1,
    watched: [],
    differed: { from: 1, to: 1 },
  } as const
  await service.run(AuditStore.use((audits) => audits.record(chainId, [{ token: value[0]!.token, record }])))
  const response = await service.fetch(`/v1/43114/address/${cid}/portfolio_v2/?days=60`)
  const body = (await response.json()) as Json
  const [item] = body.data.items
  const quotes = item.holdings.map(({ close }: Json) => [close.balance, close.quote])
  const price = Number(priceIn(begin / 3600 + 24 * 50) / 10n ** 18n)
  expect(quotes.slice(0, 4)).toEqual([
    ["7", 7 * price],
    ["7", 7 * price],
    ["0", null],
    ["0", 0],
  ])
  expect(response.headers.get("x-audit-state")).toBe("43114:drift")
})
