/** Feeds that an index gives in order: all transfers of a chain, or of some tokens or ids, within bounds. */
import { Effect } from "effect"
import type { Fragment, Sql } from "postgres"
import type { TransfersQuery } from "../../../../ports/TransferStore.ts"
import type { AcrossChains } from "../common/acrossChains.ts"
import { placeOf } from "../common/page.ts"
import { boundsOf, type Direction, within } from "./bounds.ts"
import { countOf, selectCount } from "./count.ts"
import { selectPositions } from "./positions.ts"
import { selectColumns, selectPage, selectRowsAt, type TransferRow } from "./record.ts"
import { type FeedTable, feedTable, orderOf } from "./table.ts"

/** Rows in the order read, one more than the limit if there are. No `from`, `to` or `address`. */
export const readFeed = Effect.fnUntraced(function* (across: AcrossChains["Service"], query: TransfersQuery) {
  const { standard, chains, filter, page, direction, count } = query
  const { key, reading } = placeOf(page, direction)
  const place = key && { key, direction: reading }
  const limit = page.limit + 1
  const none: { rows: Array<TransferRow>; total?: number } = { rows: [] }
  const { asOf, value } = yield* across.read(chains, none, (sql, opened) => {
    const feeds = opened.map((chain) => feedTable(chain, standard))
    const branches = feeds.map((feed) => {
      const bounds = within(sql, standard, boundsOf(sql, feed, filter, place))
      return filter.tokenAddress === undefined
        ? selectRows(sql, feed, bounds, reading, limit)
        : selectRowsAt(sql, feed, selectPositions(sql, feed, filter, bounds, reading, limit))
    })
    return sql`(${selectPage(sql, feeds, branches, reading, limit)}) as rows
      ${count ? sql`, (${selectCount(sql, feeds, filter)}) as total` : sql``}`
  })
  return {
    asOf,
    value: { rows: value.rows, ...(count ? { count: countOf(value.total ?? 0, filter) } : {}) },
  }
})

/** One chain's branch of a page: the first `limit` rows of its feed. */
const selectRows = (
  sql: Sql,
  feed: FeedTable,
  bounds: Array<Fragment>,
  direction: Direction,
  limit: number,
): Fragment => sql`(
  select ${feed.chain.chainId}::int8 as chain_id, ${selectColumns(sql, feed)}
  from ${feed.rows} t where true ${bounds} order by ${orderOf(sql, feed, "t", direction)} limit ${limit})`
