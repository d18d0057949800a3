/** Rows that an index holds in feed order as a stream: mints, burns, and the rows of some ids. */
import type { Fragment, Sql } from "postgres"
import type { TransferFilter } from "../../../../model/transfer.ts"
import type { IndexedWay } from "./accessPath.ts"
import { withinStretch } from "./bounds.ts"
import { filterRows } from "./filter.ts"
import { type Stretch, selectPositionKey } from "./positionKey.ts"
import { selectPositions, selectTokenIds } from "./positions.ts"
import type { Batch, Stream } from "./stream.ts"
import { type FeedTable, isSame, placeOf } from "./table.ts"

/** The next `width` rows. Places are all that is read of those that pass as they are, as the indexes hold no more. */
export const indexedStream = (sql: Sql, feed: FeedTable, batch: Batch, way: IndexedWay): Stream => {
  const { filter, stretch, direction, width } = batch
  const met = sql(`met_${way}`)
  const positionKey = selectPositionKey(sql, feed, `met_${way}`)
  const passing = way === "mints" || way === "burns" ? filter.tokenId === undefined : false
  return {
    tables: sql`${met} as materialized (${selectIndexed(sql, feed, filter, stretch, way, direction, width)})`,
    hits: passing ? sql`(select * from ${met})` : selectPassing(sql, feed, batch, way),
    horizon: sql`(select case when count(*) >= ${width}::int8 then ${
      direction === "desc" ? sql`min(${positionKey})` : sql`max(${positionKey}) + 1`
    } end from ${met})`,
    seen: sql`(select count(*) from ${met})`,
  }
}

/**
 * Places of the first `limit` rows on a way. The predicates are literal, as the indexes are partial. Voids are so few
 * that those of all tokens are met.
 */
export const selectIndexed = (
  sql: Sql,
  feed: FeedTable,
  { tokenAddress, tokenId }: TransferFilter,
  stretch: Stretch,
  way: IndexedWay,
  direction: Batch["direction"],
  limit: number,
): Fragment => {
  const bounds = [conditionOf(sql, way), ...withinStretch(sql, feed.standard, stretch)]
  const tokens = tokenAddress === undefined ? {} : { tokenAddress }
  const ids = tokenId === undefined ? tokens : { ...tokens, tokenId }
  const subject = way === "ids" ? ids : way === "zeroToZero" ? {} : tokens
  return selectPositions(sql, feed, subject, bounds, direction, limit)
}

const conditionOf = (sql: Sql, way: IndexedWay): Fragment => {
  const sent = sql`and t.from_addr = '\\x0000000000000000000000000000000000000000'`
  const received = sql`and t.to_addr = '\\x0000000000000000000000000000000000000000'`
  switch (way) {
    case "mints":
      return sent
    case "burns":
      return received
    case "zeroToZero":
      return sql`${sent} ${received}`
    case "ids":
      return sql``
  }
}

const selectPassing = (sql: Sql, feed: FeedTable, { filter }: Batch, way: IndexedWay): Fragment => {
  const ofToken =
    way === "zeroToZero" && filter.tokenAddress !== undefined
      ? sql`and t.token_id in (${selectTokenIds(sql, feed, filter.tokenAddress)})`
      : sql``
  return sql`(
    select ${placeOf(sql, feed, "here")} from ${sql(`met_${way}`)} met cross join lateral (
      select ${placeOf(sql, feed, "t")} from ${feed.rows} t
      where ${isSame(sql, feed, "met")} ${ofToken} ${filterRows(sql, filter)} limit 1
    ) here)`
}
