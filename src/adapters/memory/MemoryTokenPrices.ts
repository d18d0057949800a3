/** The TokenPrices port in memory. */
import { Effect, Layer } from "effect"
import { knownDecimals } from "../../domain/prices/decimals.ts"
import { oneDollar } from "../../model/price.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import { type HourPrice, pointHours, TokenPrices } from "../../ports/TokenPrices.ts"
import { holdersOf, supplyOf } from "./balances.ts"
import { erc20s } from "./erc20s.ts"
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
          if (to === undefined || to > gap.to) return
          if (hour > gap.from) chain.priceGaps.set(gap.from, Math.min(to, hour))
          else chain.priceGaps.delete(gap.from)
        }),
      recordPegs: (chainId, stablecoins, pegged) =>
        Effect.sync(() => {
          const chain = stored(chainId)
          if (chain === undefined) return
          const coins = erc20s(chain).filter(
            ({ address, pricePoints }) => stablecoins.includes(address) || pricePoints.has(0),
          )
          const changes = coins.map((token) => putEnds(token, pegged.includes(token.address), chain))
          if (changes.includes(true)) moveLearned(chain)
        }),
    })
  }),
)

const putPoints = (chain: MemoryChain, hour: number, prices: ReadonlyArray<HourPrice>): void => {
  for (const { address, price, stands, yields } of prices) {
    const points = tokenOf(chain, "erc20", address)?.pricePoints
    if (points === undefined || (yields === true && points.has(hour))) continue
    const ends = stands === true ? Infinity : hour + pointHours - 1
    const point = price === undefined ? { price: 0n, untilHour: hour - 1 } : { price, untilHour: ends }
    points.set(hour, point)
  }
  if (prices.length > 0) moveLearned(chain)
}

/** Of a stablecoin where no hour speaks: before the first, and behind the last. True = something changed. */
const putEnds = (
  { pricePoints }: MemoryToken,
  isPegged: boolean,
  { nextPriceHour: next = 0, priceGaps }: MemoryChain,
): boolean => {
  const dollar = { price: oneDollar, untilHour: Infinity }
  const [newest] = [...pricePoints].filter(([hour]) => hour > 0).sort(([a], [b]) => b - a)
  let changed = isPegged !== pricePoints.has(0)
  if (isPegged) pricePoints.set(0, dollar)
  else pricePoints.delete(0)
  if (newest === undefined) return changed
  const [hour, { untilHour }] = newest
  if (isPegged ? untilHour < next : untilHour === Infinity) {
    if (isPegged) pricePoints.set(Math.max(hour + 1, untilHour + 1, ...priceGaps.values()), dollar)
    else if (hour < next) pricePoints.set(hour, { ...dollar, untilHour: next - 1 })
    else pricePoints.delete(hour)
    changed = true
  }
  return changed
}

const decimalsByPools = (chain: MemoryChain, address: Address): number | undefined => {
  for (const { token0, token1, decimals0, decimals1 } of chain.pools.values()) {
    if (token0 === address) return decimals0
    if (token1 === address) return decimals1
  }
  return undefined
}
