/** SQL of the times of blocks and the blocks of times, as far as the ledger itself knows them. */
import type { Fragment } from "postgres"
import { standards } from "../../../../model/token.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { selectFirstBlockIn } from "../feed/blockAtTime.ts"
import { type Feed, transferFeed, wrapFeed } from "../feed/feed.ts"

/** Whatever tells the time of its block and changes a balance: Deposits and Withdrawals too, where they were stored with it. */
const feedsOf = (chain: ChainSql): ReadonlyArray<Pick<Feed, "rows">> => [
  ...standards.map((standard) => transferFeed(chain, standard)),
  wrapFeed(chain),
]

/** A scalar, int8: the time of a block, exact; null where nothing in the ledger tells it. */
export const selectTimeOf = (chain: ChainSql, number: Fragment): Fragment => {
  const { sql, block, clock, state } = chain
  const inFeed = feedsOf(chain).map(
    ({ rows }) => sql`
      , (select t.time from ${rows} t
         where t.pos >= (${number})::int8 << 24 and t.pos < ((${number})::int8 + 1) << 24 order by t.pos limit 1)`,
  )
  return sql`coalesce(
    (select b.time from ${block} b where b.number = (${number})),
    (select s.head_time from ${state} s where s.next_block - 1 = (${number})),
    (select c.time from ${clock} c where c.block = (${number}))${inFeed})`
}

/** A scalar, JSON: the first block behind a number whose time is known, and the time. */
export const selectNextKnown = (chain: ChainSql, number: Fragment): Fragment => {
  const { sql, block, clock, state } = chain
  const inFeed = feedsOf(chain).map(
    ({ rows }) => sql`
      union all (select (t.pos >> 24)::int4, t.time from ${rows} t
        where t.pos >= ((${number})::int8 + 1) << 24 order by t.pos limit 1)`,
  )
  return sql`
    select json_build_array(n.number, n.time) from (
      (select b.number, b.time from ${block} b where b.number > ${number} order by b.number limit 1)
      union all (select c.block, c.time from ${clock} c where c.block > ${number} order by c.block limit 1)
      union all (select s.next_block - 1, s.head_time from ${state} s where s.next_block - 1 > ${number})
      ${inFeed}
    ) n order by n.number limit 1`
}

/** A scalar, int4: the hour of a block (since 1970); where its time is not known that of the newest block before it whose time is. */
export const selectHourOf = (chain: ChainSql, number: Fragment): Fragment => {
  const { sql, block, clock } = chain
  const inFeed = feedsOf(chain).map(
    ({ rows }) => sql`
      union all (select t.time from ${rows} t where t.pos < (${number}::int8 + 1) << 24 order by t.pos desc limit 1)`,
  )
  return sql`
    select (coalesce(${selectTimeOf(chain, number)}, (
      select max(near.time) from (
        (select c.time from ${clock} c where c.block <= ${number} order by c.block desc limit 1)
        union all (select b.time from ${block} b where b.number <= ${number} order by b.number desc limit 1)
        ${inFeed}
      ) near), 0) / 3600)::int4`
}

/**
 * A scalar, int4: a block that is no younger than `time` (an int8), and behind which nothing that changes a balance is as old. -1 = there is none.
 * Near the head and where the clock has the block it is the last such block.
 */
export const selectBlockAt = (chain: ChainSql, time: Fragment | number): Fragment => {
  const { sql, state, block } = chain
  const behind = selectFirstBlockIn(chain, feedsOf(chain), sql`(${time}::int8 + 1)`)
  return sql`
    select case when s.head_time <= ${time}::int8 then s.next_block - 1 else greatest(
      (select b.number from ${block} b where b.time <= ${time}::int8 order by b.number desc limit 1), (${behind}) - 1) end
    from ${state} s where s.head_hash is not null`
}
