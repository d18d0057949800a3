/** The SwapStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Fragment, Sql } from "postgres"
import { type Count, countCap } from "../../../../model/page.ts"
import type { SwapFilter } from "../../../../model/swap.ts"
import { SwapStore, type SwapsQuery } from "../../../../ports/SwapStore.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { cut, seekOf } from "../common/page.ts"
import { inRange } from "../feed/bounds.ts"
import { swapFeed } from "../feed/feed.ts"
import { listsOf } from "./lists.ts"
import { selectPage, selectRows, selectRowsAt } from "./page.ts"
import { selectNumber, selectPositions } from "./positions.ts"
import { feedKeyOf, type SwapRow, swapOf } from "./record.ts"

export const layer = Layer.effect(
  SwapStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return SwapStore.of({
      list: Effect.fnUntraced(function* ({ chains, filter, direction, page, count }: SwapsQuery) {
        const lists = listsOf(filter)
        const { key, reading } = seekOf(page, direction)
        const start = key && { key, direction: reading }
        const limit = page.limit + 1
        const none: { rows: Array<SwapRow>; total?: number } = { rows: [] }
        const { asOf, value } = yield* across.read(chains, none, (sql, opened) => {
          const branches = opened.map((chain) => {
            const feed = swapFeed(chain)
            const slice = { bounds: inRange(feed, filter, start), direction: reading, limit }
            return lists === undefined
              ? selectRows(chain, slice)
              : selectRowsAt(chain, selectPositions(chain, lists, slice))
          })
          return sql`(${selectPage(sql, opened, { branches, direction: reading, limit })}) as rows
            ${count ? sql`, (${selectTotal(sql, opened, filter)}) as total` : sql``}`
        })
        const { rows, hasMore } = cut(page, value.rows)
        return {
          asOf,
          value: {
            items: rows.map(swapOf),
            keys: rows.map(feedKeyOf),
            hasMore,
            ...(count ? { count: countOf(value.total ?? 0, isKept(filter)) } : {}),
          },
        }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/** Whether the ledger keeps the filter's total: that of all swaps. */
const isKept = (filter: SwapFilter): boolean => Object.values(filter).every((value) => value === undefined)

/** The total that the ledger keeps; of a filter, its rows on each chain, counted a little further than the cap. */
const selectTotal = (sql: Sql, chains: ReadonlyArray<ChainSql>, filter: SwapFilter): Fragment => {
  const lists = listsOf(filter)
  const totals = chains.map((chain) => {
    if (isKept(filter)) return sql`select s.swaps as total from ${chain.state} s`
    const feed = swapFeed(chain)
    const bounds = inRange(feed, filter, undefined)
    if (lists !== undefined) return sql`select (${selectNumber(chain, lists, { bounds, most: countCap })}) as total`
    return sql`select count(*) as total from (
      select from ${chain.swap} t where true ${bounds} order by t.pos limit ${countCap + 1}) counted`
  })
  return sql`select coalesce(sum(total), 0)::int8 from (${unionAll(sql, totals)}) totals`
}

const countOf = (total: number, kept: boolean): Count =>
  kept || total <= countCap ? { count: total, countType: "exact" } : { count: countCap, countType: "lowerBound" }
