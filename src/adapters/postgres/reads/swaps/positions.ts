/** Positions of swaps in feed order, read off the indexes. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import { type FeedSlice, orderWord } from "../feed/feed.ts"
import type { Lists } from "./lists.ts"
import { isTrustedAsset, selectTrusted } from "./trusted.ts"

/** Which lists; `trusted`: what of them is between two that token lists vouch for. */
interface Wanted {
  readonly lists: ReadonlyArray<Lists>
  readonly trusted?: true | undefined
}

/** The first `limit` positions that the lists hold, each once. */
export const selectPositions = (chain: ChainSql, { lists, trusted }: Wanted, slice: FeedSlice): Fragment => {
  const { sql } = chain
  const order = sql`order by pos ${orderWord(sql, slice.direction)} limit ${slice.limit}`
  const branches = filled(lists).map((list) => sql`select f.pos from ${selectFirst(chain, list, trusted, slice)} f`)
  if (branches.length === 0) return sql`select null::int8 as pos where false`
  return sql`select distinct pos from (${unionAll(sql, branches)}) listed ${order}`
}

/** How many positions the lists hold, each once; more than `most` where there are more. */
export const selectNumber = (
  chain: ChainSql,
  { lists, trusted }: Wanted,
  { bounds, most }: { readonly bounds: Array<Fragment>; readonly most: number },
): Fragment => {
  const { sql } = chain
  const slice = { bounds, direction: "asc", limit: most + 1 } as const
  const branches = filled(lists).map((list) => sql`select f.pos from ${selectFirst(chain, list, trusted, slice)} f`)
  if (branches.length === 0) return sql`select 0`
  // A swap is in two lists at most: of so many, more than `most` are different ones.
  return sql`select count(distinct pos) from (select pos from (${unionAll(sql, branches)}) listed limit ${2 * most + 1}) met`
}

/** Lists of no addresses hold nothing. */
const filled = (lists: ReadonlyArray<Lists>): ReadonlyArray<Lists> =>
  lists.filter(({ paid, got }) => paid?.length !== 0 && got?.length !== 0)

/**
 * The positions of each of the lists, cut at `limit`. Without a limit of its own, the planner may leave part of the
 * condition out of the look-up and throw rows away instead.
 */
const selectFirst = (
  chain: ChainSql,
  { paid, got }: Lists,
  trusted: true | undefined,
  { bounds, direction, limit }: FeedSlice,
): Fragment => {
  const { sql, asset, swap } = chain
  const assets = (addresses: ReadonlyArray<Address>) =>
    sql`(select a.asset_no from ${asset} a where a.address = any(${addresses as Array<Address>}::bytea[])
      ${trusted === true ? sql`and ${isTrustedAsset(chain)}` : sql``})`
  if (trusted === true && (paid === undefined || got === undefined)) {
    const sides = { ...(paid && { paid: assets(paid) }), ...(got && { got: assets(got) }) }
    return selectTrusted(chain, { ...sides, bounds, direction, limit })
  }
  const order = sql`order by t.pos ${orderWord(sql, direction)} limit ${limit}`
  const wanted = [
    ...(paid === undefined ? [] : [sql`${assets(paid)} paid`]),
    ...(got === undefined ? [] : [sql`${assets(got)} got`]),
  ]
  const paidIn = paid === undefined ? sql`` : sql`and t.in_no = paid.asset_no`
  const gotOut = got === undefined ? sql`` : sql`and t.out_no = got.asset_no`
  return sql`${wanted.length === 2 ? sql`${wanted[0]!} cross join ${wanted[1]!}` : wanted[0]!}
    cross join lateral (select t.pos from ${swap} t where true ${paidIn} ${gotOut} ${bounds} ${order})`
}
