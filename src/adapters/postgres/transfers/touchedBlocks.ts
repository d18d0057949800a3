/** The blocks that touched some accounts as a stream: every transfer of an account is in one of them. */
import type { Fragment, Sql } from "postgres"
import type { Address } from "../../../domain/model/primitives.ts"
import type { TransferFilter } from "../../../domain/model/transfer.ts"
import type { ChainTables } from "../tables.ts"
import { blocksOf } from "./bounds.ts"
import { selectPairs } from "./pairs.ts"
import { orderWord } from "./positions.ts"
import type { Batch, Stream } from "./stream.ts"

/**
 * The next `width` touched blocks over all pairs of the accounts, ties at the last one included, so that every block
 * up to it is complete. A touched block may hold no row that passes, or none at all (a Deposit). Each lateral has its
 * own `order by … limit`, and what it runs over is materialized: else the planner reads the token's whole feed.
 */
export const walkStream = (sql: Sql, chain: ChainTables, batch: Batch): Stream => {
  const { filter, stretch, direction, limit } = batch
  const way = orderWord(sql, direction)
  const width = sql`${batch.width}::int8`
  const end = direction === "desc" ? sql`min(block_number)::int8 << 24` : sql`(max(block_number)::int8 + 1) << 24`
  return {
    tables: sql`
      pair as materialized (${selectFirstTouches(sql, chain, batch)}),
      next_pair as materialized (
        select * from pair where first_touch is not null
        order by first_touch ${way} fetch first (${width}) rows with ties
      ),
      touch as materialized (
        select p.token_id, touched.block_number
        from next_pair p cross join lateral (${selectTouches(sql, chain, batch)}) touched
        order by touched.block_number ${way} fetch first (${width}) rows with ties
      ),
      touched_block as materialized (select distinct token_id, block_number from touch)`,
    hits: sql`(
      select in_block.pos from touched_block b cross join lateral (
        select t.pos from ${chain.transfers.erc20} t
        where t.token_id = b.token_id
          and t.pos >= b.block_number::int8 << 24 and t.pos < (b.block_number::int8 + 1) << 24
          and t.pos >= ${String(stretch.low)}::int8 and t.pos < ${String(stretch.high)}::int8 ${passes(sql, filter)}
        order by t.pos ${way} limit ${limit}
      ) in_block)`,
    horizon: sql`(select case when count(*) >= ${width} then ${end} end from touch)`,
    seen: sql`(select count(*) from touch)`,
  }
}

/**
 * Every pair of the accounts with the first block of the stretch that touched it, going in the direction; null if none
 * did. Only the `width` pairs that come first can hold one of the next `width` touched blocks.
 */
const selectFirstTouches = (sql: Sql, chain: ChainTables, { drive, filter, stretch, direction }: Batch): Fragment => {
  const { bottom, top } = blocksOf(stretch)
  const within = sql`between ${bottom}::int4 and ${top}::int4`
  const newest = sql`case when b.block_number ${within} then b.block_number end`
  const superseded = sql`(
    select h.block_number from ${chain.history} h
    where h.token_id = b.token_id and h.holder_no = b.holder_no and h.block_number ${within}
    order by h.block_number ${orderWord(sql, direction)} limit 1)`
  const first = direction === "desc" ? sql`${newest}, ${superseded}` : sql`${superseded}, ${newest}`
  // A pair last touched before the stretch has no older version in it either.
  return sql`
    select b.token_id, b.holder_no, b.block_number as last_touch,
      case when b.block_number >= ${bottom}::int4 then coalesce(${first}) end as first_touch
    from (${selectPairs(sql, chain, drive.walk, filter.tokenAddress)}) b`
}

/** The touched blocks of pair `p` from its first on, none beyond the `width`-th first touch of all pairs. */
const selectTouches = (sql: Sql, chain: ChainTables, { stretch, direction, width }: Batch): Fragment => {
  const { bottom, top } = blocksOf(stretch)
  const [least, end] = direction === "desc" ? [sql`min`, bottom] : [sql`max`, top]
  const last = sql`(
    select case when count(*) >= ${width}::int8 then ${least}(first_touch) else ${end}::int4 end from next_pair)`
  const further = (block: Fragment) =>
    direction === "desc"
      ? sql`${block} < p.first_touch and ${block} >= ${last}`
      : sql`${block} > p.first_touch and ${block} <= ${last}`
  return sql`
    select p.first_touch as block_number
    union all (
      select h.block_number from ${chain.history} h
      where h.token_id = p.token_id and h.holder_no = p.holder_no and ${further(sql`h.block_number`)}
      order by h.block_number ${orderWord(sql, direction)} limit ${width}::int8)
    union all
    select p.last_touch where ${further(sql`p.last_touch`)}`
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
