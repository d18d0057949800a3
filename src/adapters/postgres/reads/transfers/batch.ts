/** One batch of a walk: the next rows on every stream of its access path, as far as all of them have seen, in one statement. */
import type { Fragment, Sql } from "postgres"
import { indexedStream } from "./indexed.ts"
import { selectPositionKey } from "./positionKey.ts"
import type { Batch } from "./stream.ts"
import { type FeedTable, orderOf, placeOf } from "./table.ts"
import { walkStream } from "./touchedBlocks.ts"

export interface BatchResult {
  /** Everything up to this position key (going in the direction) has been seen; null = to the end of the stretch. */
  readonly horizon: string | null
  /** What was looked at. */
  readonly seen: number
  /** Position keys of the rows that pass, in order, none beyond the horizon. */
  readonly rows: ReadonlyArray<string>
}

/** A scalar: `BatchResult` as JSON. */
export const selectBatch = (sql: Sql, feed: FeedTable, batch: Batch): Fragment => {
  const { accessPath, direction, limit } = batch
  const streams = [
    ...(accessPath.walk.length > 0 ? [walkStream(sql, feed, batch)] : []),
    ...accessPath.indexed.map((way) => indexedStream(sql, feed, batch, way)),
  ]
  // A row may come by several streams: `union` without `all` keeps it once.
  const hits = joined(
    streams.map(({ hits }) => hits),
    sql` union `,
  )
  // The nearest horizon of all streams; `least` and `greatest` pass over the null of an exhausted one.
  const horizon = sql`${direction === "desc" ? sql`greatest` : sql`least`}(${joined(
    streams.map((it) => it.horizon),
    sql`, `,
  )})`
  const positionKey = selectPositionKey(sql, feed, "hit")
  const inside = sql`${positionKey} ${direction === "desc" ? sql`>=` : sql`<`} edge.horizon`
  return sql`
    with ${joined(
      streams.map(({ tables }) => tables),
      sql`, `,
    )},
    edge as materialized (select ${horizon} as horizon),
    hit as (
      select ${placeOf(sql, feed, "hit")} from (${hits}) hit cross join edge where edge.horizon is null or ${inside}
      order by ${orderOf(sql, feed, "hit", direction)} limit ${limit}
    )
    select json_build_object(
      'horizon', (select horizon::text from edge),
      'seen', ${joined(
        streams.map(({ seen }) => seen),
        sql` + `,
      )},
      'rows', (select coalesce(json_agg(${positionKey}::text), '[]') from hit))`
}

const joined = (fragments: ReadonlyArray<Fragment>, glue: Fragment): Array<Fragment> =>
  fragments.flatMap((fragment, index) => (index === 0 ? [fragment] : [glue, fragment]))
