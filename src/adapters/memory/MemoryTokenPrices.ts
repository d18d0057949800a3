/** The TokenPrices port in memory. */
import { Effect, Layer } from "effect"
import { knownDecimals } from "../../domain/prices/decimals.ts"
import { oneDollar } from "../../model/price.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import { type CoinPoints, forEver, type PricedPoint, pointHours, TokenPrices } from "../../ports/TokenPrices.ts"
import { holdersOf, supplyOf } from "./balances.ts"
import { compareText } from "./rows.ts"
import { type MemoryChain, MemoryChains, type MemoryToken, moveLearned, storedChains, tokenOf } from "./state.ts"

export const layer = Layer.effect(
  TokenPrices,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    const stored = (chainId: ChainId) => storedChains(chains, [chainId])[0]
    return TokenPrices.of({
      times: (chainId) =>
        Effect.sync(() => {
          const chain = stored(chainId)
          if (chain?.head === undefined) return undefined
          const { head, headers, finalizedBlock, landmarks } = chain
          const first = landmarks[0]?.time
          const settled = finalizedBlock >= head.number ? head : headers.find(({ number }) => number === finalizedBlock)
          return {
            head: head.time,
            ...(settled === undefined ? {} : { settled: settled.time }),
            ...(first === undefined ? {} : { first }),
          }
        }),
      describe: (chainId, addresses) =>
        Effect.sync(() => {
          const chain = stored(chainId)
          return [...new Set(addresses)].flatMap((address) => {
            const token = tokenOf(chain, "erc20", address)
            if (chain === undefined || token === undefined) return []
            const decimals = knownDecimals(token.description?.decimals, decimalsByPools(chain, address))
            return [{ address, ...(decimals === undefined ? {} : { decimals }), supply: supplyOf(token) }]
          })
        }),
      listPriced: (chainId, limit, after) =>
        Effect.sync(() =>
          erc20s(stored(chainId))
            .filter(({ price, address }) => price !== undefined && (after === undefined || address > after))
            .map(({ address }) => address)
            .sort(compareText)
            .slice(0, limit),
        ),
      listKnown: (chainId, limit) =>
        Effect.sync(() => {
          const chain = stored(chainId)
          const rank = (token: MemoryToken) => [
            chain?.notes.get(token.address)?.trusted ? 1 : 0,
            holdersOf(token).length,
          ]
          return erc20s(chain)
            .map((token) => ({ address: token.address, rank: rank(token) }))
            .sort((a, b) => b.rank[0]! - a.rank[0]! || b.rank[1]! - a.rank[1]! || compareText(a.address, b.address))
            .slice(0, limit)
            .map(({ address }) => address)
        }),
      record: (chainId, tokens) =>
        Effect.sync(() => {
          const chain = stored(chainId)
          if (chain === undefined) return
          let changed = false
          for (const { address, price, marketCap } of tokens) {
            const token = tokenOf(chain, "erc20", address)
            if (token === undefined || (token.price === price && token.marketCap === marketCap)) continue
            changed = true
            delete token.price
            delete token.marketCap
            Object.assign(token, price === undefined ? {} : { price }, marketCap === undefined ? {} : { marketCap })
          }
          if (changed) moveLearned(chain)
        }),
      nextHour: (chainId) => Effect.sync(() => stored(chainId)?.nextPriceHour),
      recordHour: (chainId, hour, prices, nextHour) =>
        Effect.sync(() => {
          const chain = stored(chainId)
          if (chain === undefined) return
          putPoints(chain, hour, prices)
          chain.nextPriceHour = Math.max(chain.nextPriceHour ?? nextHour, nextHour)
        }),
      gaps: (chainId) =>
        Effect.sync(() => {
          const gaps = [...(stored(chainId)?.priceGaps ?? [])].sort(([a], [b]) => b - a)
          const [newest] = gaps.map(([from, to]) => ({ from, to }))
          return { ...(newest && { newest }), hours: gaps.reduce((sum, [from, to]) => sum + to - from, 0) }
        }),
      leap: (chainId, from, to) =>
        Effect.sync(() => {
          const chain = stored(chainId)
          if (chain === undefined || (chain.nextPriceHour ?? -1) >= to) return
          chain.nextPriceHour = to
          if (from < to && !chain.priceGaps.has(from)) chain.priceGaps.set(from, to)
        }),
      recordGapHour: (chainId, gap, hour, prices) =>
        Effect.sync(() => {
          const chain = stored(chainId)
          if (chain === undefined) return
          putPoints(chain, hour, prices)
          const to = chain.priceGaps.get(gap.from)
          if (to !== undefined && hour > gap.from) chain.priceGaps.set(gap.from, Math.min(to, hour))
          if (hour <= gap.from) chain.priceGaps.delete(gap.from)
        }),
      coinPoints: (chainId, tokens, hour, next) =>
        Effect.sync(() =>
          tokens.flatMap((address): ReadonlyArray<CoinPoints> => {
            const token = tokenOf(stored(chainId), "erc20", address)
            if (token === undefined) return []
            const points = [...token.pricePoints]
              .map(([hour, point]) => ({ hour, ...point }))
              .sort((a, b) => a.hour - b.hour)
            const before = points.findLast((point) => point.hour < hour)
            const at = points.find((point) => point.hour === hour)
            const first = points.find((point) => point.hour > 0)?.hour
            return [
              {
                address,
                hasNext: next !== undefined && token.pricePoints.has(next),
                isPegged: token.pricePoints.has(0),
                ...(before && { before }),
                ...(at && { at }),
                ...(first === undefined ? {} : { first }),
              },
            ]
          }),
        ),
      recordPegs: (chainId, pegged, stablecoins = pegged) =>
        Effect.sync(() => {
          const chain = stored(chainId)
          if (chain === undefined) return
          const changed = erc20s(chain).map((token) =>
            putPeg(token, pegged, stablecoins.includes(token.address), (chain.nextPriceHour ?? 0) - 1),
          )
          if (changed.includes(true)) moveLearned(chain)
        }),
    })
  }),
)

