/** Feeds that an index gives in order: all transfers of a chain, or of some tokens, within bounds. */
import { Effect } from "effect"
import type { Fragment, Sql } from "postgres"
import type { TransfersQuery } from "../../../ports/TransferStore.ts"
import type { AcrossChains } from "../acrossChains.ts"
import { placeOf } from "../page.ts"
import type { ChainTables } from "../tables.ts"
import { boundsOf, type Direction, within } from "./bounds.ts"
import { countOf, selectCount } from "./count.ts"
import { orderWord, selectPositions } from "./positions.ts"
import { selectPage, selectRowsAt, type TransferRow } from "./record.ts"

/** Rows in the order read, one more than the limit if there are. No `from`, `to` or `address`. */
export const readFeed = Effect.fnUntraced(function* (across: AcrossChains["Service"], query: TransfersQuery) {
  const { chains, filter, page, direction, count } = query
  const { key, reading } = placeOf(page, direction)
  const place = key && { key, direction: reading }
  const limit = page.limit + 1
  const none: { rows: Array<TransferRow>; total?: number } = { rows: [] }
  const { asOf, value } = yield* across.read(chains, none, (sql, opened) => {
    const branches = opened.map((chain) => {
      const bounds = within(sql, boundsOf(sql, chain, filter, place))
      return filter.tokenAddress === undefined
        ? selectRows(sql, chain, bounds, reading, limit)
        : selectRowsAt(sql, chain, selectPositions(sql, chain, filter.tokenAddress, bounds, reading, limit))
    })
    return sql`(${selectPage(sql, opened, branches, reading, limit)}) as rows
      ${count ? sql`, (${selectCount(sql, opened, filter)}) as total` : sql``}`
  })
  return {
    asOf,
    value: { rows: value.rows, ...(count ? { count: countOf(value.total ?? 0, filter) } : {}) },
  }
})

/** One chain's branch of a page: the first `limit` rows of its feed. */
const selectRows = (
  sql: Sql,
  { chainId, transfers: { erc20: transfer } }: ChainTables,
  bounds: Array<Fragment>,
  direction: Direction,
  limit: number,
): Fragment => sql`(
  select ${chainId}::int8 as chain_id, t.pos, t.time, t.token_id, t.tx_hash, t.from_addr, t.to_addr, t.amount
  from ${transfer} t where true ${bounds} order by t.pos ${orderWord(sql, direction)} limit ${limit})`
