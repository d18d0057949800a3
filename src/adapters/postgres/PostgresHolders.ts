/** The HolderStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Erc1155HolderKey, Holder, HolderKey } from "../../domain/model/holder.ts"
import type { ChainId } from "../../domain/model/primitives.ts"
import { HolderStore } from "../../ports/HolderStore.ts"
import * as AcrossChains from "./acrossChains.ts"
import { wholeTokenParameters } from "./atBlock.ts"
import { selectBalance, selectFirstTokenId, selectSupply, selectTokenId } from "./balances.ts"
import { type HolderPage, selectHolderCount, selectHolderPage, selectHolderWindow } from "./holders.ts"
import { type HoldingRow, holdingOf, selectHoldings } from "./holdings.ts"
import { cut } from "./page.ts"
import { type PinRow, pinColumn, pinOf } from "./pin.ts"
import { selectUnitPage } from "./units.ts"

export const layer = Layer.effect(
  HolderStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return HolderStore.of({
      list: Effect.fn("PostgresHolders.list")(function* (standard, { chainId, token, page, count, blockNumber }) {
        const none: Read<HolderKey> & { supply?: string } = { page: { rows: [] } }
        const { asOf, value } = yield* across.read(
          [chainId],
          none,
          (sql, [chain]) => {
            const tokenId = selectTokenId(sql, chain, standard, token)
            const supply = selectSupply(sql, chain, tokenId, blockNumber)
            return sql`
            (${selectHolderPage(sql, chain, tokenId, { page, count, blockNumber })}) as page, (${supply})::text as supply
            ${pinColumn(sql, chain, blockNumber, page)}`
          },
          parametersFor(blockNumber),
        )
        const { rows, hasMore } = cut(page, value.page.rows)
        return {
          asOf,
          value: {
            items: rows.map(holderOf(chainId)),
            keys: rows,
            hasMore,
            ...(value.supply === undefined ? {} : { supply: value.supply }),
            ...totalOf(count, value),
            ...pinOf(value.pin),
          },
        }
      }),
      listErc1155: Effect.fn("PostgresHolders.listErc1155")(function* ({ chainId, token, page, count, blockNumber }) {
        const none: Read<Erc1155HolderKey> = { page: { rows: [] } }
        const { asOf, value } = yield* across.read(
          [chainId],
          none,
          (sql, [chain]) => {
            const tokenId = selectTokenId(sql, chain, "erc1155", token)
            return sql`(${selectUnitPage(sql, chain, tokenId, { page, count, blockNumber })}) as page
            ${pinColumn(sql, chain, blockNumber, page)}`
          },
          parametersFor(blockNumber),
        )
        const { rows, hasMore } = cut(page, value.page.rows)
        return {
          asOf,
          value: {
            items: rows.map((row) => ({ chainId, ...row })),
            keys: rows,
            hasMore,
            ...totalOf(count, value),
            ...pinOf(value.pin),
          },
        }
      }),
      listWindow: Effect.fn("PostgresHolders.listWindow")(function* (chainId, token, window, blockNumber) {
        const none: { rows: Array<HolderKey> } = { rows: [] }
        const { asOf, value } = yield* across.read(
          [chainId],
          none,
          (sql, [chain]) => {
            const rows = selectHolderWindow(sql, chain, selectFirstTokenId(sql, chain, token), window, blockNumber)
            return sql`(${rows}) as rows`
          },
          parametersFor(blockNumber),
        )
        return { asOf, value: value.rows.map(holderOf(chainId)) }
      }),
      count: Effect.fn("PostgresHolders.count")(function* (chainId, token, blockNumber) {
        const { asOf, value } = yield* across.read(
          [chainId],
          { total: 0 },
          (sql, [chain]) => {
            const total = selectHolderCount(sql, chain, selectFirstTokenId(sql, chain, token), blockNumber)
            return sql`coalesce((${total}), 0)::int8 as total`
          },
          parametersFor(blockNumber),
        )
        return { asOf, value: value.total }
      }),
      findBalance: Effect.fn("PostgresHolders.findBalance")(function* (chainId, token, holder, blockNumber) {
        const { asOf, value } = yield* across.read([chainId], { balance: "0" }, (sql, [chain]) => {
          const balance = selectBalance(sql, chain, selectFirstTokenId(sql, chain, token), holder, blockNumber)
          return sql`coalesce((${balance}), 0)::text as balance`
        })
        return { asOf, value: value.balance }
      }),
      listHoldings: Effect.fn("PostgresHolders.listHoldings")(
        function* (standard, chainId, holder, window, blockNumber) {
          const none: { rows: Array<HoldingRow> } = { rows: [] }
          const { asOf, value } = yield* across.read(
            [chainId],
            none,
            (sql, [chain]) => sql`(${selectHoldings(sql, chain, standard, holder, window, blockNumber)}) as rows`,
          )
          return { asOf, value: value.rows.map(holdingOf) }
        },
      ),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

const parametersFor = (blockNumber: number | undefined) =>
  blockNumber === undefined ? undefined : wholeTokenParameters

/** What a list's statement gives. */
interface Read<Key> {
  readonly page: HolderPage<Key>
  readonly pin?: PinRow
}

const totalOf = (count: boolean, { page }: Read<unknown>) =>
  count ? { count: { count: page.total ?? 0, countType: "exact" as const } } : {}

const holderOf =
  (chainId: ChainId) =>
  ({ address, balance }: HolderKey): Holder => ({ chainId, address, balance })
