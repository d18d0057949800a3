/** The TokenStore port in memory. */
import { Effect, Layer } from "effect"
import type { Rows } from "../../model/page.ts"
import { type Address, type ChainId, compareChainIds, dateTimeOf } from "../../model/primitives.ts"
import type { Erc20Token, TokenKey, TokenOfStandard, TokenRecords } from "../../model/token.ts"
import { type OneToken, type TokenSearch, TokenStore, type TokensQuery } from "../../ports/TokenStore.ts"
import type { TrustedSortField, TrustedTokensQuery } from "../../ports/TrustedTokens.ts"
import { isPartial } from "./audits.ts"
import { holdersOf, supplyOf } from "./balances.ts"
import { compareBigInts, compareText, pageOf } from "./rows.ts"
import { foundTokens } from "./search.ts"
import {
  type FeedRow,
  type MemoryChain,
  MemoryChains,
  type MemoryToken,
  snapshotOf,
  storedChains,
  tokenOf,
  tokensAt,
} from "./state.ts"

export const layer = Layer.effect(
  TokenStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return TokenStore.of({
      list: <S extends keyof TokenRecords>({ standard, chains: ids, ...query }: TokensQuery<S>) =>
        Effect.sync(() => {
          const stored = storedChains(chains, ids)
          return snapshotOf(
            stored,
            pageOfTokens<TokenRecords[S]>(stored, (_, token) => token.standard === standard, query),
          )
        }),
      search: <S extends keyof TokenRecords>({ chains: ids, ...query }: TokenSearch<S>) =>
        Effect.sync(() => {
          const stored = storedChains(chains, ids)
          const { items, ...rows } = foundTokens(stored, query)
          const records = items.map(({ chain, token }) => tokenRecord(chain, token, isSupplyKnown(chain, token)))
          return snapshotOf(stored, { ...rows, items: records as ReadonlyArray<TokenRecords[S]> })
        }),
      findOne: <S extends keyof TokenRecords>(standard: S, chainId: ChainId, address: Address) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const chain = stored[0]
          const token = tokenOf(chain, standard, address)
          if (chain === undefined || token === undefined) return snapshotOf(stored, undefined)
          const note = chain.notes.get(address)
          const rows = chain.transfers
            .filter((row) => row.standard === standard && row.token === address)
            .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
          const [first, last] = [rows[0], rows.at(-1)]
          const one: OneToken<S> = {
            record: tokenRecord(chain, token, isSupplyKnown(chain, token)) as TokenRecords[S],
            transfers: rows.length,
            ...(note === undefined ? {} : { note }),
            ...(first === undefined ? {} : { first: transferPlace(first) }),
            ...(last === undefined ? {} : { last: transferPlace(last) }),
          }
          return snapshotOf(stored, one)
        }),
      find: (chainId, address) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const chain = stored[0]
          const note = chain?.notes.get(address)
          const found = tokensAt(chain, address).flatMap((token): ReadonlyArray<TokenOfStandard> => {
            if (chain === undefined) return []
            const supply = token.standard === "erc1155" ? {} : { supply: supplyText(token) }
            return [
              {
                standard: token.standard,
                record: tokenRecord(chain, token),
                isDescribed: token.description !== undefined,
                ...supply,
                ...(note === undefined ? {} : { note }),
              },
            ]
          })
          return snapshotOf(stored, found)
        }),
    })
  }),
)

const transferPlace = ({ blockNumber, txHash, logIndex, time }: FeedRow) => ({
  blockNumber,
  txHash,
  logIndex,
  timestamp: dateTimeOf(time),
})

