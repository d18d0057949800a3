/** Prices as configured: where they come from, and what keeps them. */
import { Effect, Layer, Semaphore } from "effect"
import { makeCoinsApi } from "../adapters/prices/CoinsApi.ts"
import { slugs } from "../adapters/prices/slugs.ts"
import * as RpcPoolDepths from "../adapters/rpc/pools/RpcPoolDepths.ts"
import * as FetchDocuments from "../adapters/web/FetchDocuments.ts"
import type { ChainConfig } from "../config/chainConfig.ts"
import type { Config } from "../config/readConfig.ts"
import type { FollowedLedger } from "../domain/ingest/status/FollowedLedger.ts"
import { endPrices } from "../domain/prices/endPrices.ts"
import { inOrder } from "../domain/prices/inOrder.ts"
import { keepPrices } from "../domain/prices/keepPrices.ts"
import { makeSwapPrices, type PricedChain } from "../domain/prices/swapPrices.ts"
import { oneDollar } from "../model/price.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import { PriceSource } from "../ports/PriceSource.ts"

const pricedChain = ({ chainId, facts, wrappedNative }: ChainConfig): PricedChain => ({
  chainId,
  stablecoins: facts.anchors.map(({ address }) => address),
  wrappedNative: [
    ...new Set([...(facts.wrappedNative === undefined ? [] : [facts.wrappedNative.address]), ...wrappedNative]),
  ],
  factories: facts.factories.map(({ address }) => address),
})

/** Tokens that are never priced: who holds the native currency would be counted twice. */
const unpricedOf = ({ chainId, facts, nativePricedBy }: ChainConfig): ReadonlyArray<readonly [ChainId, Address]> =>
  facts.nativeToken === undefined || nativePricedBy.length === 0 ? [] : [[chainId, facts.nativeToken.address]]

/** The configured sources as one. */
export const pricesOf = ({ chains, priceSources, priceMinDepth, priceUrl: url }: Config) =>
  Layer.effect(
    PriceSource,
    Effect.gen(function* () {
      const swaps = makeSwapPrices(chains.map(pricedChain), { minDepth: BigInt(priceMinDepth) * oneDollar })
      const all = { swaps, http: makeCoinsApi({ url }) }
      const sources = yield* Effect.all(priceSources.map((source) => all[source]))
      return inOrder(sources, new Map(chains.flatMap(unpricedOf)))
    }),
  ).pipe(Layer.provide([FetchDocuments.layer, RpcPoolDepths.layer(chains)]))

/** What an operator may not expect: of which chains a configured source can know no price, and why. A line each. */
export const pricelessOf = ({ chains, priceSources }: Config): ReadonlyArray<string> =>
  chains.flatMap((chain) => {
    const { chainId } = chain
    const fromSwaps = swapsLack(chain)
    return [
      ...(priceSources.includes("swaps") && fromSwaps !== undefined
        ? [`chain ${chainId}: no prices from its own swaps: ${fromSwaps}`]
        : []),
      ...(priceSources.includes("http") && !slugs.has(chainId)
        ? [`chain ${chainId}: no prices over HTTP: the API's name of this chain is not known`]
        : []),
    ]
  })

const swapsLack = ({ chainId, tokens, swaps, facts }: ChainConfig): string | undefined => {
  if (!swaps) return `they are not stored (${tokens === undefined ? "SWAPS" : "TOKENS"}_${chainId})`
  const lacking = (["factories", "anchors"] as const).filter((word) => facts[word].length === 0)
  if (lacking.length === 0) return undefined
  const words = lacking.map((word) => `chains.${chainId}.${word}`)
  return `no ${lacking.join(" and no ")} known; set ${words.join(" and ")} in the file of COWRY_CONFIG`
}

/** Chains whose prices are looked at at once: those who ask come first. */
const chainsAtOnce = 2

/** Says what can have no price. Gives what keeps a chain's prices, or ends those of before where there is no source; it is for who has the chain's ledger open. */
export const priceKeeper = Effect.fn("priceKeeper")(function* (config: Config) {
  const { priceSources, priceIntervalMs: intervalMs, priceHistory: ofPast } = config
  for (const line of pricelessOf(config)) yield* Effect.logInfo(line)
  const turns = yield* Semaphore.make(chainsAtOnce)
  const known = priceSources.includes("http")
  // Without swaps there is nothing to measure by: a stablecoin is a token like any other, and what was said of it stays.
  const measures = priceSources.includes("swaps")
  const anchors = measures ? {} : { stablecoins: [], wrappedNative: [] }
  return (chain: ChainConfig, { birth, nodeTime }: Pick<FollowedLedger, "birth" | "nodeTime">) =>
    priceSources.length === 0
      ? endPrices({ ...pricedChain(chain), intervalMs }, turns)
      : keepPrices(
          {
            ...pricedChain(chain),
            ...anchors,
            measures,
            known,
            wholeSupplies: chain.startBlock === 0,
            ofPast,
            intervalMs,
            birth,
            nodeTime,
          },
          turns,
        )
})
