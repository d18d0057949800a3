/** The TokenStore port in memory. */
import { Effect, Layer } from "effect"
import { compareChainIds, dateTimeOf } from "../../domain/model/primitives.ts"
import type { Erc20Token, TokenKey, TokenOfStandard, TokenRecords, TokenSortField } from "../../domain/model/token.ts"
import { TokenStore, type TokensQuery } from "../../ports/TokenStore.ts"
import { compareText, pageOf } from "./rows.ts"
import {
  holdersOf,
  type MemoryChain,
  MemoryChains,
  type MemoryToken,
  snapshotOf,
  storedChains,
  supplyOf,
  tokensAt,
} from "./state.ts"

export const layer = Layer.effect(
  TokenStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return TokenStore.of({
      list: <S extends keyof TokenRecords>({ standard, chains: ids, sort, page, count }: TokensQuery<S>) =>
        Effect.sync(() => {
          const stored = storedChains(chains, ids)
          const tokens = stored.flatMap((chain) =>
            [...chain.tokens.values()]
              .filter((token) => token.standard === standard)
              .map((token) => ({ chain, token })),
          )
          const rows = pageOf(tokens, keyOf(sort.field), comparison(sort.direction), page)
          return snapshotOf(stored, {
            ...rows,
            items: rows.items.map(({ chain, token }) => record(chain, token) as TokenRecords[S]),
            ...(count ? { count: { count: tokens.length, countType: "exact" as const } } : {}),
          })
        }),
      find: (chainId, address) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const chain = stored[0]
          const found = tokensAt(chain, address).flatMap((token): ReadonlyArray<TokenOfStandard> => {
            if (chain === undefined) return []
            const supply = token.standard === "erc1155" ? {} : { supply: supplyText(token) }
            return [{ standard: token.standard, record: record(chain, token), ...supply }]
          })
          return snapshotOf(stored, found)
        }),
    })
  }),
)

const supplyText = (token: MemoryToken): string => {
  const supply = supplyOf(token)
  return String(supply < 0n ? 0n : supply)
}

const record = (chain: MemoryChain, token: MemoryToken): Erc20Token => {
  const { time, txHash } = token.origin ?? {}
  const operation = {
    ...(time === undefined ? {} : { timestamp: dateTimeOf(time) }),
    ...(txHash === undefined ? {} : { txHash }),
  }
  return {
    chainId: chain.settings.chainId,
    address: token.address,
    ...token.description,
    ...(token.standard === "erc20" ? { totalSupply: supplyText(token) } : {}),
    ...(Object.keys(operation).length === 0 ? {} : { createOperation: operation }),
    transfers: {
      last24h: transfersSince(chain, token, 24),
      last48h: transfersSince(chain, token, 48),
      last72h: transfersSince(chain, token, 72),
    },
    holdersCount: holdersOf(token).length,
  }
}

/** Rows younger than the head's time less so many hours. */
const transfersSince = ({ transfers, head }: MemoryChain, token: MemoryToken, hours: number): number =>
  transfers.filter(
    (row) =>
      row.standard === token.standard && row.token === token.address && row.time > (head?.time ?? 0) - hours * 3600,
  ).length

const keyOf =
  (field: TokenSortField) =>
  ({ chain, token }: { chain: MemoryChain; token: MemoryToken }): TokenKey => ({
    value: {
      createdAt: token.origin?.time ?? token.firstTime,
      holdersCount: holdersOf(token).length,
      transfers: transfersSince(chain, token, 24),
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
