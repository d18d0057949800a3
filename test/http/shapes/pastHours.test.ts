/** Of which hours the prices of other services' paths are, where a day or some hours ago are asked: those of the native paths. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { ChainId, zeroAddress as zero } from "../../../src/model/primitives.ts"
import { NativeBalances } from "../../../src/ports/NativeBalances.ts"
import { TokenPrices } from "../../../src/ports/TokenPrices.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { chains, type Json, prefix, startService, store, type TestService } from "../support.ts"
import { ann, gold } from "../world.ts"

const chainId = ChainId.make("43114")
const [wrapped, pegged] = [address(0xb1), address(0xb2)]
/** The beginning of 2023-12-09, in hours. */
const day = 19_700 * 24
const now = Math.floor(Date.now() / 3_600_000)
const dollar = 10n ** 18n

let service: TestService
beforeAll(async () => {
  service = await startService({
    compatShapes: ["sim", "goldrush"],
    chains: chains.map((chain) => ({
      ...chain,
      nativePricedBy: [wrapped, pegged],
      nativeCurrency: { name: "Coin", symbol: "C", decimals: 18 },
    })),
    replace: Layer.succeed(NativeBalances, {
      of: (_, holders) => Effect.succeed(holders.map(() => dollar)),
    }) as unknown as Layer.Layer<never>,
  })
  const given = [gold, wrapped, pegged].map((token) => transfer(token, zero, ann, 1n))
  const chain = new TestChain(new Set(), 0, day * 3600)
  chain.block(given, { time: day * 3600 + 20 * 3600 + 600 })
  chain.block(given, { time: day * 3600 + 24 * 3600 + 300 })
  const words = Object.fromEntries([gold, wrapped, pegged].map((token) => [token, { decimals: 0 }]))
  await store(service, "43114", chain, words)
  const put = (hour: number, token: typeof gold, price: bigint) =>
    service.run(TokenPrices.use((port) => port.recordHour(chainId, hour, [{ address: token, price }], hour + 1)))
  for (const [hour, price] of [
    [20, dollar],
    [23, (dollar * 5n) / 4n],
  ] as const) {
    await put(day + hour, gold, price)
    await put(day + hour, wrapped, 3n * price)
  }
  await put(now - 50, pegged, 7n * dollar)
  await put(now - 6, wrapped, 8n * dollar)
})
afterAll(() => service.close())

test("GoldRush's end of a day has the prices of the native path's, though its last block is of an earlier hour", async () => {
  const { body } = await service.get(`/v1/avalanche-mainnet/address/${ann}/historical_balances/?date=2023-12-09`)
  const query = "standard=native,erc20&timestamp=2023-12-09T23:59:59Z"
  const list = await service.get(`${prefix("43114")}/address/${ann}/tokens?${query}`)
  const told = list.body.items.map((it: Json) => [it.tokenAddress, it.valueUsd === undefined ? null : +it.valueUsd])
  const asked = body.data.items.map((it: Json) => [it.native_token ? undefined : it.contract_address, it.quote])
  expect(Object.fromEntries(asked)).toEqual(Object.fromEntries(told))
  expect(Object.fromEntries(asked)).toEqual({ undefined: 3.75, [gold]: 1.25, [wrapped]: 3.75, [pegged]: null })
  expect(new Set(body.data.items.map((it: Json) => it.block_height))).toEqual(new Set([0]))
})

test("Sim's hours of the native currency have each the price of the first contract that has one then", async () => {
  const { body } = await service.get(`/v1/evm/balances/${ann}?chain_ids=43114&historical_prices=3,48`)
  const [native] = body.balances.filter((it: Json) => it.address === "native")
  expect(native.historical_prices).toEqual([
    { offset_hours: 3, price_usd: 8 },
    { offset_hours: 48, price_usd: 7 },
  ])
})
