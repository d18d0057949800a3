/** The SwapStore port in memory. */
import { Effect, Layer } from "effect"
import { countUpTo } from "../../model/page.ts"
import type { StoredSwap, SwapFilter } from "../../model/swap.ts"
import { SwapStore } from "../../ports/SwapStore.ts"
import { feedKeyOf, feedOrder, isInRange, pageOf } from "./rows.ts"
import { type MemoryChain, MemoryChains, snapshotOf, storedChains } from "./state.ts"
import { swapRecord } from "./swaps.ts"

export const layer = Layer.effect(
  SwapStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return SwapStore.of({
      list: ({ chains: ids, filter, direction, page, count }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, ids)
          const matching = stored.flatMap((chain) =>
            chain.swaps
              .filter((row) => isInRange(chain, row, filter))
              .map((row) => ({ chain, row, swap: swapRecord(chain, row) }))
              .filter(({ swap }) => matches(swap, filter) && (filter.trusted !== true || isTrusted(chain, swap))),
          )
          const keyOf = ({ chain, row }: (typeof matching)[number]) => feedKeyOf(chain.settings.chainId, row)
          const rows = pageOf(matching, keyOf, feedOrder(direction), page)
          return snapshotOf(stored, {
            ...rows,
            items: rows.items.map(({ swap }) => swap),
            ...(count ? { count: countUpTo(matching.length, Object.keys(filter).length === 0) } : {}),
          })
        }),
    })
  }),
)

const nativeCurrency = `0x${"0".repeat(40)}`

const isTrusted = ({ notes }: MemoryChain, { tokenIn, tokenOut }: StoredSwap): boolean =>
  [tokenIn, tokenOut].every((token) => token === nativeCurrency || notes.get(token)?.trusted === true)

const matches = ({ tokenIn, tokenOut }: StoredSwap, filter: SwapFilter): boolean =>
  (filter.token === undefined || filter.token.includes(tokenIn) || filter.token.includes(tokenOut)) &&
  (filter.tokenIn?.includes(tokenIn) ?? true) &&
  (filter.tokenOut?.includes(tokenOut) ?? true)
