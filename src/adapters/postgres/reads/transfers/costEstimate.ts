/** How long each of several access paths is through a stretch of a feed. */
import type { Fragment, Sql } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import type { TransferFilter } from "../../../../model/transfer.ts"
import type { AccessPath } from "./accessPath.ts"
import { selectIndexed } from "./indexed.ts"
import { ofStandard, selectPairs } from "./pairs.ts"
import { blocksOf, type Stretch } from "./positionKey.ts"
import type { FeedTable } from "./table.ts"

/** A scalar: JSON array of the touched blocks and rows on each access path's way, counted up to `cap` of them and of pairs. */
export const selectCosts = (
  sql: Sql,
  feed: FeedTable,
  accessPaths: ReadonlyArray<AccessPath>,
  filter: TransferFilter,
  stretch: Stretch,
  cap: number,
): Fragment => {
  const costs = accessPaths.map(({ walk, indexed }, index) => {
    const ways = indexed.map((way) => selectIndexed(sql, feed, filter, stretch, way, "desc", cap))
    return sql`${index === 0 ? sql`` : sql`,`} ${walk.length === 0 ? sql`0` : selectTouches(sql, feed, walk, filter, stretch, cap)}
      ${[sql``, ...ways.map((rows) => sql`+ (select count(*) from (${rows}) counted)`)]}`
  })
  return sql`select json_build_array(${costs})`
}

const selectTouches = (
  sql: Sql,
  feed: FeedTable,
  accounts: ReadonlyArray<Address>,
  { tokenAddress }: TransferFilter,
  stretch: Stretch,
  cap: number,
): Fragment => {
  const { bottom, top } = blocksOf(feed.standard, stretch)
  // Most pairs are of ERC-20 tokens: telling which would cost more there than it tells.
  const telling = feed.standard === "erc20" ? sql`` : ofStandard(sql, feed, tokenAddress)
  return sql`(
    select count(*) from (
      select 1 from (${selectPairs(sql, feed, accounts, tokenAddress)} limit ${cap}) p
      ${telling}
      cross join lateral (
        select p.block_number union all
        (select h.block_number from ${feed.chain.history} h
         where h.token_id = p.token_id and h.holder_no = p.holder_no and h.block_number between ${bottom} and ${top}
         order by h.block_number limit ${cap})
      ) touched limit ${cap}
    ) counted)`
}
