/** Totals of feeds: exact ones that the ledger keeps, others counted up to a cap. */
import type { Fragment, Sql } from "postgres"
import { type Count, countCap, countUpTo } from "../../../../model/page.ts"
import type { TransferFilter } from "../../../../model/transfer.ts"
import { unionAll } from "../../database/fragments.ts"
import { inRange } from "../feed/bounds.ts"
import type { TransferFeed } from "../feed/feed.ts"
import { selectPositions, selectTokenIds, selectTrustedIds } from "../feed/positions.ts"

/** Counting goes one row further than the cap, to tell "exactly the cap" from "more". */
export const countLimit = countCap + 1

/** Whether the ledger keeps the filter's total: no filter, or of tokens alone. */
const isKept = ({ tokenAddress: _, trusted: __, ...narrowing }: TransferFilter): boolean =>
  Object.values(narrowing).every((values) => values === undefined)

/** What a total, or a number of rows counted up to `countLimit`, says. */
export const countOf = (total: number, filter: TransferFilter): Count => countUpTo(total, isKept(filter))

/** A scalar: the total that is kept, or the rows there are up to `countLimit`. No `from`, `to` or `address`. */
export const selectCount = (sql: Sql, feeds: ReadonlyArray<TransferFeed>, filter: TransferFilter): Fragment => {
  if (isKept(filter)) {
    const totals = feeds.map((feed) => selectKeptTotal(feed, filter))
    return sql`select coalesce(sum(total), 0)::int8 from (${unionAll(sql, totals)}) totals`
  }
  const branches = feeds.map((feed) => {
    const bounds = inRange(feed, filter, undefined)
    if (filter.tokenAddress === undefined && filter.trusted === true) return selectTrustedRows(feed, bounds)
    return sql`(${selectPositions(feed, filter, { bounds, direction: "asc", limit: countLimit })})`
  })
  return sql`select count(*) from (select 1 from (${unionAll(sql, branches)}) u limit ${countLimit}) counted`
}

/** In no order: who counts may stop at any of them. */
const selectTrustedRows = (feed: TransferFeed, bounds: Array<Fragment>): Fragment => {
  const { sql, rows } = feed
  return sql`(
    select of_one.pos from (${selectTrustedIds(feed)}) of_list cross join lateral (
      select t.pos from ${rows} t where t.token_id = of_list.token_id ${bounds} order by t.pos limit ${countLimit}
    ) of_one limit ${countLimit})`
}

const selectKeptTotal = (feed: TransferFeed, { tokenAddress: tokens, trusted }: TransferFilter): Fragment => {
  const { sql, kind } = feed
  const { state, tokenStat } = feed.chain
  if (tokens === undefined && trusted === true)
    // Looked up one by one: a join of the two may read every token.
    return sql`select x.transfers as total from (${selectTrustedIds(feed)}) of_list cross join lateral (
      select s.transfers from ${tokenStat} s where s.token_id = of_list.token_id offset 0) x`
  return tokens === undefined
    ? sql`select s.${sql(`${kind}_transfers`)} as total from ${state} s`
    : sql`select s.transfers as total from ${tokenStat} s
          where s.token_id in (${selectTokenIds(feed, tokens, trusted)})`
}