/** A page of the tokens that pass, sorted. */
export const pageOfTokens = <Record extends TokenRecords[keyof TokenRecords]>(
  stored: ReadonlyArray<MemoryChain>,
  passes: (chain: MemoryChain, token: MemoryToken) => boolean,
  { sort, page, count, addresses }: Pick<TrustedTokensQuery, "sort" | "page" | "count" | "addresses">,
): Rows<Record, TokenKey> => {
  const tokens = stored.flatMap((chain) =>
    [...chain.tokens.values()]
      .filter((token) => passes(chain, token) && (addresses?.includes(token.address) ?? true))
      .map((token) => ({ chain, token })),
  )
  const rows = pageOf(tokens, keyOf(sort.field), comparison(sort), page)
  return {
    ...rows,
    items: rows.items.map(({ chain, token }) => tokenRecord(chain, token, isSupplyKnown(chain, token)) as Record),
    ...(count ? { count: { count: tokens.length, countType: "exact" as const } } : {}),
  }
}

const supplyText = (token: MemoryToken): string => {
  const supply = supplyOf(token)
  return String(supply < 0n ? 0n : supply)
}

export const tokenRecord = (chain: MemoryChain, token: MemoryToken, supplied = true): Erc20Token => {
  const { time, txHash } = token.origin ?? {}
  const operation = {
    ...(time === undefined ? {} : { timestamp: dateTimeOf(time) }),
    ...(txHash === undefined ? {} : { txHash }),
  }
  return {
    chainId: chain.settings.chainId,
    address: token.address,
    ...token.description,
    ...(supplied && token.standard === "erc20" ? { totalSupply: supplyText(token) } : {}),
    ...(token.price === undefined ? {} : { price: String(token.price) }),
    ...(!supplied || token.marketCap === undefined ? {} : { marketCap: String(token.marketCap) }),
    ...(Object.keys(operation).length === 0 ? {} : { createOperation: operation }),
    transfers: {
      last24h: transfersSince(chain, token, 24),
      last48h: transfersSince(chain, token, 48),
      last72h: transfersSince(chain, token, 72),
    },
    holdersCount: holdersOf(token).length,
  }
}

const isSupplyKnown = (chain: MemoryChain, token: MemoryToken): boolean => !isSuspect(token) && !isPartial(chain, token)

/** Lists ask no contract: of a supply in doubt they say nothing. */
export const isSuspect = ({ audit }: MemoryToken): boolean => audit?.state === "drift" || audit?.state === "rebasing"

/** Rows younger than the head's time less so many hours. */
const transfersSince = ({ transfers, head }: MemoryChain, token: MemoryToken, hours: number): number =>
  transfers.filter(
    (row) =>
      row.standard === token.standard && row.token === token.address && row.time > (head?.time ?? 0) - hours * 3600,
  ).length

const keyOf =
  (field: TrustedSortField) =>
  ({ chain, token }: { chain: MemoryChain; token: MemoryToken }): TokenKey => ({
    value: {
      createdAt: token.origin?.time ?? token.firstTime,
      holdersCount: holdersOf(token).length,
      transfers: transfersSince(chain, token, 24),
      name: token.description?.name ?? null,
      marketCap: token.marketCap === undefined ? holdersOf(token).length : String(token.marketCap),
    }[field],
    chainId: chain.settings.chainId,
    address: token.address,
  })

/** Descending: value down, chain and address up. Ascending is the exact reverse, save that absent values stay last. */
const comparison =
  ({ field, direction }: TrustedTokensQuery["sort"]) =>
  (a: TokenKey, b: TokenKey): number => {
    if (isAbsent(field, a) !== isAbsent(field, b)) return isAbsent(field, a) ? 1 : -1
    const descending =
      compareValues(field, b.value, a.value) ||
      compareChainIds(a.chainId, b.chainId) ||
      compareText(a.address, b.address)
    return direction === "desc" ? descending : -descending
  }

const isAbsent = (field: TrustedSortField, { value }: TokenKey): boolean =>
  value === null || (field === "marketCap" && typeof value === "number")

const compareValues = (field: TrustedSortField, a: TokenKey["value"], b: TokenKey["value"]): number => {
  if (typeof a !== "string" || typeof b !== "string") return Number(a) - Number(b)
  return field === "marketCap" ? compareBigInts(BigInt(a), BigInt(b)) : compareText(a, b)
}
