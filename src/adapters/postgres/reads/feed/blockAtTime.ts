/** The block at which a time begins in a feed: cursors over many chains name a time, indexes hold positions. */
import type { Fragment } from "postgres"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import type { Feed } from "./feed.ts"

/**
 * A scalar, int4: a block that parts the feed's rows in time. Every row below it is older than `time`, every row from
 * it on is not. Time never falls along a chain, so it is found by halving between two rows of `clock`: about eight
 * look-ups.
 */
export const selectFirstBlockAt = (
  { sql, chain: { clock, state }, rows }: Pick<Feed, "sql" | "chain" | "rows">,
  time: Fragment | number,
): Fragment => sql`
  with recursive halving (low, high) as (
    select coalesce((select c.block + 1 from ${clock} c where c.time < ${time}::int8
                     order by c.time desc, c.block desc limit 1), 0),
           coalesce((select c.block from ${clock} c where c.time >= ${time}::int8 order by c.time, c.block limit 1),
                    (select s.next_block from ${state} s))
    union all
    select case when at_middle.older then at_middle.block + 1 else h.low end,
           case when at_middle.older then h.high else h.low + (h.high - h.low) / 2 end
    from halving h cross join lateral (
      select coalesce(max(r.time) < ${time}::int8, false) as older, (max(r.pos) >> 24)::int4 as block
      from (
        select t.time, t.pos from ${rows} t
        where t.pos >= (h.low + (h.high - h.low) / 2)::int8 << 24 order by t.pos limit 1
      ) r
    ) at_middle
    where h.low < h.high
  )
  select low from halving where low >= high`

/**
 * The same of several feeds of a chain together: it parts the rows of all of them. Blocks mostly come as evenly as between two rows
 * of `clock`, so it looks first where the block should be then, and beside that: two look-ups a feed where it is there. Whatever
 * is left is halved.
 */
export const selectFirstBlockIn = (
  { sql, clock, state }: ChainSql,
  feeds: ReadonlyArray<Pick<Feed, "rows">>,
  time: Fragment,
): Fragment => {
  const firsts = feeds.map(
    ({ rows }) => sql`(select t.time, t.pos from ${rows} t where t.pos >= h.middle::int8 << 24 order by t.pos limit 1)`,
  )
  return sql`
    with recursive search (low, high, tried, was_older, since, until) as (
      select coalesce(older.block + 1, 0), coalesce(younger.block, s.next_block), 0, false, older.time, younger.time from ${state} s
      left join lateral (
        select c.block, c.time from ${clock} c where c.time < ${time} order by c.time desc, c.block desc limit 1) older on true
      left join lateral (
        select c.block, c.time from ${clock} c where c.time >= ${time} order by c.time, c.block limit 1) younger on true
      union all
      select case when there.older then there.block + 1 else h.low end, case when there.older then h.high else h.middle end,
        h.tried + 1, there.older, h.since, h.until
      from (
        select s.*, case
          when s.tried = 0 and s.until > s.since then least(s.high - 1, greatest(s.low,
            s.low - 1 + ceil((${time} - s.since)::float8 * (s.high - s.low + 1) / (s.until - s.since))::int4))
          when s.tried = 1 then case when s.was_older then s.low else s.high - 1 end
          else s.low + (s.high - s.low) / 2 end as middle
        from search s where s.low < s.high
      ) h cross join lateral (
        select coalesce(bool_or(r.time < ${time}), false) as older, (max(r.pos) filter (where r.time < ${time}) >> 24)::int4 as block
        from (${unionAll(sql, firsts)}) r
      ) there
    )
    select s.low from search s where s.low >= s.high`
}
