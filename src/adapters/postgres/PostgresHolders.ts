/** The HolderStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Erc1155HolderKey, Holder, HolderKey } from "../../domain/model/holder.ts"
import type { ChainId } from "../../domain/model/primitives.ts"
import { HolderStore } from "../../ports/HolderStore.ts"
import * as AcrossChains from "./acrossChains.ts"
import { selectBalance, selectFirstTokenId, selectSupply, selectTokenId } from "./balances.ts"
import { selectHolderCount, selectHolders, selectHolderWindow } from "./holders.ts"
import { type HoldingRow, holdingOf, selectHoldings } from "./holdings.ts"
import { cut } from "./page.ts"
import { selectUnitCount, selectUnits } from "./units.ts"

export const layer = Layer.effect(
  HolderStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return HolderStore.of({
      list: Effect.fn("PostgresHolders.list")(function* (standard, { chainId, token, page, count }) {
        const none: { rows: Array<HolderKey>; supply?: string; total?: number } = { rows: [] }
        const { asOf, value } = yield* across.read([chainId], none, (sql, [chain]) => {
          const tokenId = selectTokenId(sql, chain, standard, token)
          return sql`
            (${selectHolders(sql, chain, tokenId, page)}) as rows, (${selectSupply(sql, chain, tokenId)})::text as supply
            ${count ? sql`, coalesce((${selectHolderCount(sql, chain, tokenId)}), 0) as total` : sql``}`
        })
        const { rows, hasMore } = cut(page, value.rows)
        return {
          asOf,
          value: {
            items: rows.map(holderOf(chainId)),
            keys: rows,
            hasMore,
            ...(value.supply === undefined ? {} : { supply: value.supply }),
            ...(count ? { count: { count: value.total ?? 0, countType: "exact" as const } } : {}),
          },
        }
      }),
      listErc1155: Effect.fn("PostgresHolders.listErc1155")(function* ({ chainId, token, page, count }) {
        const none: { rows: Array<Erc1155HolderKey>; total?: number } = { rows: [] }
        const { asOf, value } = yield* across.read([chainId], none, (sql, [chain]) => {
          const tokenId = selectTokenId(sql, chain, "erc1155", token)
          return sql`(${selectUnits(sql, chain, tokenId, page)}) as rows
            ${count ? sql`, coalesce((${selectUnitCount(sql, chain, tokenId)}), 0) as total` : sql``}`
        })
        const { rows, hasMore } = cut(page, value.rows)
        return {
          asOf,
          value: {
            items: rows.map((row) => ({ chainId, ...row })),
            keys: rows,
            hasMore,
            ...(count ? { count: { count: value.total ?? 0, countType: "exact" as const } } : {}),
          },
        }
      }),
      listWindow: Effect.fn("PostgresHolders.listWindow")(function* (chainId, token, window) {
        const none: { rows: Array<HolderKey> } = { rows: [] }
        const { asOf, value } = yield* across.read([chainId], none, (sql, [chain]) => {
          const rows = selectHolderWindow(sql, chain, selectFirstTokenId(sql, chain, token), window)
          return sql`(${rows}) as rows`
        })
        return { asOf, value: value.rows.map(holderOf(chainId)) }
      }),
      count: Effect.fn("PostgresHolders.count")(function* (chainId, token) {
        const { asOf, value } = yield* across.read([chainId], { total: 0 }, (sql, [chain]) => {
          const total = selectHolderCount(sql, chain, selectFirstTokenId(sql, chain, token))
          return sql`coalesce((${total}), 0) as total`
        })
        return { asOf, value: value.total }
      }),
      findBalance: Effect.fn("PostgresHolders.findBalance")(function* (chainId, token, holder, blockNumber) {
        const { asOf, value } = yield* across.read([chainId], { balance: "0" }, (sql, [chain]) => {
          const balance = selectBalance(sql, chain, selectFirstTokenId(sql, chain, token), holder, blockNumber)
          return sql`coalesce((${balance}), 0)::text as balance`
        })
        return { asOf, value: value.balance }
      }),
      listHoldings: Effect.fn("PostgresHolders.listHoldings")(function* (standard, chainId, holder, window) {
        const none: { rows: Array<HoldingRow> } = { rows: [] }
        const { asOf, value } = yield* across.read(
          [chainId],
          none,
          (sql, [chain]) => sql`(${selectHoldings(sql, chain, standard, holder, window)}) as rows`,
        )
        return { asOf, value: value.rows.map(holdingOf) }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

const holderOf =
  (chainId: ChainId) =>
  ({ address, balance }: HolderKey): Holder => ({ chainId, address, balance })
