/** One batch of a walk: the next rows on every stream of its drive, as far as all of them have seen, in one statement. */
import type { Fragment, Sql } from "postgres"
import type { ChainTables } from "../tables.ts"
import { zeroStream } from "./mintsAndBurns.ts"
import { orderWord } from "./positions.ts"
import type { Batch } from "./stream.ts"
import { walkStream } from "./touchedBlocks.ts"

export interface BatchResult {
  /** Everything up to here (going in the direction) has been seen; null = to the end of the stretch. */
  readonly horizon: string | null
  /** What was looked at. */
  readonly seen: number
  /** Positions of the rows that pass, in order, none beyond the horizon. */
  readonly rows: ReadonlyArray<string>
}

/** A scalar: `BatchResult` as JSON. */
export const selectBatch = (sql: Sql, chain: ChainTables, batch: Batch): Fragment => {
  const { drive, direction, limit } = batch
  const streams = [
    ...(drive.walk.length > 0 ? [walkStream(sql, chain, batch)] : []),
    ...(drive.mints ? [zeroStream(sql, chain, batch, "mints")] : []),
    ...(drive.burns ? [zeroStream(sql, chain, batch, "burns")] : []),
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
  const inside = direction === "desc" ? sql`hit.pos >= edge.horizon` : sql`hit.pos < edge.horizon`
  return sql`
    with ${joined(
      streams.map(({ tables }) => tables),
      sql`, `,
    )},
    edge as materialized (select ${horizon} as horizon),
    hit as (
      select hit.pos from (${hits}) hit cross join edge where edge.horizon is null or ${inside}
      order by hit.pos ${orderWord(sql, direction)} limit ${limit}
    )
    select json_build_object(
      'horizon', (select horizon::text from edge),
      'seen', ${joined(
        streams.map(({ seen }) => seen),
        sql` + `,
      )},
      'rows', (select coalesce(json_agg(hit.pos::text), '[]') from hit))`
}

const joined = (fragments: ReadonlyArray<Fragment>, glue: Fragment): Array<Fragment> =>
  fragments.flatMap((fragment, index) => (index === 0 ? [fragment] : [glue, fragment]))
