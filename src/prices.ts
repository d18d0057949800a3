/** Prices as configured: where they come from, and what keeps them. */
import { Effect, Layer, Semaphore } from "effect"
import { makeCoinsApi } from "./adapters/prices/CoinsApi.ts"
import * as RpcPoolDepths from "./adapters/rpc/RpcPoolDepths.ts"
import * as FetchDocuments from "./adapters/web/FetchDocuments.ts"
import type { ChainConfig } from "./chainConfig.ts"
import type { Config } from "./config.ts"
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
  ).pipe(Layer.provide([FetchDocuments.layer, RpcPoolDepths.layer(chains)]))

/** Chains whose prices are looked at at once: those who ask come first. */
const chainsAtOnce = 2

/** Never ends. None where prices are off. */
export const keepPricesOf = Effect.fn("keepPricesOf")(function* ({ chains, prices: { sources, intervalMs } }: Config) {
  const turns = yield* Semaphore.make(chainsAtOnce)
  const known = sources.includes("http")
  // Without swaps there is nothing to measure by: a stablecoin is a token like any other.
  const measured = sources.includes("swaps") ? {} : { stablecoins: [], wrappedNative: [] }
  const keep = (chain: ChainConfig) =>
    keepPrices({ ...pricedChain(chain), ...measured, known, wholeSupplies: chain.startBlock === 0, intervalMs }, turns)
  yield* Effect.forEach(sources.length === 0 ? [] : chains, keep, { concurrency: "unbounded", discard: true })
})
