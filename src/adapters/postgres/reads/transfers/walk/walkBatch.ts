/** One batch of a walk: the next rows on every stream of its access path, as far as all of them have seen, in one statement. */
import type { Fragment } from "postgres"
import { joined } from "../../../database/fragments.ts"
import { positionColumns, positionOrder, type TransferFeed } from "../../feed/feed.ts"
import { selectPositionKey } from "../../feed/positionKey.ts"
import { indexStream } from "./indexStream.ts"
import type { Batch } from "./stream.ts"
import { touchedBlockStream } from "./touchedBlockStream.ts"

export interface BatchResult {
  /** Everything up to this position key (going in the direction) has been seen; null = to the end of the range. */
  readonly horizon: string | null
  /** What was looked at. */
  readonly seen: number
  /** Position keys of the rows that pass, in order, none beyond the horizon. */
  readonly rows: ReadonlyArray<string>
}

/** A scalar: `BatchResult` as JSON. */
export const selectBatch = (feed: TransferFeed, batch: Batch): Fragment => {
  const { sql } = feed
  const { accessPath, direction, limit } = batch
  const streams = [
    ...(accessPath.walk.length > 0 ? [touchedBlockStream(feed, batch)] : []),
    ...accessPath.indexed.map((way) => indexStream(feed, batch, way)),
  ]
  const tables = streams.map((stream) => stream.tables)
  const hits = streams.map((stream) => stream.hits)
  const horizons = streams.map((stream) => stream.horizon)
  const seen = streams.map((stream) => stream.seen)
  const positionKey = selectPositionKey(feed, "hit")
  const inside = sql`${positionKey} ${direction === "desc" ? sql`>=` : sql`<`} edge.horizon`
  // The nearest horizon: `least` and `greatest` pass over the null of an exhausted stream. A row may come by several
  // streams: `union` without `all` keeps it once.
  return sql`
    with ${joined(tables, sql`, `)},
    edge as materialized (
      select ${direction === "desc" ? sql`greatest` : sql`least`}(${joined(horizons, sql`, `)}) as horizon),
    hit as (
      select ${positionColumns(feed, "hit")} from (${joined(hits, sql` union `)}) hit cross join edge
      where edge.horizon is null or ${inside}
      order by ${positionOrder(feed, "hit", direction)} limit ${limit}
    )
    select json_build_object(
      'horizon', (select horizon::text from edge),
      'seen', ${joined(seen, sql` + `)},
      'rows', (select coalesce(json_agg(${positionKey}::text), '[]') from hit))`
}
