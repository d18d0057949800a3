/** What the log says at the start of chains that can have no prices. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { Effect, Layer, Logger } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { priceKeeper, pricelessOf } from "../../src/app/prices.ts"
import registry from "../../src/config/chains/registry.json" with { type: "json" }
import { knownChain } from "../../src/config/chains/registry.ts"
import { readConfig } from "../../src/config/readConfig.ts"
import { PriceSource } from "../../src/ports/PriceSource.ts"

const configOf = (...given: Parameters<typeof readConfig>) => {
  const config = readConfig(...given)
  if ("problems" in config) throw new Error(config.problems.join("; "))
  return config
}
const linesOf = (...given: Parameters<typeof readConfig>) => pricelessOf(configOf(...given))
const nodes = (...ids: ReadonlyArray<number>) => Object.fromEntries(ids.map((id) => [`RPC_URL_${id}`, "http://node"]))
const [mine, dollar] = [`0x${"ab".repeat(20)}`, `0x${"cd".repeat(20)}`]
const factories = { [mine]: { dex: "Mine", kind: "v2" } } as const
const anchors = { [dollar]: { symbol: "USD" } }
const noSwapPrices = (chainId: number, lack: string, ...words: ReadonlyArray<string>) => {
  const named = words.map((word) => `chains.${chainId}.${word}`).join(" and ")
  return `chain ${chainId}: no prices from its own swaps: ${lack}; set ${named} in the file of COWRY_CONFIG`
}

test("a chain without factories or anchors can have no prices from swaps: a line says what to set", () => {
  const ids = [1, 2020, 11155111, 987654321, 987654322]
  expect(linesOf(nodes(...ids), { 987654322: { factories, anchors } })).toEqual([
    noSwapPrices(2020, "no factories known", "factories"),
    noSwapPrices(11155111, "no anchors known", "anchors"),
    noSwapPrices(987654321, "no factories and no anchors known", "factories", "anchors"),
  ])
})

test("nor can one whose swaps are not stored", () => {
  expect(linesOf({ ...nodes(1, 10), SWAPS_1: "off", TOKENS_10: mine })).toEqual([
    "chain 1: no prices from its own swaps: they are not stored (SWAPS_1)",
    "chain 10: no prices from its own swaps: they are not stored (TOKENS_10)",
  ])
})

test("a chain that the API over HTTP has no name for has none of its prices; without sources nothing is said", () => {
  const given = nodes(1, 11155111)
  const http = "chain 11155111: no prices over HTTP: the API's name of this chain is not known"
  expect(linesOf({ ...given, PRICES: "http" })).toEqual([http])
  expect(linesOf({ ...given, PRICES: "http,swaps" })).toEqual([
    noSwapPrices(11155111, "no anchors known", "anchors"),
    http,
  ])
  expect(linesOf({ ...given, PRICES: "off" })).toEqual([])
})

test("they are said once, before any chain's prices are kept", async () => {
  const config = configOf({ ...nodes(11155111, 987654321), PRICES: "swaps,http" })
  const logs: Array<string> = []
  const store = Layer.merge(
    MemoryStore.layer,
    Layer.mock(PriceSource, { find: () => Effect.die("no chain is stored: nobody asks") }),
  )
  const logger = Logger.layer([Logger.make(({ message, logLevel }) => logs.push(`${logLevel} ${String(message)}`))])
  await Effect.runPromise(priceKeeper(config).pipe(Effect.provide(store), Effect.provide(logger)))
  expect(logs).toEqual(pricelessOf(config).map((line) => `Info ${line}`))
})

test("docs/operations.md names the main chains of which no factories are known", () => {
  const page = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8").replaceAll(/\s+/gu, " ")
  const names = Object.keys(registry.chains)
    .map((chainId) => knownChain(chainId))
    .filter(({ defaults, facts }) => defaults.NETWORK !== "testnet" && facts.factories.length === 0)
    .map(({ facts }) => facts.name)
  expect(page).toContain(`no factories of ${names.slice(0, -1).join(", ")} and ${names.at(-1)}, and no anchors of`)
})
