/** Rows that an index holds in feed order as a stream: mints, burns, and the rows of some ids. */
import type { Fragment, Sql } from "postgres"
import type { TransferFilter } from "../../../../../model/transfer.ts"
import { withinRange } from "../../feed/bounds.ts"
import { isSameRow, positionColumns, type TransferFeed } from "../../feed/feed.ts"
import { selectPositionKey } from "../../feed/positionKey.ts"
import { selectPositions, selectTokenIds, whereTrusted } from "../../feed/positions.ts"
import type { IndexedWay } from "./accessPath.ts"
import { filterRows } from "./filterRows.ts"
import type { Batch, Stream } from "./stream.ts"

/** The next `width` rows. Positions are all that is read of those that pass as they are, as the indexes hold no more. */
export const indexStream = (feed: TransferFeed, batch: Batch, way: IndexedWay): Stream => {
  const { sql } = feed
  const { filter, direction, width } = batch
  const met = sql(`met_${way}`)
  const positionKey = selectPositionKey(feed, `met_${way}`)
  const passing =
    way === "mints" || way === "burns"
      ? filter.tokenId === undefined && filter.either === undefined && filter.transaction === undefined
      : false
  return {
    tables: sql`${met} as materialized (${selectIndexed(feed, way, { ...batch, limit: width })})`,
    hits: passing ? sql`(select * from ${met})` : selectPassing(feed, filter, way),
    horizon: sql`(select case when count(*) >= ${width}::int8 then ${
      direction === "desc" ? sql`min(${positionKey})` : sql`max(${positionKey}) + 1`
    } end from ${met})`,
    seen: sql`(select count(*) from ${met})`,
  }
}

/**
 * Positions of the first `limit` rows on a way. The predicates are literal, as the indexes are partial. Rows from the zero
 * address to itself are so few that those of all tokens are met.
 */
export const selectIndexed = (
  feed: TransferFeed,
  way: IndexedWay,
  { filter, range, direction, limit }: Pick<Batch, "filter" | "range" | "direction" | "limit">,
): Fragment => {
  const { tokenAddress, tokenId, trusted } = filter
  const bounds = [conditionOf(feed.sql, way), ...withinRange(feed, range)]
  const tokens = { ...(tokenAddress && { tokenAddress }), ...(trusted && { trusted }) }
  const ids = tokenId === undefined ? tokens : { ...tokens, tokenId }
  const subject = way === "ids" ? ids : way === "zeroToZero" ? {} : tokens
  return selectPositions(feed, subject, { bounds, direction, limit })
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

const selectPassing = (feed: TransferFeed, filter: TransferFilter, way: IndexedWay): Fragment => {
  const { sql, rows } = feed
  const { tokenAddress, trusted } = filter
  const named = way === "zeroToZero" && tokenAddress !== undefined
  const listed = way === "zeroToZero" && tokenAddress === undefined && trusted === true
  const ofToken = named
    ? sql`and t.token_id in (${selectTokenIds(feed, tokenAddress, trusted)})`
    : listed
      ? sql`and exists (select from ${feed.chain.token} k where k.token_id = t.token_id ${whereTrusted(feed, trusted)})`
      : sql``
  return sql`(
    select ${positionColumns(feed, "here")} from ${sql(`met_${way}`)} met cross join lateral (
      select ${positionColumns(feed, "t")} from ${rows} t
      where ${isSameRow(feed, "met")} ${ofToken} ${filterRows(sql, filter)} limit 1
    ) here)`
}
