/** The PriceSource of our own swaps: by the rule of priceOf.ts. */
import { Effect } from "effect"
import { type AnchorWorth, oneDollar, type Quote } from "../../model/price.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { PriceSourceShape } from "../../ports/PriceSource.ts"
import { SwapHistory } from "../../ports/SwapHistory.ts"
import { TokenPrices } from "../../ports/TokenPrices.ts"
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

/** Stretches, in seconds: a pool speaks by the longer one where it does not by the shorter. */
const [hour, day] = [3600, 86_400] as const

/** What tokens are priced against. */
interface Anchors {
  /** Of tokens too. */
  readonly decimals: ReadonlyMap<Address, number>
  readonly worth: ReadonlyMap<Address, AnchorWorth>
  /** Anchors of which nobody can tell now what they are worth. */
  readonly awaited: ReadonlySet<Address>
}

interface Stretch {
  readonly seconds: number
  /** Pools that have spoken, or been judged, already. */
  readonly without: ReadonlyArray<Address>
}

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

    /**
     * Pools of these tokens against these anchors that speak. Tokens wait where a pool cannot be read, or is one
     * against an anchor that waits itself.
     */
    const poolsOf = Effect.fnUntraced(function* (asked: ReadonlyArray<Address>, by: Anchors, stretch: Stretch) {
      const { decimals, worth: anchors, awaited } = by
      const open = asked.filter((token) => decimals.has(token))
      if (open.length === 0 || anchors.size + awaited.size === 0)
        return { pools: [], judged: [], waits: new Set<Address>() }
      const { seconds, without } = stretch
      const question = {
        tokens: open,
        anchors: [...anchors.keys(), ...awaited],
        factories,
        at,
        newest,
        seconds,
        without,
      }
      const histories = yield* history.read(chainId, question)
      const found = yield* truePools(chainId, histories, depths, { decimals, anchors, rule, at, newest })
      const waits = new Set(found.waits)
      for (const { token, anchor } of histories) if (awaited.has(anchor)) waits.add(token)
      return { ...found, waits }
    })

    const quotesOf = Effect.fnUntraced(function* (asked: ReadonlyArray<Address>, by: Anchors) {
      const lately = yield* poolsOf(asked, by, { seconds: hour, without: [] })
      const open = asked.filter((token) => !lately.waits.has(token))
      const without = [...lately.judged, ...lately.pools.map(({ pool }) => pool)]
      const today = yield* poolsOf(open, by, { seconds: day, without })
      const waits = new Set([...lately.waits, ...today.waits])
      const quotes = new Map<Address, Quote>()
      for (const [token, pools] of Map.groupBy([...lately.pools, ...today.pools], ({ token }) => token)) {
        const quote = waits.has(token) ? undefined : priceOf(pools, by.decimals.get(token)!, by.worth, at, rule)
        if (quote !== undefined) quotes.set(token, quote)
      }
      return { quotes, waits }
    })

    /** Stablecoins that the others, at a dollar each, price otherwise: of two that differ, both. */
    const lostPegs = Effect.fnUntraced(function* (decimals: Anchors["decimals"], said: Anchors["worth"]) {
      if (said.size < 2) return { lost: new Set<Address>(), waits: new Set<Address>() }
      const by = { decimals, worth: said, awaited: new Set<Address>() }
      const { pools, waits } = yield* poolsOf([...said.keys()], by, { seconds: day, without: [] })
      const byCoin = Map.groupBy(pools, ({ token }) => token)
      const lost = [...said.keys()].filter((coin) => {
        const quote = priceOf(byCoin.get(coin) ?? [], decimals.get(coin)!, said, at, rule)
        return quote !== undefined && !isDollar(quote.price) && !waits.has(coin)
      })
      return { lost: new Set(lost), waits }
    })

    const answer = Effect.gen(function* () {
      const described = yield* store.describe(chainId, [...new Set([...tokens, ...stablecoins, ...wrappedNative])])
      const decimals = new Map(
        described.flatMap(({ address, decimals }) => (decimals === undefined ? [] : [[address, decimals] as const])),
      )
      const worth = (address: Address, price: bigint): ReadonlyArray<readonly [Address, AnchorWorth]> => {
        const known = decimals.get(address)
        return known === undefined ? [] : [[address, { price, decimals: known }]]
      }
      const said = new Map(stablecoins.flatMap((address) => worth(address, oneDollar)))
      const { lost, waits } = yield* lostPegs(decimals, said)
      const dollars = new Map([...said].filter(([address]) => !lost.has(address) && !waits.has(address)))
      const native = yield* quotesOf(
        wrappedNative.filter((address) => !said.has(address) || lost.has(address)),
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
      for (const address of stablecoins) {
        if (isPegged(address) && !waits.has(address)) quotes.set(address, { price: oneDollar })
      }
      const silent = new Set([...awaited, ...others.waits])
      return silent.size === 0 ? { quotes, silent } : { quotes, silent, waits: silent }
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
