/** The TokenStore port in memory. */
import { Effect, Layer } from "effect"
import { compareChainIds } from "../../domain/model/primitives.ts"
import type { Erc20SortField, Erc20Token, TokenKey } from "../../domain/model/token.ts"
import { TokenStore } from "../../ports/TokenStore.ts"
import { compareText, pageOf } from "./rows.ts"
import {
  holdersOf,
  type MemoryChain,
  MemoryChains,
  type MemoryToken,
  snapshotOf,
  storedChains,
  supplyOf,
} from "./state.ts"

export const layer = Layer.effect(
  TokenStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return TokenStore.of({
      listErc20: ({ chains: ids, sort, page, count }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, ids)
          const tokens = stored.flatMap((chain) => [...chain.tokens.values()].map((token) => ({ chain, token })))
          const rows = pageOf(tokens, keyOf(sort.field), comparison(sort.direction), page)
          return snapshotOf(stored, {
            ...rows,
            items: rows.items.map(({ chain, token }) => record(chain, token)),
            ...(count ? { count: { count: tokens.length, countType: "exact" as const } } : {}),
          })
        }),
      findErc20: (chainId, address) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const chain = stored[0]
          const token = chain?.tokens.get(address)
          return snapshotOf(stored, chain && token && record(chain, token))
        }),
    })
  }),
)

const record = ({ settings }: MemoryChain, token: MemoryToken): Erc20Token => {
  const supply = supplyOf(token)
  return {
    chainId: settings.chainId,
    address: token.address,
    ...token.description,
    totalSupply: String(supply < 0n ? 0n : supply),
    holdersCount: holdersOf(token).length,
  }
}

const keyOf =
  (field: Erc20SortField) =>
  ({ chain, token }: { chain: MemoryChain; token: MemoryToken }): TokenKey => ({
    value: {
      createdAt: token.firstTime,
      holdersCount: holdersOf(token).length,
      name: token.description?.name ?? null,
    }[field],
    chainId: chain.settings.chainId,
    address: token.address,
  })

/** Descending: value down, chain and address up. Ascending is the exact reverse, save that absent values stay last. */
const comparison =
  (direction: "asc" | "desc") =>
  (a: TokenKey, b: TokenKey): number => {
    if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1
    const descending =
      compareValues(b.value, a.value) || compareChainIds(a.chainId, b.chainId) || compareText(a.address, b.address)
    return direction === "desc" ? descending : -descending
  }

const compareValues = (a: TokenKey["value"], b: TokenKey["value"]): number =>
  typeof a === "string" && typeof b === "string" ? compareText(a, b) : Number(a) - Number(b)
