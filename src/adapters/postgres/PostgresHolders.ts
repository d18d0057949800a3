/** The HolderStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Holder, HolderKey, Holding } from "../../domain/model/holder.ts"
import type { Address, ChainId } from "../../domain/model/primitives.ts"
import { HolderStore } from "../../ports/HolderStore.ts"
import * as AcrossChains from "./acrossChains.ts"
import { selectBalance, selectSupply, selectTokenId } from "./balances.ts"
import { selectHolderCount, selectHolders, selectHolderWindow, selectHoldings } from "./holders.ts"
import { cut } from "./page.ts"

type HolderRow = HolderKey
interface HoldingRow {
  readonly address: Address
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
  readonly balance: string
}

export const layer = Layer.effect(
  HolderStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return HolderStore.of({
      listErc1155: () => Effect.die("to do"),
      list: Effect.fn("PostgresHolders.list")(function* (_standard, { chainId, token, page, count }) {
        const none: { rows: Array<HolderRow>; supply?: string; total?: number } = { rows: [] }
        const { asOf, value } = yield* across.read(
          [chainId],
          none,
          (sql, [chain]) => sql`
            (${selectHolders(sql, chain, token, page)}) as rows, (${selectSupply(sql, chain, token)})::text as supply
            ${count ? sql`, coalesce((${selectHolderCount(sql, chain, token)}), 0) as total` : sql``}`,
        )
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
      listWindow: Effect.fn("PostgresHolders.listWindow")(function* (chainId, token, window) {
        const none: { rows: Array<HolderRow> } = { rows: [] }
        const { asOf, value } = yield* across.read(
          [chainId],
          none,
          (sql, [chain]) => sql`(${selectHolderWindow(sql, chain, token, window)}) as rows`,
        )
        return { asOf, value: value.rows.map(holderOf(chainId)) }
      }),
      count: Effect.fn("PostgresHolders.count")(function* (chainId, token) {
        const { asOf, value } = yield* across.read(
          [chainId],
          { total: 0 },
          (sql, [chain]) => sql`coalesce((${selectHolderCount(sql, chain, token)}), 0) as total`,
        )
        return { asOf, value: value.total }
      }),
      findBalance: Effect.fn("PostgresHolders.findBalance")(function* (chainId, token, holder, blockNumber) {
        const { asOf, value } = yield* across.read([chainId], { balance: "0" }, (sql, [chain]) => {
          const balance = selectBalance(sql, chain, selectTokenId(sql, chain, token), holder, blockNumber)
          return sql`coalesce((${balance}), 0)::text as balance`
        })
        return { asOf, value: value.balance }
      }),
      listHoldings: Effect.fn("PostgresHolders.listHoldings")(function* (_standard, chainId, holder, window) {
        const none: { rows: Array<HoldingRow> } = { rows: [] }
        const { asOf, value } = yield* across.read(
          [chainId],
          none,
          (sql, [chain]) => sql`(${selectHoldings(sql, chain, holder, window)}) as rows`,
        )
        return { asOf, value: value.rows.map(holdingOf) }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

const holderOf =
  (chainId: ChainId) =>
  ({ address, balance }: HolderRow): Holder => ({ chainId, address, balance })

const holdingOf = ({ address, name, symbol, decimals, balance }: HoldingRow): Holding => ({
  tokenAddress: address,
  ...(name === null ? {} : { name }),
  ...(symbol === null ? {} : { symbol }),
  ...(decimals === null ? {} : { decimals }),
  balance,
})
