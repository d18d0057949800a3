/** The PriceSource of our own swaps: by the rule of priceOf.ts. */
import { Effect } from "effect"
import type { SourceUnavailable } from "../../ports/ChainSource.ts"
import type { PriceSourceShape } from "../../ports/PriceSource.ts"
import { SwapHistory } from "../../ports/SwapHistory.ts"
import { TokenPrices } from "../../ports/TokenPrices.ts"
import type { StoreError } from "../model/errors.ts"
import { type AnchorWorth, oneDollar, type Quote } from "../model/price.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import { makeDepths } from "./depths.ts"
import { isDollar } from "./peg.ts"
import { type PriceRule, priceOf } from "./priceOf.ts"
import { truePools } from "./truePools.ts"

/** What a chain's prices rest on; without stablecoins there are none. */
export interface PricedChain {
  readonly chainId: ChainId
  /** Each is one dollar, while it trades at one. */
  readonly stablecoins: ReadonlyArray<Address>
  readonly wrappedNative: ReadonlyArray<Address>
  /** Pools of these alone are believed. */
  readonly factories: ReadonlyArray<Address>
}

/** Stretches, in seconds: the longer one where no pool speaks in the shorter. */
const stretches = [3600, 86_400] as const

export const makeSwapPrices = Effect.fn("makeSwapPrices")(function* (
  chains: ReadonlyArray<PricedChain>,
  rule: PriceRule,
) {
  const history = yield* SwapHistory
  const store = yield* TokenPrices
  const depths = yield* makeDepths
  const find: PriceSourceShape["find"] = ({ chainId, tokens, at, newest }) => {
    const chain = chains.find((it) => it.chainId === chainId)
    if (chain === undefined) return Effect.succeed({ quotes: new Map(), silent: new Set() })
    const { stablecoins, wrappedNative, factories } = chain

    /** Pools of these tokens against these anchors that speak, by token. */
    const poolsOf = Effect.fnUntraced(function* (
      asked: ReadonlyArray<Address>,
      decimals: ReadonlyMap<Address, number>,
      anchors: ReadonlyMap<Address, AnchorWorth>,
      seconds: number,
    ) {
      const question = { tokens: asked, anchors: [...anchors.keys()], factories, at, seconds, newest }
      const histories = yield* history.read(chainId, question)
      const pools = yield* truePools(chainId, histories, depths, { decimals, anchors, rule, at, newest })
      return Map.groupBy(pools, ({ token }) => token)
    })

    const quotesOf = Effect.fnUntraced(function* (
      asked: ReadonlyArray<Address>,
      decimals: ReadonlyMap<Address, number>,
      anchors: ReadonlyMap<Address, AnchorWorth>,
    ) {
      const quotes = new Map<Address, Quote>()
      for (const seconds of stretches) {
        const open = asked.filter((token) => decimals.has(token) && !quotes.has(token))
        if (open.length === 0 || anchors.size === 0) break
        const pools = yield* poolsOf(open, decimals, anchors, seconds)
        for (const [token, histories] of pools) {
          const quote = priceOf(histories, decimals.get(token)!, anchors, at, rule)
          if (quote !== undefined) quotes.set(token, quote)
        }
      }
      return quotes
    })

    /** Stablecoins that the others, at a dollar each, price otherwise: of two that differ, both. */
    const lostPegs = Effect.fnUntraced(function* (
      decimals: ReadonlyMap<Address, number>,
      said: ReadonlyMap<Address, AnchorWorth>,
    ) {
      if (said.size < 2) return new Set<Address>()
      const coins = [...said.keys()]
      const pools = yield* poolsOf(coins, decimals, said, stretches[1])
      return new Set(
        coins.filter((coin) => {
          const quote = priceOf(pools.get(coin) ?? [], decimals.get(coin)!, said, at, rule)
          return quote !== undefined && !isDollar(quote.price)
        }),
      )
    })

    const answer: Effect.Effect<ReadonlyMap<Address, Quote>, StoreError | SourceUnavailable> = Effect.gen(function* () {
      const described = yield* store.describe(chainId, [...new Set([...tokens, ...stablecoins, ...wrappedNative])])
      const decimals = new Map(
        described.flatMap(({ address, decimals }) => (decimals === undefined ? [] : [[address, decimals] as const])),
      )
      const worth = (address: Address, price: bigint): ReadonlyArray<readonly [Address, AnchorWorth]> => {
        const known = decimals.get(address)
        return known === undefined ? [] : [[address, { price, decimals: known }]]
      }
      const said = new Map(stablecoins.flatMap((address) => worth(address, oneDollar)))
      const lost = yield* lostPegs(decimals, said)
      const dollars = new Map([...said].filter(([address]) => !lost.has(address)))
      const natives = yield* quotesOf(
        wrappedNative.filter((address) => !dollars.has(address)),
        decimals,
        dollars,
      )
      const anchors = new Map([...dollars, ...[...natives].flatMap(([address, { price }]) => worth(address, price))])
      const isPegged = (token: Address) => stablecoins.includes(token) && !lost.has(token)
      const others = tokens.filter((token) => !isPegged(token) && !wrappedNative.includes(token))
      const quotes = new Map([...natives, ...(yield* quotesOf(others, decimals, anchors))])
      for (const address of stablecoins) if (isPegged(address)) quotes.set(address, { price: oneDollar })
      return quotes
    })
    return answer.pipe(
      Effect.map((quotes) => ({ quotes, silent: new Set<Address>() })),
      Effect.catch((cause) =>
        Effect.logDebug(`chain ${chainId}: swaps and pools could not be read for prices`, cause).pipe(
          Effect.as({ quotes: new Map<Address, Quote>(), silent: new Set(tokens), waits: true as const }),
        ),
      ),
    )
  }
  return { find } satisfies PriceSourceShape
})
