/** Prices as configured: where they come from, and what keeps them. */
import { Effect, Layer } from "effect"
import { makeCoinsApi } from "./adapters/prices/CoinsApi.ts"
import * as FetchDocuments from "./adapters/web/FetchDocuments.ts"
import type { ChainConfig, Config } from "./config.ts"
import { oneDollar } from "./domain/model/price.ts"
import { inOrder } from "./domain/prices/inOrder.ts"
import { keepPrices } from "./domain/prices/keepPrices.ts"
import { makeSwapPrices, type PricedChain } from "./domain/prices/swapPrices.ts"
import { PriceSource } from "./ports/PriceSource.ts"

const pricedChain = ({ chainId, facts, wrappedNative }: ChainConfig): PricedChain => ({
  chainId,
  stablecoins: facts.anchors.map(({ address }) => address),
  wrappedNative: [
    ...new Set([...(facts.wrappedNative === undefined ? [] : [facts.wrappedNative.address]), ...wrappedNative]),
  ],
  factories: facts.factories.map(({ address }) => address),
})

/** The configured sources as one. */
export const pricesOf = ({ chains, prices: { sources, minDepth, url } }: Config) =>
  Layer.effect(
    PriceSource,
    Effect.gen(function* () {
      const swaps = makeSwapPrices(chains.map(pricedChain), { minDepth: BigInt(minDepth) * oneDollar })
      const all = { swaps, http: makeCoinsApi({ url }) }
      return inOrder(yield* Effect.all(sources.map((source) => all[source])))
    }),
  ).pipe(Layer.provide(FetchDocuments.layer))

/** Never ends. Every chain beside the others; none where prices are off. */
export const keepPricesOf = ({ chains, prices: { sources, intervalMs } }: Config) =>
  Effect.forEach(
    sources.length === 0 ? [] : chains,
    (chain) =>
      keepPrices({
        ...pricedChain(chain),
        known: sources.includes("http"),
        wholeSupplies: chain.startBlock === 0,
        intervalMs,
      }),
    { concurrency: "unbounded", discard: true },
  )
