/** The block at which a time begins in a feed: cursors over many chains name a time, indexes hold positions. */
import type { Fragment } from "postgres"
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
