/** SQL of what pools swapped and held at past times. */
import type { Fragment, Sql } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import { type HistoryQuestion, sampleParts, samplePerPart, samplePools } from "../../../../ports/SwapHistory.ts"
import { hexArray } from "../../database/arrays.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { isHeldInDoubt } from "../common/denied.ts"
import { selectOlder } from "../common/partial.ts"
import { selectFirstBlockAt } from "../feed/blockAtTime.ts"
import { swapFeed } from "../feed/feed.ts"

export interface PoolRow {
  readonly token: Address
  readonly anchor: Address
  readonly pool: Address
  /** What it holds by the ledger may not be what it holds. */
  readonly doubtful: boolean
  readonly held: ReadonlyArray<string>
  /** block, log index, time; of the token and of the anchor: what changed hands, what the pool held after the block */
  readonly swaps: ReadonlyArray<readonly [number, number, number, string, string, string, string]>
}

/** Rows of `asset` with these addresses. */
const isOneOf = (sql: Sql, column: Fragment, addresses: ReadonlyArray<Address>): Fragment =>
  sql`${column} = any(${hexArray(addresses)}::text::bytea[])`

/** `PoolRow`s as one JSON array: of each pool and each part of the stretch a few look-ups of an index. */
export const selectPools = (
  chain: ChainSql,
  { tokens, anchors, factories, at, seconds, newest, without = [] }: HistoryQuestion,
): Fragment => {
  const { sql, asset, balance, pool, swap, token } = chain
  const part = Math.floor(seconds / sampleParts)
  // `limit`: else the ranks of a token with millions of holders may seem the shorter way.
  const pairOf = (row: Fragment) => sql`
    select * from ${balance} b where b.holder = p.key and b.token_id = ${row}.token_id limit 1`
  const isErc20 = (row: Fragment) => sql`${row}.standard = ${standardNumbers.erc20}`
  return sql`
    select coalesce(json_agg(json_build_object(
      'token', '0x' || encode(w.address, 'hex'), 'anchor', '0x' || encode(n.address, 'hex'),
      'pool', '0x' || encode(p.key, 'hex'), 'swaps', s.swaps,
      'doubtful', ${isHeldInDoubt(chain, sql`wk`)} or ${isHeldInDoubt(chain, sql`nk`)} or ${mayBeOlder(chain)},
      'held', json_build_array(${newest ? sql`coalesce(na.balance, 0)::text` : sql``}))), '[]')
    from ${asset} w
    join ${asset} n on ${isOneOf(sql, sql`n.address`, anchors)} and n.asset_no <> w.asset_no
    left join ${token} wk on wk.address = w.address and ${isErc20(sql`wk`)}
    left join ${token} nk on nk.address = n.address and ${isErc20(sql`nk`)}
    cross join lateral (
      select * from (
        (select * from ${pool} l where l.asset0 = w.asset_no and l.asset1 = n.asset_no
           and length(l.key) = 20 and ${isOneOf(sql, sql`l.factory`, factories)} order by l.pool_no limit ${samplePools})
        union all
        (select * from ${pool} l where l.asset0 = n.asset_no and l.asset1 = w.asset_no
           and length(l.key) = 20 and ${isOneOf(sql, sql`l.factory`, factories)} order by l.pool_no limit ${samplePools})
      ) both_ways order by pool_no limit ${samplePools}
    ) p
    left join lateral (${pairOf(sql`wk`)}) wa on true
    left join lateral (${pairOf(sql`nk`)}) na on true
    cross join lateral (
      select json_agg(json_build_array(x.pos >> 24, x.pos & 16777215, x.time, x.of_token::text, x.of_anchor::text,
               x.held_token, x.held_anchor)) as swaps
      from generate_series(0, ${sampleParts - 1}::int4) part
      cross join lateral (
        select t.pos, t.time, case when t.in_no = w.asset_no then t.qty_in else t.qty_out end as of_token,
               case when t.in_no = w.asset_no then t.qty_out else t.qty_in end as of_anchor,
               ${heldAfter(chain, sql`wa`)} as held_token, ${heldAfter(chain, sql`na`)} as held_anchor
        from ${swap} t
        where t.pool_no = p.pool_no and t.time > ${at - seconds}::int8 + part * ${part}::int8
          and t.time <= ${at - seconds}::int8 + (part + 1) * ${part}::int8
        order by t.time desc, t.pos desc limit ${samplePerPart}
      ) x
    ) s
    where ${isOneOf(sql, sql`w.address`, tokens)} and not ${isOneOf(sql, sql`p.key`, without)} and s.swaps is not null`
}

/** Of the row `p` of `pool`, by its own token, that of the shares in it. One that never issued any here may be any age. */
const mayBeOlder = (chain: ChainSql): Fragment => {
  const { sql, state, token } = chain
  return sql`
    (select s.first_block from ${state} s) > 0 and coalesce((
      select ${selectOlder(chain)} from ${token} k
      where k.address = p.key and k.standard = ${standardNumbers.erc20}), true)`
}

/** What the pool of the row `pair` of `balance` held after the block of the swap `t`, as text; no row = nothing. */
const heldAfter = ({ sql, history }: ChainSql, pair: Fragment): Fragment => sql`
  coalesce(case when ${pair}.block_number <= t.pos >> 24 then ${pair}.balance else (
    select h.balance from ${history} h
    where h.token_id = ${pair}.token_id and h.holder_no = ${pair}.holder_no and h.block_number <= (t.pos >> 24)::int4
    order by h.block_number desc limit 1) end, 0)::text`

/** Addresses of what was swapped for one of the anchors after one time and up to another, as a JSON array. */
export const selectSwapped = (
  chain: ChainSql,
  anchors: ReadonlyArray<Address>,
  after: number,
  at: number,
): Fragment => {
  const { sql, asset, swap } = chain
  const numbers = sql`array(select n.asset_no from ${asset} n where ${isOneOf(sql, sql`n.address`, anchors)})`
  const stretch = sql`t.pos >= edge.low and t.pos < edge.high`
  return sql`
    with edge as materialized (
      select (${firstPosAfter(chain, after)}) as low, (${firstPosAfter(chain, at)}) as high, ${numbers} as anchors
    )
    select coalesce(json_agg('0x' || encode(a.address, 'hex') order by a.address), '[]')
    from (
      select t.in_no as asset_no from edge cross join ${swap} t where ${stretch} and t.out_no = any(edge.anchors)
      union
      select t.out_no from edge cross join ${swap} t where ${stretch} and t.in_no = any(edge.anchors)
    ) met join ${asset} a on a.asset_no = met.asset_no`
}

/** The time of the first swap of a block later than `after`. */
export const selectNextTime = (chain: ChainSql, after: number): Fragment => {
  const { sql, swap } = chain
  return sql`
    select x.time from ${swap} x where x.pos >= (${firstPosAfter(chain, after)}) order by x.pos limit 1`
}

/** The time of the last swap of a block at `at` or before it. */
export const selectLastTime = (chain: ChainSql, at: number): Fragment => {
  const { sql, swap } = chain
  return sql`
    select x.time from ${swap} x where x.pos < (${firstPosAfter(chain, at)}) order by x.pos desc limit 1`
}

/** A scalar, int8: swaps from this `pos` on are of blocks later than `time`, all others are not. */
const firstPosAfter = (chain: ChainSql, time: number): Fragment =>
  chain.sql`select (${selectFirstBlockAt(swapFeed(chain), time + 1)})::int8 << 24`