const putPoints = (chain: MemoryChain, hour: number, prices: ReadonlyArray<PricedPoint>): void => {
  for (const { address, price, hour: at = hour, untilHour = at + pointHours - 1 } of prices) {
    const token = tokenOf(chain, "erc20", address)
    if (price === undefined) token?.pricePoints.delete(at)
    else token?.pricePoints.set(at, { price, untilHour })
  }
  if (prices.length > 0) moveLearned(chain)
}

/** Whether that changed anything. */
const putPeg = (
  { address, pricePoints }: MemoryToken,
  pegged: ReadonlyArray<Address>,
  isStablecoin: boolean,
  lastHour: number,
): boolean => {
  const isPriced = [...pricePoints.keys()].some((hour) => hour > 0)
  if (!pricePoints.has(0)) {
    if (isPriced || !pegged.includes(address)) return false
    pricePoints.set(0, { price: oneDollar, untilHour: forEver })
    return true
  }
  if (isStablecoin && (isPriced || pegged.includes(address))) return false
  pricePoints.delete(0)
  for (const [hour, { price, untilHour }] of pricePoints)
    if (!isStablecoin && untilHour === forEver) pricePoints.set(hour, { price, untilHour: Math.max(hour, lastHour) })
  return true
}

const erc20s = (chain: MemoryChain | undefined): ReadonlyArray<MemoryToken> =>
  [...(chain?.tokens.values() ?? [])].filter(({ standard }) => standard === "erc20")

const decimalsByPools = (chain: MemoryChain, address: Address): number | undefined => {
  for (const { token0, token1, decimals0, decimals1 } of chain.pools.values()) {
    if (token0 === address) return decimals0
    if (token1 === address) return decimals1
  }
  return undefined
}
