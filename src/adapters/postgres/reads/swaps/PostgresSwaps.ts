/** The SwapStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Fragment, Sql } from "postgres"
import { countCap, countUpTo } from "../../../../model/page.ts"
import type { SwapFilter } from "../../../../model/swap.ts"
import { SwapStore, type SwapsQuery } from "../../../../ports/SwapStore.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { everywhere, selectShares } from "../common/lists.ts"
import { cut, seekOf } from "../common/page.ts"
import { inRange } from "../feed/bounds.ts"
import { swapFeed } from "../feed/feed.ts"
import { makeKnownPages } from "../feed/knownPages.ts"
import { compareFeedRows } from "../feed/order.ts"
import { withinSteadily } from "../feed/steadyBounds.ts"
import { furtherPage, isSteady } from "./furtherPage.ts"
import { listsOf } from "./lists.ts"
import { pageOrder, selectPage, selectPlaces, selectPlacesAt, selectRows, selectRowsAt } from "./page.ts"
import { selectNumber, selectPositions } from "./positions.ts"
import { feedKeyOf, type SwapRow, swapOf } from "./record.ts"

export const layer = Layer.effect(
  SwapStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    const readKnown = makeKnownPages(across)
    return SwapStore.of({
      list: Effect.fnUntraced(function* ({ chains, filter, direction, page, count }: SwapsQuery) {
        const lists = listsOf(filter)
        const { key, reading } = seekOf(page, direction)
        const start = key && { key, direction: reading }
        const limit = page.limit + 1
        const total = count
          ? (sql: Sql, opened: ReadonlyArray<ChainSql>) => selectTotal(sql, opened, filter)
          : undefined
        const goesOn = start !== undefined && isSteady(filter) && chains.length > 1 && !across.database.distributed()
        const list = goesOn
          ? readKnown(chains, furtherPage({ filter, start, limit, total }))
          : across.list<SwapRow>(chains, {
              question: ["swaps", Object.entries(filter), page, direction],
              limit,
              rows: (chain, most) => {
                const feed = swapFeed(chain)
                const slice = { bounds: inRange(feed, filter, start), direction: reading, limit: most }
                const branch =
                  lists === undefined
                    ? selectRows(chain, slice)
                    : selectRowsAt(chain, selectPositions(chain, { lists, trusted: filter.trusted }, slice))
                return selectPage(chain.sql, [chain], { branches: [branch], direction: reading, limit: most })
              },
              stages: everywhere((sql, opened) => {
                const branches = opened.map((chain) => {
                  const slice = { bounds: withinSteadily(swapFeed(chain), filter, start), direction: reading, limit }
                  return lists === undefined
                    ? selectPlaces(chain, slice)
                    : selectPlacesAt(chain, selectPositions(chain, { lists, trusted: filter.trusted }, slice))
                })
                const order = pageOrder(sql, reading)
                return selectShares(sql, sql`select * from (${unionAll(sql, branches)}) page ${order} limit ${limit}`)
              }),
              total,
              compare: compareFeedRows(reading),
            })
        const { asOf, value } = yield* list
        const { rows, hasMore } = cut(page, value.rows)
        return {
          asOf,
          value: {
            items: rows.map(swapOf),
            keys: rows.map(feedKeyOf),
            hasMore,
            ...(count ? { count: countUpTo(value.total ?? 0, isKept(filter)) } : {}),
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
    if (lists !== undefined)
      return sql`select (${selectNumber(chain, { lists, trusted: filter.trusted }, { bounds, most: countCap })}) as total`
    return sql`select count(*) as total from (
      select from ${chain.swap} t where true ${bounds} order by t.pos limit ${countCap + 1}) counted`
  })
  return sql`select coalesce(sum(total), 0)::int8 from (${unionAll(sql, totals)}) totals`
}
