/** The HolderStore port in memory. */
import { Effect, Layer } from "effect"
import { type HolderKey, mostRank } from "../../model/holder.ts"
import { countUpTo } from "../../model/page.ts"
import type { Address } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import { HolderStore, type HoldersQuery } from "../../ports/HolderStore.ts"
import { isPartial } from "./audits.ts"
import { balanceOf, holdersOf, supplyOf, unitOf } from "./balances.ts"
import { pinOf } from "./pin.ts"
import { holderList, type RankedList, rankedRows, unitList } from "./ranked.ts"
import { compareBigInts, compareText, cut, pageOf } from "./rows.ts"
import { MemoryChains, snapshotOf, storedChains, tokenOf, tokensAt } from "./state.ts"

export const layer = Layer.effect(
  HolderStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains

    const readList = <Key extends HolderKey>(
      list: RankedList<Key>,
      standard: Standard,
      { chainId, token: address, page, count, ...query }: HoldersQuery<Key>,
      ranked = false,
    ) =>
      Effect.sync(() => {
        const { blockNumber, minBalance, addresses, codes, excludeContracts } = query
        const stored = storedChains(chains, [chainId])
        const token = tokenOf(stored[0], standard, address)
        const isContract = (holder: Address) => stored[0]?.codes.get(holder)?.isContract ?? null
        const keys = rankedRows(list, token, blockNumber)
          .map((key, row) => (ranked && row < mostRank ? { ...key, rank: row + 1 } : key))
          .filter(
            (key) =>
              BigInt(key.balance) >= BigInt(minBalance ?? 0) &&
              (addresses === undefined || addresses.includes(key.address)) &&
              (excludeContracts !== true || isContract(key.address) !== true),
          )
          .map((key) => (codes === true ? { ...key, isContract: isContract(key.address) } : key))
        const rows = pageOf(keys, (key) => key, list.compare, page)
        const items = rows.items.map((key) => ({ chainId, ...key }))
        const isSupplied = token !== undefined && standard !== "erc1155" && !isPartial(stored[0]!, token)
        return snapshotOf(stored, {
          ...rows,
          items,
          keys: items,
          ...(isSupplied ? { supply: String(supplyOf(token, blockNumber)) } : {}),
          ...(count ? { count: countUpTo(keys.length, minBalance === undefined && excludeContracts !== true) } : {}),
          ...pinOf(stored[0], blockNumber, page),
        })
      })

    return HolderStore.of({
      list: (standard, query) => readList(holderList, standard, query, query.rank),
      listErc1155: (query) => readList(unitList, "erc1155", query),
      listWindow: (chainId, address, window, blockNumber) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const keys = rankedRows(holderList, tokensAt(stored[0], address)[0], blockNumber)
          return snapshotOf(
            stored,
            cut(keys, window).map((key) => ({ chainId, ...key })),
          )
        }),
      count: (chainId, address, blockNumber) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          return snapshotOf(stored, holdersOf(tokensAt(stored[0], address)[0], blockNumber).length)
        }),
      findBalance: (chainId, address, holder, blockNumber) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          return snapshotOf(stored, String(balanceOf(tokensAt(stored[0], address)[0], holder, blockNumber)))
        }),
      listUnits: (chainId, address, holder, window, blockNumber) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const token = tokenOf(stored[0], "erc1155", address)
          const units = (token === undefined ? [] : [...token.units.keys()])
            .map((tokenId) => ({ tokenId, balance: unitOf(token!, tokenId, holder, blockNumber) }))
            .filter(({ balance }) => balance > 0n)
            .sort((a, b) => compareBigInts(a.tokenId, b.tokenId))
            .map(({ tokenId, balance }) => ({ tokenId: String(tokenId), balance: String(balance) }))
          return snapshotOf(stored, cut(units, window))
        }),
      listHoldings: (standard, { chainId, holder, window, blockNumber }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const holdings = [...(stored[0]?.tokens.values() ?? [])]
            .filter((token) => token.standard === standard)
            .map((token) => ({ token, balance: balanceOf(token, holder, blockNumber) }))
            .filter(({ balance }) => balance > 0n)
            .sort((a, b) => compareText(a.token.address, b.token.address))
            .map(({ token, balance }) => ({
              tokenAddress: token.address,
              ...token.description,
              balance: String(balance),
            }))
          return snapshotOf(stored, cut(holdings, window))
        }),
    })
  }),
)
