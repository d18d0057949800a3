/** The HolderStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Fragment, Sql } from "postgres"
import type { Erc1155HolderKey, Holder, HolderKey } from "../../../../model/holder.ts"
import type { ChainId } from "../../../../model/primitives.ts"
import { HolderStore } from "../../../../ports/HolderStore.ts"
import type { ChainTables } from "../../database/tables.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { wholeTokenParameters } from "../common/atBlock.ts"
import { cut } from "../common/page.ts"
import { type PinRow, pinColumn, pinOf } from "../common/pin.ts"
import { selectBalance, selectFirstTokenId, selectSupply, selectTokenId } from "./balances.ts"
import { type HolderPage, selectHolderPage } from "./holders.ts"
import type { At } from "./holdersAt.ts"
import { type HoldingRow, holdingOf, selectHoldings } from "./holdings.ts"
import { selectUnitPage } from "./units.ts"

export const layer = Layer.effect(
  HolderStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains

    /** `columns` give a `page`. As of a block: by what changed since where that is little, else by all pairs of the token. */
    const readPage = Effect.fnUntraced(function* <Key>(
      chainId: ChainId,
      blockNumber: number | undefined,
      columns: (sql: Sql, chain: ChainTables, at: At | undefined) => Fragment,
    ) {
      const none: Read<Key> = { page: { rows: [] } }
      const read = (at: At | undefined) =>
        across.read<Partial<Read<Key>>>([chainId], {}, (sql, [chain]) => columns(sql, chain, at))
      const near = yield* read(blockNumber === undefined ? undefined : { blockNumber, way: "near" })
      if (blockNumber === undefined || near.asOf.length === 0 || near.value.page !== undefined) {
        return { asOf: near.asOf, value: { ...none, ...near.value } }
      }
      const at: At = { blockNumber, way: "far" }
      return yield* across.read([chainId], none, (sql, [chain]) => columns(sql, chain, at), wholeTokenParameters)
    })

    return HolderStore.of({
      list: Effect.fn("PostgresHolders.list")(function* (standard, { chainId, token, page, count, blockNumber }) {
        const wanted = { place: page, limit: page.limit + 1, count }
        const { asOf, value } = yield* readPage<HolderKey>(chainId, blockNumber, (sql, chain, at) => {
          const tokenId = selectTokenId(sql, chain, standard, token)
          return sql`(${selectHolderPage(sql, chain, tokenId, wanted, at)}) as page,
            (${selectSupply(sql, chain, tokenId, blockNumber)})::text as supply
            ${pinColumn(sql, chain, blockNumber, page)}`
        })
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
        const wanted = { place: page, limit: page.limit + 1, count }
        const { asOf, value } = yield* readPage<Erc1155HolderKey>(chainId, blockNumber, (sql, chain, at) => {
          const tokenId = selectTokenId(sql, chain, "erc1155", token)
          return sql`(${selectUnitPage(sql, chain, tokenId, wanted, at)}) as page
            ${pinColumn(sql, chain, blockNumber, page)}`
        })
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
        const { page, offset: limit } = window
        const wanted = { place: {}, limit, offset: (page - 1) * limit, count: false }
        const { asOf, value } = yield* readPage<HolderKey>(chainId, blockNumber, (sql, chain, at) => {
          const tokenId = selectFirstTokenId(sql, chain, token)
          return sql`(${selectHolderPage(sql, chain, tokenId, wanted, at)}) as page`
        })
        return { asOf, value: value.page.rows.map(holderOf(chainId)) }
      }),
      count: Effect.fn("PostgresHolders.count")(function* (chainId, token, blockNumber) {
        const wanted = { place: {}, limit: 0, count: true }
        const { asOf, value } = yield* readPage<HolderKey>(chainId, blockNumber, (sql, chain, at) => {
          const tokenId = selectFirstTokenId(sql, chain, token)
          return sql`(${selectHolderPage(sql, chain, tokenId, wanted, at)}) as page`
        })
        return { asOf, value: value.page.total ?? 0 }
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

/** What a list's statement gives. */
interface Read<Key> {
  readonly page: HolderPage<Key>
  readonly supply?: string
  readonly pin?: PinRow
}

const totalOf = (count: boolean, { page }: Read<unknown>) =>
  count ? { count: { count: page.total ?? 0, countType: "exact" as const } } : {}

const holderOf =
  (chainId: ChainId) =>
  ({ address, balance }: HolderKey): Holder => ({ chainId, address, balance })
