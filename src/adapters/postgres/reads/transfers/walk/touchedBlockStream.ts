/** The blocks that touched some accounts as a stream: every transfer of an account is in one of them. */
import type { Fragment } from "postgres"
import { orderWord, positionColumns, positionOrder, type TransferFeed } from "../../feed/feed.ts"
import { blocksOf, int8, type KeyRange, partsOf, selectFirstKeyOfLog } from "../../feed/positionKey.ts"
import { ofStandard, selectPairs } from "./accountPairs.ts"
import { filterRows } from "./filterRows.ts"
import type { Batch, Stream } from "./stream.ts"

/**
 * The next `width` touched blocks over all pairs of the accounts, ties at the last one included, so that every block
 * up to it is complete. A touched block may hold no row that passes, or none at all (a Deposit). Each lateral has its
 * own `order by … limit`, and what it runs over is materialized: else the planner reads the token's whole feed. Blocks are looked
 * into by token: one after the other lies on the same pages of the index.
 */
export const touchedBlockStream = (feed: TransferFeed, batch: Batch): Stream => {
  const { sql, rows } = feed
  const { filter, range, direction, limit } = batch
  const way = orderWord(sql, direction)
  const width = sql`${batch.width}::int8`
  const end = direction === "desc" ? sql`min(block_number)::int8 << 24` : sql`(max(block_number)::int8 + 1) << 24`
  return {
    tables: sql`
      pair as materialized (${selectFirstTouches(feed, batch)}),
      next_pair as materialized (
        select p.* from (
          select * from pair where first_touch is not null order by first_touch ${way} offset 0
        ) p ${ofStandard(feed, filter)}
        order by p.first_touch ${way} fetch first (${width}) rows with ties
      ),
      touch as materialized (
        select p.token_id, touched.block_number
        from next_pair p cross join lateral (${selectTouches(feed, batch)}) touched
        order by touched.block_number ${way} fetch first (${width}) rows with ties
      ),
      touched_block as materialized (
        select distinct token_id, block_number from touch order by token_id, block_number)`,
    hits: sql`(
      select ${positionColumns(feed, "in_block")} from touched_block b cross join lateral (
        select ${positionColumns(feed, "t")} from ${rows} t
        where t.token_id = b.token_id ${withinBlock(feed, range)} ${filterRows(sql, filter)}
        order by ${positionOrder(feed, "t", direction)} limit ${limit}
      ) in_block)`,
    horizon: sql`(select case when count(*) >= ${width} then ${selectFirstKeyOfLog(feed, end)} end from touch)`,
    seen: sql`(select count(*) from touch)`,
  }
}

/** Conditions on `t`: in block `b`, and in the range, where it may begin or end inside a log (see `Bounds`). */
const withinBlock = ({ sql, kind }: TransferFeed, { low, high }: KeyRange): Fragment => {
  const [from, to] = [partsOf(kind, low), partsOf(kind, high)]
  const begin = sql`b.block_number::int8 << 24`
  const end = sql`(b.block_number::int8 + 1) << 24`
  const lower =
    from.sub === 0n
      ? sql`t.pos >= ${begin} and t.pos >= ${int8(sql, from.pos)}`
      : sql`(t.pos, t.sub) >= (greatest(${begin}, ${int8(sql, from.pos)}),
          case when ${begin} <= ${int8(sql, from.pos)} then ${String(from.sub)}::int4 else 0 end)`
  const upper =
    to.sub === 0n
      ? sql`t.pos < ${end} and t.pos < ${int8(sql, to.pos)}`
      : sql`(t.pos, t.sub) < (least(${end}, ${int8(sql, to.pos)}),
          case when ${end} > ${int8(sql, to.pos)} then ${String(to.sub)}::int4 else 0 end)`
  return sql`and ${lower} and ${upper}`
}

/**
 * Every pair of the accounts with the first block of the range that touched it, going in the direction; null if none
 * did. Only the `width` pairs that come first can hold one of the next `width` touched blocks.
 */
const selectFirstTouches = (feed: TransferFeed, { accessPath, filter, range, direction }: Batch): Fragment => {
  const { sql, chain, kind } = feed
  const { bottom, top } = blocksOf(kind, range)
  const within = sql`between ${bottom}::int4 and ${top}::int4`
  const newest = sql`case when b.block_number ${within} then b.block_number end`
  const superseded = sql`(
    select h.block_number from ${chain.history} h
    where h.token_id = b.token_id and h.holder_no = b.holder_no and h.block_number ${within}
    order by h.block_number ${orderWord(sql, direction)} limit 1)`
  const first = direction === "desc" ? sql`${newest}, ${superseded}` : sql`${superseded}, ${newest}`
  // A pair last touched before the range has no older version in it either.
  return sql`
    select b.token_id, b.holder_no, b.block_number as last_touch,
      case when b.block_number >= ${bottom}::int4 then coalesce(${first}) end as first_touch
    from (${selectPairs(feed, accessPath.walk, filter)}) b`
}

/** The touched blocks of pair `p` from its first on, none beyond the `width`-th first touch of all pairs. */
const selectTouches = ({ sql, chain, kind }: TransferFeed, { range, direction, width }: Batch): Fragment => {
  const { bottom, top } = blocksOf(kind, range)
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
