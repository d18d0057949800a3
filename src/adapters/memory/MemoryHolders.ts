/** The HolderStore port in memory. */
import { Effect, Layer } from "effect"
import type { HolderKey } from "../../domain/model/holder.ts"
import { HolderStore, type Window } from "../../ports/HolderStore.ts"
import { compareBigInts, compareText, pageOf } from "./rows.ts"
import { balanceOf, holdersOf, MemoryChains, snapshotOf, storedChains, supplyOf } from "./state.ts"

export const layer = Layer.effect(
  HolderStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return HolderStore.of({
      listErc20Holders: ({ chainId, token: address, page, count }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const token = stored[0]?.tokens.get(address)
          const holders = ranked(token).map((holder) => ({ chainId, ...holder }))
          const rows = pageOf(holders, ({ balance, address }) => ({ balance, address }), compareKeys, page)
          return snapshotOf(stored, {
            ...rows,
            ...(token === undefined ? {} : { supply: String(supplyOf(token)) }),
            ...(count ? { count: { count: holders.length, countType: "exact" as const } } : {}),
          })
        }),
      listErc20HolderWindow: (chainId, address, window) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const holders = ranked(stored[0]?.tokens.get(address)).map((holder) => ({ chainId, ...holder }))
          return snapshotOf(stored, cut(holders, window))
        }),
      countErc20Holders: (chainId, address) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          return snapshotOf(stored, holdersOf(stored[0]?.tokens.get(address)).length)
        }),
      findErc20Balance: (chainId, address, holder, blockNumber) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          return snapshotOf(stored, String(balanceOf(stored[0]?.tokens.get(address), holder, blockNumber)))
        }),
      listErc20Holdings: (chainId, holder, window) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const holdings = [...(stored[0]?.tokens.values() ?? [])]
            .map((token) => ({ token, balance: balanceOf(token, holder) }))
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

const ranked = (token: Parameters<typeof holdersOf>[0]) =>
  holdersOf(token)
    .map(({ address, balance }) => ({ address, balance: String(balance) }))
    .sort(compareKeys)

const compareKeys = (a: HolderKey, b: HolderKey): number =>
  compareBigInts(BigInt(b.balance), BigInt(a.balance)) || compareText(a.address, b.address)

const cut = <Row>(rows: ReadonlyArray<Row>, { page, offset }: Window): ReadonlyArray<Row> =>
  rows.slice((page - 1) * offset, page * offset)
