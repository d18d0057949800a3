/** One batch of a walk: the next touched blocks of some accounts, and the transfers in them, in one statement. */
import type { Fragment, Sql } from "postgres"
import type { Address } from "../../../domain/model/primitives.ts"
import type { TransferFilter } from "../../../domain/model/transfer.ts"
import type { ChainTables } from "../tables.ts"
import { blocksOf, type Direction, type Stretch } from "./bounds.ts"
import type { Drive } from "./drive.ts"
import { orderWord, selectPositions, selectTokenIds } from "./positions.ts"

export interface Batch {
  readonly filter: TransferFilter
  readonly drive: Drive
  readonly stretch: Stretch
  readonly direction: Direction
  /** Touched blocks, mints and burns to look at, of each. */
  readonly width: number
  /** Rows wanted. */
  readonly limit: number
}

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

interface Stream {
  /** Common table expressions. */
  readonly tables: Fragment
  /** Positions of rows that pass the filter. */
  readonly hits: Fragment
  /** Scalar int8, null when the stream came to its end. */
  readonly horizon: Fragment
  readonly seen: Fragment
}

/**
 * The next `width` touched blocks over all pairs of the accounts, ties at the last one included, so that every block
 * up to it is complete. Pairs are taken by their first touch in the stretch: no other pair can have one before the
 * `width`-th. Each lateral has its own `order by … limit`: without, the planner reads the token's whole feed.
 */
const walkStream = (
  sql: Sql,
  chain: ChainTables,
  { filter, drive, stretch, direction, width, limit }: Batch,
): Stream => {
  const blocks = blocksOf(stretch)
  const bottom = sql`${blocks.bottom}::int4`
  const top = sql`${blocks.top}::int4`
  const way = orderWord(sql, direction)
  const versions = sql`select h.block_number from ${chain.history} h where h.token_id = b.token_id and h.holder_no = b.holder_no`
  const first =
    direction === "desc"
      ? sql`case when b.block_number <= ${top} then b.block_number else
              (${versions} and h.block_number <= ${top} order by h.block_number desc limit 1) end`
      : sql`case when b.block_number >= ${bottom} then coalesce(
              (${versions} and h.block_number >= ${bottom} order by h.block_number limit 1), b.block_number) end`
  const further = direction === "desc" ? sql`< p.first_touch` : sql`> p.first_touch`
  const upTo = direction === "desc" ? sql`>= last_useful.block_number` : sql`<= last_useful.block_number`
  const tokens =
    filter.tokenAddress === undefined
      ? sql``
      : sql`and b.token_id = any(array(${selectTokenIds(sql, chain, filter.tokenAddress)}))`
  return {
    tables: sql`
      pair as materialized (
        select b.token_id, b.holder_no, b.block_number as last_touch, ${first} as first_touch
        from ${chain.balance} b where b.holder = any(${drive.walk as Array<Address>}::bytea[]) ${tokens}
      ),
      next_pair as materialized (
        select * from pair where first_touch between ${bottom} and ${top}
        order by first_touch ${way} fetch first (${width}::int8) rows with ties
      ),
      last_useful as materialized (
        select case when count(*) >= ${width}::int8
          then ${direction === "desc" ? sql`min(first_touch)` : sql`max(first_touch)`}
          else ${direction === "desc" ? bottom : top} end as block_number
        from next_pair
      ),
      touch as materialized (
        select p.token_id, touched.block_number from next_pair p cross join last_useful cross join lateral (
          select p.first_touch as block_number
          union all
          (select h.block_number from ${chain.history} h
           where h.token_id = p.token_id and h.holder_no = p.holder_no
             and h.block_number ${further} and h.block_number ${upTo}
           order by h.block_number ${way} limit ${width}::int8)
          ${direction === "desc" ? sql`` : sql`union all select p.last_touch where p.last_touch ${further} and p.last_touch ${upTo}`}
        ) touched
        order by touched.block_number ${way} fetch first (${width}::int8) rows with ties
      ),
      touched_block as materialized (select distinct token_id, block_number from touch)`,
    hits: sql`(
      select in_block.pos from touched_block b cross join lateral (
        select t.pos from ${chain.transfer} t
        where t.token_id = b.token_id and t.pos >= b.block_number::int8 << 24 and t.pos < (b.block_number::int8 + 1) << 24
          and t.pos >= ${String(stretch.low)}::int8 and t.pos < ${String(stretch.high)}::int8 ${passes(sql, filter)}
        order by t.pos ${way} limit ${limit}
      ) in_block)`,
    horizon: sql`(select case when count(*) >= ${width}::int8 then ${
      direction === "desc" ? sql`min(block_number)::int8 << 24` : sql`(max(block_number)::int8 + 1) << 24`
    } end from touch)`,
    seen: sql`(select count(*) from touch)`,
  }
}

/**
 * The next `width` mints or burns, all of which pass the filter (see `Drive`), off their own index. The predicate is
 * literal, as the index is partial, and positions are all that is read, as the index holds no more.
 */
const zeroStream = (
  sql: Sql,
  chain: ChainTables,
  { filter, stretch, direction, width }: Batch,
  which: "mints" | "burns",
): Stream => {
  const zero =
    which === "mints"
      ? sql`t.from_addr = '\\x0000000000000000000000000000000000000000'`
      : sql`t.to_addr = '\\x0000000000000000000000000000000000000000'`
  const bounds = [sql`and ${zero} and t.pos >= ${String(stretch.low)}::int8 and t.pos < ${String(stretch.high)}::int8`]
  const table = which === "mints" ? sql`mint` : sql`burn`
  return {
    tables: sql`${table} as materialized (${selectPositions(sql, chain, filter.tokenAddress, bounds, direction, width)})`,
    hits: sql`(select pos from ${table})`,
    horizon: sql`(select case when count(*) >= ${width}::int8 then ${
      direction === "desc" ? sql`min(pos)` : sql`max(pos) + 1`
    } end from ${table})`,
    seen: sql`(select count(*) from ${table})`,
  }
}

/** Conditions on `t`, each starting with `and`. */
const passes = (sql: Sql, { from, to, address }: TransferFilter): Array<Fragment> => [
  sql``,
  ...(from === undefined ? [] : [sql`and t.from_addr = any(${from as Array<Address>}::bytea[])`]),
  ...(to === undefined ? [] : [sql`and t.to_addr = any(${to as Array<Address>}::bytea[])`]),
  ...(address === undefined
    ? []
    : [
        sql`and (t.from_addr = any(${address as Array<Address>}::bytea[]) or t.to_addr = any(${address as Array<Address>}::bytea[]))`,
      ]),
]

const joined = (fragments: ReadonlyArray<Fragment>, glue: Fragment): Array<Fragment> =>
  fragments.flatMap((fragment, index) => (index === 0 ? [fragment] : [glue, fragment]))
