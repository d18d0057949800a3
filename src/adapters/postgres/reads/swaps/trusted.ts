/** SQL of swaps whose two sides stand on token lists: pairs of the lists' tokens are looked up where they are few, and walked past the others where they are many. */
import type { Fragment } from "postgres"
import type { ChainSql } from "../../database/chainSql.ts"
import { type Direction, orderWord } from "../feed/feed.ts"

/** Up to so many tokens of the lists each pair of them is looked up: 4,096 look-ups. A walk would go far where few swaps are of two such. */
const fewTokens = 64

/** What the native currency is called among assets. It needs no list. */
const native = `\\x${"0".repeat(40)}`

/** A condition on asset `a`: a list vouches for it. */
export const isTrustedAsset = ({ sql, tokenNote }: ChainSql): Fragment => sql`
  (a.address = ${native}::bytea or exists (select from ${tokenNote} n where n.address = a.address and n.trusted))`

interface Sides {
  /** Fragments that give `asset_no`; absent = any that a list vouches for. */
  readonly paid?: Fragment
  readonly got?: Fragment
  readonly bounds: Array<Fragment>
  readonly direction: Direction
  readonly limit: number
}

/** A table of `pos`: of each pair of sides, or of each side that is given, the first `limit`. At most one of the sides is given. */
export const selectTrusted = (chain: ChainSql, { paid, got, bounds, direction, limit }: Sides): Fragment => {
  const { sql, asset, swap, tokenNote } = chain
  const order = (most: number) => sql`order by t.pos ${orderWord(sql, direction)} limit ${most}`
  const trusted = sql`
    select a.asset_no from ${tokenNote} n cross join lateral (
      select a.asset_no from ${asset} a where a.address = n.address limit 1) a
    where n.trusted and n.address <> ${native}::bytea
    union all select a.asset_no from ${asset} a where a.address = ${native}::bytea`
  const isTrusted = (column: Fragment) => sql`and exists (
    select from ${asset} a where a.asset_no = ${column} and ${isTrustedAsset(chain)})`
  const any = sql`select l.asset_no from listed l`
  const pairs = sql`
    select f.pos from (${paid ?? any}) paid cross join (${got ?? any}) got cross join lateral (
      select t.pos from ${swap} t where t.in_no = paid.asset_no and t.out_no = got.asset_no ${bounds} ${order(limit)}) f
    where (select few.yes from few)`
  // The side that is walked, and the one that is looked at; of neither given, the paid ones.
  const [column, other] = got === undefined ? [sql`t.in_no`, sql`t.out_no`] : [sql`t.out_no`, sql`t.in_no`]
  // True of every row, and in no index: else all of a token's swaps are read from that of pairs, which has both sides, and put in order.
  const isWalked = sql`and t.time >= 0`
  const rowsOf = (side: Fragment, most: number) => sql`
    select t.pos from ${swap} t where ${column} = ${side} ${isTrusted(other)} ${isWalked} ${bounds} ${order(most)}`
  // Only those can have one of the first rows whose own first row is among the first.
  const first = sql`
    select l.asset_no from listed l cross join lateral (${rowsOf(sql`l.asset_no`, 1)}) t ${order(limit)}`
  const walked = sql`
    select f.pos from (${paid ?? got ?? first}) side cross join lateral (${rowsOf(sql`side.asset_no`, limit)}) f
    where not (select few.yes from few)`
  return sql`(
    with listed as materialized (${trusted}),
    few as materialized (select count(*) <= ${fewTokens} as yes from listed)
    (${pairs}) union all (${walked}))`
}
