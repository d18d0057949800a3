/** SQL of a page of swaps: each chain's branch of it, and all together. */
import type { Fragment, Sql } from "postgres"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import { type Direction, type FeedSlice, orderWord } from "../feed/feed.ts"

/** Columns of `t`. */
const selectColumns = (sql: Sql): Fragment =>
  sql`t.pos, t.time, t.in_no, t.out_no, t.pool_no, t.tx_hash, t.qty_in, t.qty_out`

/** One chain's branch of a page: a slice of its feed. */
export const selectRows = ({ sql, chainId, swap }: ChainSql, { bounds, direction, limit }: FeedSlice): Fragment => sql`(
  select ${chainId}::int8 as chain_id, ${selectColumns(sql)}
  from ${swap} t where true ${bounds} order by t.pos ${orderWord(sql, direction)} limit ${limit})`

/** One chain's branch of a page: the rows at `positions`. */
export const selectRowsAt = ({ sql, chainId, swap }: ChainSql, positions: Fragment): Fragment => sql`(
  select ${chainId}::int8 as chain_id, here.* from (${positions}) place cross join lateral (
    select ${selectColumns(sql)} from ${swap} t where t.pos = place.pos limit 1
  ) here)`

/** The same without what a row is beside its place. */
export const selectPlaces = (
  { sql, chainId, swap }: ChainSql,
  { bounds, direction, limit }: FeedSlice,
): Fragment => sql`(
  select ${chainId}::int8 as chain_id, t.time, t.pos
  from ${swap} t where true ${bounds} order by t.pos ${orderWord(sql, direction)} limit ${limit})`

export const selectPlacesAt = ({ sql, chainId, swap }: ChainSql, positions: Fragment): Fragment => sql`(
  select ${chainId}::int8 as chain_id, here.* from (${positions}) place cross join lateral (
    select t.time, t.pos from ${swap} t where t.pos = place.pos limit 1
  ) here)`

/** How rows `page` of many chains follow each other; `compareFeedRows` says the same. */
export const pageOrder = (sql: Sql, direction: Direction): Fragment => {
  const way = orderWord(sql, direction)
  return sql`order by page.time ${way}, page.chain_id ${way}, page.pos ${way}`
}

interface Page {
  readonly branches: ReadonlyArray<Fragment>
  readonly direction: Direction
  readonly limit: number
}

/**
 * `SwapRow`s of a page as one JSON array: the branches' rows in feed order, cut at `limit`. Assets and pools are looked
 * up for the page's rows only.
 */
export const selectPage = (
  sql: Sql,
  chains: ReadonlyArray<ChainSql>,
  { branches, direction, limit }: Page,
): Fragment => {
  const order = pageOrder(sql, direction)
  return sql`
    select coalesce(json_agg(r), '[]') from (
      select page.chain_id::text as chain_id, page.pos >> 24 as block_number, page.pos & 16777215 as log_index,
        page.time, '0x' || encode(page.tx_hash, 'hex') as tx_hash, page.qty_in::text as qty_in, page.qty_out::text as qty_out,
        case page.chain_id ${chains.map(
          (chain) => sql`when ${chain.chainId}::int8 then (
            select json_build_array('0x' || encode(i.address, 'hex'), ${selectDecimals(chain, sql`i`)},
              '0x' || encode(o.address, 'hex'), ${selectDecimals(chain, sql`o`)}, '0x' || encode(p.factory, 'hex'))
            from ${chain.asset} i, ${chain.asset} o, ${chain.pool} p
            where i.asset_no = page.in_no and o.asset_no = page.out_no and p.pool_no = page.pool_no)`,
        )} end as made_of
      from (select * from (${unionAll(sql, branches)}) page ${order} limit ${limit}) page ${order}
    ) r`
}

/** What its pools were told of the asset, else what the token says of itself: a contract that is made after its pool has told that nothing. */
const selectDecimals = ({ sql, token }: ChainSql, asset: Fragment): Fragment => sql`
  case when ${asset}.decimals <> 0 then ${asset}.decimals else coalesce((
    select k.decimals from ${token} k where k.address = ${asset}.address and k.standard = ${standardNumbers.erc20}), 0) end`
