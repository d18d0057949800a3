/** The PriceSource of our own swaps: by the rule of priceOf.ts. */
import { Effect } from "effect"
import { type AnchorWorth, oneDollar, type Quote } from "../../model/price.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { PriceSourceShape } from "../../ports/PriceSource.ts"
import { SwapHistory } from "../../ports/SwapHistory.ts"
import { TokenPrices } from "../../ports/TokenPrices.ts"
import { makeDepths } from "./depths.ts"
import type { PriceRule } from "./priceOf.ts"
import { quotesAt } from "./quotes.ts"

/** What a chain's prices rest on; without stablecoins there are none. */
export interface PricedChain {
  readonly chainId: ChainId
  /** Each is one dollar, while it trades at one. */
  readonly stablecoins: ReadonlyArray<Address>
  readonly wrappedNative: ReadonlyArray<Address>
  /** Pools of these alone are believed. */
  readonly factories: ReadonlyArray<Address>
}

export const makeSwapPrices = Effect.fn("makeSwapPrices")(function* (
  chains: ReadonlyArray<PricedChain>,
  rule: PriceRule,
) {
  const history = yield* SwapHistory
  const store = yield* TokenPrices
  const depthsOf = yield* makeDepths
  const find: PriceSourceShape["find"] = ({ chainId, birth = "", tokens, at, now, newest }) => {
    const chain = chains.find((it) => it.chainId === chainId)
    if (chain === undefined) return Effect.succeed({ quotes: new Map(), silent: new Set() })
    const { stablecoins, wrappedNative, factories } = chain
    const depths = depthsOf({ chainId, birth })
    const { quotesOf, lostPegs } = quotesAt({ history, depths, rule, chainId, factories, at, now, newest })

    const answer = Effect.gen(function* () {
      const described = yield* store.describe(chainId, [...new Set([...tokens, ...stablecoins, ...wrappedNative])])
      const decimals = new Map(
        described.flatMap(({ address, decimals }) => (decimals === undefined ? [] : [[address, decimals] as const])),
      )
      const worth = (address: Address, price: bigint): ReadonlyArray<readonly [Address, AnchorWorth]> => {
        const known = decimals.get(address)
        return known === undefined ? [] : [[address, { price, decimals: known }]]
      }
      const stable = new Map(stablecoins.flatMap((address) => worth(address, oneDollar)))
      const { spoken, lost, doubted, waits } = yield* lostPegs(decimals, stable)
      const dollars = new Map([...stable].filter(([address]) => !lost.has(address) && !waits.has(address)))
      const native = yield* quotesOf(
        wrappedNative.filter((address) => !stable.has(address) || lost.has(address)),
        { decimals, worth: dollars, awaited: waits },
      )
      const anchors = new Map([
        ...dollars,
        ...[...native.quotes].flatMap(([address, { price }]) => worth(address, price)),
      ])
      const awaited = new Set([...waits, ...native.waits])
      const isPegged = (token: Address) => stablecoins.includes(token) && !lost.has(token)
      const others = yield* quotesOf(
        tokens.filter((token) => !isPegged(token) && !wrappedNative.includes(token)),
        { decimals, worth: anchors, awaited },
      )
      const quotes = new Map([...native.quotes, ...others.quotes])
      const pegged = stablecoins.filter((address) => isPegged(address) && !waits.has(address))
      for (const address of pegged) quotes.set(address, { price: oneDollar })
      const assumed = new Set(pegged.filter((address) => !spoken.has(address)))
      const silent = new Set([...awaited, ...others.waits])
      return { quotes, silent, assumed, lost, doubted, ...(silent.size === 0 ? {} : { waits: silent }) }
    })
    return answer.pipe(
      Effect.catch((cause) =>
        Effect.logDebug(`chain ${chainId}: swaps could not be read for prices`, cause).pipe(
          Effect.as({ quotes: new Map<Address, Quote>(), silent: new Set(tokens), waits: new Set(tokens) }),
        ),
      ),
    )
  }
  return { find } satisfies PriceSourceShape
})
