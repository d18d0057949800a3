/** The SwapStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Fragment, Sql } from "postgres"
import { type Count, countCap } from "../../../../model/page.ts"
import { SwapStore, type SwapsQuery } from "../../../../ports/SwapStore.ts"
import type { ChainTables } from "../../database/tables.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { cut, placeOf } from "../common/page.ts"
import { boundsOf, type Direction, within } from "../transfers/bounds.ts"
import { orderWord } from "../transfers/table.ts"
import { type Lists, listsOf } from "./lists.ts"
import { selectNumber, selectPositions } from "./positions.ts"
import { feedKeyOf, type SwapRow, selectColumns, selectPage, swapOf } from "./record.ts"

export const layer = Layer.effect(
  SwapStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return SwapStore.of({
      list: Effect.fn("PostgresSwaps.list")(function* ({ chains, filter, direction, page, count }: SwapsQuery) {
        const lists = listsOf(filter)
        const { key, reading } = placeOf(page, direction)
        const place = key && { key, direction: reading }
        const limit = page.limit + 1
        const none: { rows: Array<SwapRow>; total?: number } = { rows: [] }
        const { asOf, value } = yield* across.read(chains, none, (sql, opened) => {
          const branches = opened.map((chain) => {
            const bounds = within(sql, "swap", boundsOf(sql, { chain, standard: "swap", rows: chain.swap }, {}, place))
            return lists === undefined
              ? selectRows(sql, chain, bounds, reading, limit)
              : selectRowsAt(sql, chain, selectPositions(sql, chain, lists, bounds, reading, limit))
          })
          return sql`(${selectPage(sql, opened, branches, reading, limit)}) as rows
            ${count ? sql`, (${selectTotal(sql, opened, lists)}) as total` : sql``}`
        })
        const { rows, hasMore } = cut(page, value.rows)
        return {
          asOf,
          value: {
            items: rows.map(swapOf),
            keys: rows.map(feedKeyOf),
            hasMore,
            ...(count ? { count: countOf(value.total ?? 0, lists) } : {}),
          },
        }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/** One chain's branch of a page: the first `limit` rows of its feed. */
const selectRows = (
  sql: Sql,
  { chainId, swap }: ChainTables,
  bounds: Array<Fragment>,
  direction: Direction,
  limit: number,
): Fragment => sql`(
  select ${chainId}::int8 as chain_id, ${selectColumns(sql)}
  from ${swap} t where true ${bounds} order by t.pos ${orderWord(sql, direction)} limit ${limit})`

/** The rows at `positions`. */
const selectRowsAt = (sql: Sql, { chainId, swap }: ChainTables, positions: Fragment): Fragment => sql`(
  select ${chainId}::int8 as chain_id, here.* from (${positions}) place cross join lateral (
    select ${selectColumns(sql)} from ${swap} t where t.pos = place.pos limit 1
  ) here)`

/** The total that the ledger keeps; of some lists, their rows on each chain, counted a little further than the cap. */
const selectTotal = (
  sql: Sql,
  chains: ReadonlyArray<ChainTables>,
  lists: ReadonlyArray<Lists> | undefined,
): Fragment => {
  const totals = chains.map((chain) =>
    lists === undefined
      ? sql`select s.swaps as total from ${chain.state} s`
      : sql`select (${selectNumber(sql, chain, lists, countCap)}) as total`,
  )
  return sql`select coalesce(sum(total), 0)::int8 from (${AcrossChains.unionAll(sql, totals)}) totals`
}

const countOf = (total: number, lists: ReadonlyArray<Lists> | undefined): Count =>
  lists === undefined || total <= countCap
    ? { count: total, countType: "exact" }
    : { count: countCap, countType: "lowerBound" }
