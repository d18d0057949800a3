/** The SwapHistory port in memory. */
import { Effect, Layer } from "effect"
import type { PoolFacts, SwapMovement } from "../../model/event.ts"
import { isManaged } from "../../model/poolKey.ts"
import type { PoolHistory } from "../../model/price.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import { mostDiffering, type WatchedFigure } from "../../ports/AuditStore.ts"
import { type HistoryQuestion, SwapHistory, sampleParts, samplePerPart, samplePools } from "../../ports/SwapHistory.ts"
import { isOlder } from "./audits.ts"
import { balanceOf } from "./balances.ts"
import { compareText } from "./rows.ts"
import { type MemoryChain, MemoryChains, storedChains, tokenOf } from "./state.ts"

export const layer = Layer.effect(
  SwapHistory,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    const stored = (chainId: ChainId) => storedChains(chains, [chainId])[0]
    return SwapHistory.of({
      read: (chainId, question) =>
        Effect.sync(() => {
          const chain = stored(chainId)
          if (chain === undefined) return []
          return question.tokens.flatMap((token) =>
            question.anchors.flatMap((anchor) => (anchor === token ? [] : historiesOf(chain, token, anchor, question))),
          )
        }),
      listSwapped: (chainId, anchors, after, at) =>
        Effect.sync(() => {
          const chain = stored(chainId)
          const met = (chain?.swaps ?? [])
            .filter(({ time }) => time > after && time <= at)
            .flatMap(({ pool }) => {
              const { token0, token1 } = chain!.pools.get(pool)!
              return [...(anchors.includes(token1) ? [token0] : []), ...(anchors.includes(token0) ? [token1] : [])]
            })
          return [...new Set(met)].sort(compareText)
        }),
      findLast: (chainId, at) => Effect.sync(() => stored(chainId)?.swaps.findLast(({ time }) => time <= at)?.time),
      findNext: (chainId, after) => Effect.sync(() => stored(chainId)?.swaps.find(({ time }) => time > after)?.time),
    })
  }),
)

const historiesOf = (
  chain: MemoryChain,
  token: Address,
  anchor: Address,
  question: HistoryQuestion,
): ReadonlyArray<PoolHistory & { readonly token: Address }> => {
  const isOfBoth = ({ token0, token1 }: PoolFacts) =>
    (token0 === token && token1 === anchor) || (token0 === anchor && token1 === token)
  const isAsked = ({ factory }: PoolFacts) => factory !== undefined && question.factories.includes(factory)
  return [...chain.pools.values()]
    .filter((facts) => isOfBoth(facts) && isAsked(facts))
    .flatMap(({ pool, token0 }) => (isManaged(pool) ? [] : [{ pool, token0 }]))
    .slice(0, samplePools)
    .filter(({ pool }) => question.without?.includes(pool) !== true)
    .flatMap(({ pool, token0 }) => {
      const swaps = sampled(
        chain.swaps.filter((swap) => swap.pool === pool),
        question,
      )
      if (swaps.length === 0) return []
      const isDoubtful = mayBeOlder(chain, pool) || isHeldInDoubt(chain, token) || isHeldInDoubt(chain, anchor)
      const heldOf = (address: Address, block?: number) => balanceOf(tokenOf(chain, "erc20", address), pool, block)
      return [
        {
          ...{ token, anchor, pool },
          ...(isDoubtful && { isDoubtful: true as const }),
          held: question.newest ? [heldOf(anchor)] : [],
          swaps: swaps.map(({ blockNumber, logIndex, time, paid0, paid, got }) => {
            const [tokenQty, anchorQty] = paid0 === (token0 === token) ? [paid, got] : [got, paid]
            const [heldToken, heldAnchor] = [heldOf(token, blockNumber), heldOf(anchor, blockNumber)]
            return { blockNumber, logIndex, time, tokenQty, anchorQty, heldToken, heldAnchor }
          }),
        },
      ]
    })
}

const mayBeOlder = (chain: MemoryChain, pool: Address): boolean => {
  const share = tokenOf(chain, "erc20", pool)
  return share === undefined ? chain.settings.firstBlock > 0 : isOlder(chain, share) !== false
}

/** What the pool holds may not be what its events told. The supply alone may be off, or what an issuer has, who gave away what nobody minted. */
const isHeldInDoubt = (chain: MemoryChain, token: Address): boolean => {
  const { state, watched = [] } = tokenOf(chain, "erc20", token)?.audit ?? {}
  if (state !== "drift") return state === "rebasing"
  const differing = watched.filter(({ ledger, node }) => node !== undefined && node !== ledger)
  const isApart = ({ of, ledger }: WatchedFigure) => of === "supply" || (of === "balance" && ledger < 0n)
  return differing.length === 0 || differing.length >= mostDiffering || !differing.every(isApart)
}

/** The newest of each part of the stretch. */
const sampled = (swaps: ReadonlyArray<SwapMovement>, { at, seconds }: HistoryQuestion): ReadonlyArray<SwapMovement> => {
  const length = seconds / sampleParts
  return Array.from({ length: sampleParts }, (_, part) => {
    const from = at - seconds + part * length
    return swaps.filter(({ time }) => time > from && time <= from + length).slice(-samplePerPart)
  }).flat()
}
