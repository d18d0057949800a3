/** Feeds that an index gives in order: all transfers of a chain, or of some tokens or ids, within bounds. */
import { Effect } from "effect"
import type { TransfersQuery } from "../../../../ports/TransferStore.ts"
import type { AcrossChains } from "../common/acrossChains.ts"
import { seekOf } from "../common/page.ts"
import { inRange } from "../feed/bounds.ts"
import { transferFeed } from "../feed/feed.ts"
import { selectPositions } from "../feed/positions.ts"
import { countOf, selectCount } from "./count.ts"
import { selectPage, selectRows, selectRowsAt } from "./page.ts"
import type { TransferRow } from "./record.ts"

/** Rows in the order read, one more than the limit if there are. No `from`, `to` or `address`. */
export const readIndexed = Effect.fnUntraced(function* (across: AcrossChains["Service"], query: TransfersQuery) {
  const { standard, chains, filter, page, direction, count, include = [], skip = 0 } = query
  const { key, reading } = seekOf(page, direction)
  const start = key && { key, direction: reading }
  const limit = page.limit + 1
  const none: { rows: Array<TransferRow>; total?: number } = { rows: [] }
  const { asOf, value } = yield* across.read(chains, none, (sql, opened) => {
    const feeds = opened.map((chain) => transferFeed(chain, standard, include, filter.wraps))
    const branches = feeds.map((feed) => {
      const slice = { bounds: inRange(feed, filter, start), direction: reading, limit, skip }
      return filter.tokenAddress === undefined && skip === 0
        ? selectRows(feed, slice)
        : selectRowsAt(feed, selectPositions(feed, filter, slice))
    })
    return sql`(${selectPage(sql, opened, { standard, branches, direction: reading, limit, include, wraps: filter.wraps === true })}) as rows
      ${count ? sql`, (${selectCount(sql, feeds, filter)}) as total` : sql``}`
  })
  return {
    asOf,
    value: { rows: value.rows, ...(count ? { count: countOf(value.total ?? 0, filter) } : {}) },
  }
})
