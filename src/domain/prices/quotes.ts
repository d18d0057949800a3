/** What the pools of a chain say of its tokens at a time, against anchors of a known worth. */
import { Effect } from "effect"
import { type AnchorWorth, isDollar, type Quote } from "../../model/price.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { SwapHistory } from "../../ports/SwapHistory.ts"
import type { DepthsOf } from "./depths.ts"
import { type PriceRule, priceOf } from "./priceOf.ts"
import { type TokenPool, truePools } from "./truePools.ts"

/** A pool speaks by the longer stretch where it does not by the shorter. */
const [hourSeconds, daySeconds] = [3600, 86_400] as const

/** What tokens are priced against. */
export interface Anchors {
  /** Of tokens too. */
  readonly decimals: ReadonlyMap<Address, number>
  readonly worth: ReadonlyMap<Address, AnchorWorth>
  /** Anchors whose worth cannot be known now. */
  readonly awaited: ReadonlySet<Address>
}

interface Stretch {
  readonly seconds: number
  /** Pools that have spoken, or been judged, already. */
  readonly without: ReadonlyArray<Address>
}

export interface QuoteSettings {
  readonly history: SwapHistory["Service"]
  readonly depths: DepthsOf
  readonly rule: PriceRule
  readonly chainId: ChainId
  /** Pools of these alone are believed. */
  readonly factories: ReadonlyArray<Address>
  /** Seconds. */
  readonly at: number
  /** By the chain, seconds. */
  readonly now: number
  /** `at` is where the ledger stands. */
  readonly newest: boolean
}

export const quotesAt = ({ history, depths, rule, chainId, factories, at, now, newest }: QuoteSettings) => {
  const quoteOf = (token: Address, pools: ReadonlyArray<TokenPool>, { decimals, worth: anchors }: Anchors) =>
    priceOf(pools, { decimals: decimals.get(token)!, anchors, until: at, rule })

  /**
   * Pools of these tokens against these anchors that speak. Tokens wait where a pool cannot be read, or is one
   * against an anchor that waits itself.
   */
  const poolsOf = Effect.fnUntraced(function* (asked: ReadonlyArray<Address>, by: Anchors, stretch: Stretch) {
    const { decimals, worth: anchors, awaited } = by
    const open = asked.filter((token) => decimals.has(token))
    if (open.length === 0 || anchors.size + awaited.size === 0)
      return { pools: [], unproven: [], judged: [], waits: new Set<Address>() }
    const question = { ...stretch, tokens: open, anchors: [...anchors.keys(), ...awaited], factories, at, newest }
    const histories = yield* history.read(chainId, question)
    const found = yield* truePools(histories, depths, { decimals, anchors, rule, at, now, newest })
    const waits = new Set(found.waits)
    for (const { token, anchor } of histories) if (awaited.has(anchor)) waits.add(token)
    return { ...found, waits }
  })

  const quotesOf = Effect.fnUntraced(function* (asked: ReadonlyArray<Address>, by: Anchors) {
    const lately = yield* poolsOf(asked, by, { seconds: hourSeconds, without: [] })
    const open = asked.filter((token) => !lately.waits.has(token))
    const without = [...lately.judged, ...lately.pools.map(({ pool }) => pool)]
    const today = yield* poolsOf(open, by, { seconds: daySeconds, without })
    const waits = new Set([...lately.waits, ...today.waits])
    const quotes = new Map<Address, Quote>()
    for (const [token, pools] of Map.groupBy([...lately.pools, ...today.pools], ({ token }) => token)) {
      const quote = waits.has(token) ? undefined : quoteOf(token, pools, by)
      if (quote !== undefined) quotes.set(token, quote)
    }
    return { quotes, waits }
  })

  /** Of stablecoins at a `dollar` each: `spoken`, those that the others price; `lost`, those that are none by them: of two that differ, both. `doubted`: see PriceAnswer. */
  const lostPegs = Effect.fnUntraced(function* (decimals: Anchors["decimals"], dollars: Anchors["worth"]) {
    const none: ReadonlySet<Address> = new Set()
    if (dollars.size < 2) return { spoken: none, lost: none, doubted: none, waits: none }
    const by = { decimals, worth: dollars, awaited: new Set<Address>() }
    const { pools, unproven, waits } = yield* poolsOf([...dollars.keys()], by, { seconds: daySeconds, without: [] })
    const spoken = new Set<Address>()
    const lost = new Set<Address>()
    // By pools that can be proven no more: they are none to believe, and no silence either.
    const doubted = new Set<Address>()
    const quoteBy = (coin: Address, said: ReadonlyArray<TokenPool>) =>
      quoteOf(
        coin,
        said.filter(({ token }) => token === coin),
        by,
      )
    for (const coin of dollars.keys()) {
      if (waits.has(coin)) continue
      const proven = quoteBy(coin, pools)
      if (proven !== undefined) spoken.add(coin)
      if (proven !== undefined && !isDollar(proven.price)) lost.add(coin)
      if (newest || pools.some(({ token }) => token === coin)) continue
      const unprovenQuote = quoteBy(coin, unproven)
      if (unprovenQuote !== undefined && !isDollar(unprovenQuote.price)) doubted.add(coin)
    }
    return { spoken, lost, doubted, waits }
  })

  return { quotesOf, lostPegs }
}
