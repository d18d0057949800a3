/** A currency that is a token too has one price: by its wrapped token, or the token's own. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { Effect } from "effect"
import { HttpResponse, http } from "msw"
import { setupServer } from "msw/node"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { pricesOf } from "../../src/app/prices.ts"
import { readConfig } from "../../src/config/readConfig.ts"
import { type Address, addressOfHex, ChainId } from "../../src/model/primitives.ts"
import { PriceSource } from "../../src/ports/PriceSource.ts"
import { address } from "../support/chain/testChain.ts"

const asked: Array<string> = []
const server = setupServer(
  http.get("https://coins.example/prices/current/:coins", ({ params }) => {
    const names = String(params.coins).split(",")
    asked.push(...names)
    const coin = { price: 0.5, symbol: "C", timestamp: Math.floor(Date.now() / 1000), confidence: 0.99 }
    return HttpResponse.json({ coins: Object.fromEntries(names.map((name) => [name, coin])) })
  }),
)
beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterAll(() => server.close())
beforeEach(() => {
  asked.length = 0
})

const token = address(0xc0)
const polygons = address(0x1010)
const celo = addressOfHex("0x471ece3750da237f93b8e339c536989b8978a438")

test("no source is asked for the token where the currency has its wrapped token's price; else it alone has one", async () => {
  const config = readConfig({
    PRICES: "http",
    PRICE_URL: "https://coins.example",
    RPC_URL_137: "http://node",
    RPC_URL_42220: "http://node",
    WRAPPED_NATIVE_42220: celo,
  })
  if ("problems" in config) throw new Error(config.problems.join("; "))
  expect(config.chains.map(({ nativePricedBy }) => nativePricedBy)).toEqual([
    [addressOfHex("0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270")],
    [],
  ])
  const now = Math.floor(Date.now() / 1000)
  const find = (chainId: string, tokens: ReadonlyArray<Address>) =>
    PriceSource.use((source) => source.find({ chainId: ChainId.make(chainId), tokens, at: now, now, newest: true }))
  const [ofPolygon, ofCelo] = await Effect.runPromise(
    Effect.all([find("137", [polygons, token]), find("42220", [celo, token])]).pipe(
      Effect.provide(pricesOf(config)),
      Effect.provide(MemoryStore.layer),
    ),
  )
  expect([...ofPolygon.quotes.keys()]).toEqual([token])
  expect([...ofCelo.quotes.keys()]).toEqual([celo, token])
  expect(asked).toEqual([`polygon:${token}`, `celo:${celo}`, `celo:${token}`])
})

test("Optimism's and Mantle's tokens that show the currency have no price beside it: the same money would count twice", async () => {
  const legacy = addressOfHex("0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000")
  const wrappedMnt = "0x78c1b0c915c4faa5fffa6cabf0219da63d7f4cb8"
  const config = readConfig({
    PRICES: "http",
    PRICE_URL: "https://coins.example",
    RPC_URL_10: "http://node",
    RPC_URL_5000: "http://node",
    WRAPPED_NATIVE_5000: wrappedMnt,
  })
  if ("problems" in config) throw new Error(config.problems.join("; "))
  expect(config.chains.map(({ nativePricedBy }) => nativePricedBy.map(String))).toEqual([
    ["0x4200000000000000000000000000000000000006"],
    [wrappedMnt],
  ])
  const now = Math.floor(Date.now() / 1000)
  const find = (chainId: string) =>
    PriceSource.use((source) =>
      source.find({ chainId: ChainId.make(chainId), tokens: [legacy, token], at: now, now, newest: true }),
    )
  const found = await Effect.runPromise(
    Effect.all([find("10"), find("5000")]).pipe(Effect.provide(pricesOf(config)), Effect.provide(MemoryStore.layer)),
  )
  expect(found.map(({ quotes }) => [...quotes.keys()])).toEqual([[token], [token]])
  expect(asked).toEqual([`optimism:${token}`, `mantle:${token}`])
})
