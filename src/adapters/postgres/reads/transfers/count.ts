/** Totals of feeds: exact ones that the ledger keeps, others counted up to a cap. */
import type { Fragment, Sql } from "postgres"
import { type Count, countCap } from "../../../../model/page.ts"
import type { TransferFilter } from "../../../../model/transfer.ts"
import { unionAll } from "../common/acrossChains.ts"
import { boundsOf, within } from "./bounds.ts"
import { selectPositions, selectTokenIds } from "./positions.ts"
import type { FeedTable } from "./table.ts"

/** Counting goes one row further than the cap, to tell "exactly the cap" from "more". */
export const countLimit = countCap + 1

/** Whether the ledger keeps the filter's total: no filter, or `tokenAddress` alone. */
const isKept = ({ tokenAddress: _, ...narrowing }: TransferFilter): boolean =>
  Object.values(narrowing).every((values) => values === undefined)

/** What a total, or a number of rows counted up to `countLimit`, says. */
export const countOf = (total: number, filter: TransferFilter): Count =>
  isKept(filter) || total <= countCap
    ? { count: total, countType: "exact" }
    : { count: countCap, countType: "lowerBound" }

/** A scalar: the total that is kept, or the rows there are up to `countLimit`. No `from`, `to` or `address`. */
export const selectCount = (sql: Sql, feeds: ReadonlyArray<FeedTable>, filter: TransferFilter): Fragment => {
  if (isKept(filter)) {
    const totals = feeds.map((feed) => selectKeptTotal(sql, feed, filter.tokenAddress))
    return sql`select coalesce(sum(total), 0)::int8 from (${unionAll(sql, totals)}) totals`
  }
  const branches = feeds.map((feed) => {
    const bounds = within(sql, feed.standard, boundsOf(sql, feed, filter))
    return sql`(${selectPositions(sql, feed, filter, bounds, "asc", countLimit)})`
  })
  return sql`select count(*) from (select 1 from (${unionAll(sql, branches)}) u limit ${countLimit}) counted`
}

const selectKeptTotal = (sql: Sql, feed: FeedTable, tokens: TransferFilter["tokenAddress"]): Fragment =>
  tokens === undefined
    ? sql`select s.${sql(`${feed.standard}_transfers`)} as total from ${feed.chain.state} s`
    : sql`select s.transfers as total from ${feed.chain.tokenStat} s
          where s.token_id in (${selectTokenIds(sql, feed, tokens)})`
