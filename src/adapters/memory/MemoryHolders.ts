/** The HolderStore port in memory. */
import { Effect, Layer } from "effect"
import type { Erc1155HolderKey, HolderKey } from "../../model/holder.ts"
import { HolderStore } from "../../ports/HolderStore.ts"
import { pinOf } from "./pin.ts"
import { compareBigInts, compareText, cut, pageOf } from "./rows.ts"
import {
  balanceOf,
  holdersOf,
  MemoryChains,
  type MemoryToken,
  snapshotOf,
  storedChains,
  supplyOf,
  tokenOf,
  tokensAt,
  unitOf,
} from "./state.ts"

export const layer = Layer.effect(
  HolderStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return HolderStore.of({
      list: (standard, { chainId, token: address, page, count, blockNumber }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const token = tokenOf(stored[0], standard, address)
          const holders = ranked(token, blockNumber).map((holder) => ({ chainId, ...holder }))
          const rows = pageOf(holders, ({ balance, address }) => ({ balance, address }), compareKeys, page)
          return snapshotOf(stored, {
            ...rows,
            ...(token === undefined ? {} : { supply: String(supplyOf(token, blockNumber)) }),
            ...(count ? { count: { count: holders.length, countType: "exact" as const } } : {}),
            ...pinOf(stored[0], blockNumber, page),
          })
        }),
      listErc1155: ({ chainId, token: address, page, count, blockNumber }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const units = unitsOf(tokenOf(stored[0], "erc1155", address), blockNumber)
          const holders = units.map((unit) => ({ chainId, ...unit }))
          const keyOf = ({ balance, address, tokenId }: Erc1155HolderKey) => ({ balance, address, tokenId })
          return snapshotOf(stored, {
            ...pageOf(holders, keyOf, compareUnitKeys, page),
            ...(count ? { count: { count: holders.length, countType: "exact" as const } } : {}),
            ...pinOf(stored[0], blockNumber, page),
          })
        }),
      listWindow: (chainId, address, window, blockNumber) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const holders = ranked(tokensAt(stored[0], address)[0], blockNumber)
          return snapshotOf(
            stored,
            cut(holders, window).map((holder) => ({ chainId, ...holder })),
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
      listHoldings: (standard, chainId, holder, window, blockNumber) =>
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

const ranked = (token: MemoryToken | undefined, blockNumber: number | undefined) =>
  holdersOf(token, blockNumber)
    .map(({ address, balance }) => ({ address, balance: String(balance) }))
    .sort(compareKeys)

/** Every (address, id) of which the address holds something. */
const unitsOf = (token: MemoryToken | undefined, blockNumber: number | undefined) =>
  [...(token?.units ?? [])].flatMap(([tokenId, balances]) =>
    [...balances.keys()].flatMap((address) => {
      const balance = token === undefined ? 0n : unitOf(token, tokenId, address, blockNumber)
      return balance > 0n ? [{ address, tokenId: String(tokenId), balance: String(balance) }] : []
    }),
  )

const compareKeys = (a: HolderKey, b: HolderKey): number =>
  compareBigInts(BigInt(b.balance), BigInt(a.balance)) || compareText(a.address, b.address)

const compareUnitKeys = (a: Erc1155HolderKey, b: Erc1155HolderKey): number =>
  compareKeys(a, b) || compareBigInts(BigInt(a.tokenId), BigInt(b.tokenId))
