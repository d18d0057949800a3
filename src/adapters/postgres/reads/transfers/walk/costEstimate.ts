/** How long each of several access paths is through a range of a feed. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../../model/primitives.ts"
import type { TransferFilter } from "../../../../../model/transfer.ts"
import { joined } from "../../../database/fragments.ts"
import type { TransferFeed } from "../../feed/feed.ts"
import { blocksOf, type KeyRange } from "../../feed/positionKey.ts"
import type { AccessPath } from "./accessPath.ts"
import { ofStandard, selectPairs } from "./accountPairs.ts"
import { selectIndexed } from "./indexStream.ts"

interface Measure {
  readonly filter: TransferFilter
  readonly range: KeyRange
  /** Touched blocks, rows and pairs are counted up to it. */
  readonly cap: number
}

/** A scalar: JSON array of the number of touched blocks and rows on each access path. */
export const selectCosts = (feed: TransferFeed, accessPaths: ReadonlyArray<AccessPath>, measure: Measure): Fragment => {
  const { sql } = feed
  const { filter, range, cap } = measure
  const costs = accessPaths.map(({ walk, indexed }) => {
    const ways = indexed.map((way) => selectIndexed(feed, way, { filter, range, direction: "desc", limit: cap }))
    return sql`${walk.length === 0 ? sql`0` : selectTouches(feed, walk, measure)}
      ${[sql``, ...ways.map((rows) => sql`+ (select count(*) from (${rows}) counted)`)]}`
  })
  return sql`select json_build_array(${joined(costs, sql`,`)})`
}

const selectTouches = (
  feed: TransferFeed,
  accounts: ReadonlyArray<Address>,
  { filter, range, cap }: Measure,
): Fragment => {
  const { sql, chain, kind } = feed
  const { bottom, top } = blocksOf(kind, range)
  // Most pairs are of ERC-20 tokens: to ask which would cost more there than it saves.
  const onlyStandard = kind === "erc20" ? sql`` : ofStandard(feed, filter)
  return sql`(
    select count(*) from (
      select 1 from (${selectPairs(feed, accounts, filter)} limit ${cap}) p
      ${onlyStandard}
      cross join lateral (
        select p.block_number union all
        (select h.block_number from ${chain.history} h
         where h.token_id = p.token_id and h.holder_no = p.holder_no and h.block_number between ${bottom} and ${top}
         order by h.block_number limit ${cap})
      ) touched limit ${cap}
    ) counted)`
}
