/** SQL of a page of a ranked list as of a block: by rank what was not touched since, and what was; or all rows of the token, or of some addresses, sorted. */
import type { Fragment } from "postgres"
import type { HolderKey } from "../../../../model/holder.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { joined } from "../../database/fragments.ts"
import { type BlockSql, blockOf, endOf } from "../common/atBlock.ts"
import { seekOf } from "../common/page.ts"
import {
  isNarrowed,
  type Narrowed,
  narrowing,
  newestRows,
  selectByRank,
  selectNarrowedTotal,
  type Wanted,
} from "./byRank.ts"
import { isNear } from "./parties.ts"
import { keyColumns, keyJson, type RankedTable, rankOrder } from "./rankedTable.ts"
import { touchedSince } from "./touchedSince.ts"
import { selectHeldAt, selectOfRows } from "./versions.ts"

/**
 * `near` gives null where too much happened since the block. Only `far` needs `wholeTokenParameters`. Rows of some addresses
 * are looked up either way: they are never null.
 */
export interface At {
  readonly blockNumber: BlockSql
  readonly way: "near" | "far"
}

/** `RankedPage<Key>`, or null where too much happened since the block. */
export const selectPageNear = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  wanted: Wanted<Key>,
  blockNumber: BlockSql,
): Fragment => {
  const { sql } = table.chain
  const { place, limit, offset = 0, narrowed } = wanted
  const bornId = selectBornId(table.chain, tokenId, blockNumber)
  const then = sql`and b.block_number <= ${blockOf(sql, blockNumber)} and ${isNear(sql)}`
  const untouched = selectByRank(table, bornId, {
    ...seekOf(place, "desc"),
    limit: limit + offset,
    condition: then,
    narrowed,
  })
  const touched = sql`select ${keyColumns(table, "b")}, b.balance_then as balance from changed b where b.balance_then > 0`
  const ofTouched = sql`select count(*) from (${touched}) b where true ${narrowing(table.chain, narrowed)}`
  // Those that hold now, less those of the touched that do, and those of the touched that did.
  const total = isNarrowed(narrowed)
    ? sql`select (${selectNarrowedTotal(table, bornId, narrowed, then)}) + (${ofTouched})`
    : sql`select near.${table.total} - (select count(*) from changed b where b.balance > 0)
    + (select count(*) from changed b where b.balance_then > 0) from near`
  return sql`with ${touchedSince(table, bornId, blockNumber)} select case when ${isNear(sql)} then
    ${pageOf(table, wanted, sql`${untouched} union all ${touched}`, total)} end`
}

/** `RankedPage<Key>`. */
export const selectPageFar = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  wanted: Wanted<Key>,
  blockNumber: BlockSql,
): Fragment => {
  const { sql } = table.chain
  const held = selectHeld(table, tokenId, wanted.narrowed, blockNumber)
  const page = pageOf(
    table,
    wanted,
    sql`select * from held`,
    sql`select count(*) from held b where true ${narrowing(table.chain, wanted.narrowed)}`,
  )
  return sql`with held as materialized (${held}) select ${page}`
}

/** A `RankedPage` of rows that are there in no order. */
const pageOf = <Key extends HolderKey>(
  table: RankedTable<Key>,
  { place, limit, offset = 0, count, narrowed }: Wanted<Key>,
  rows: Fragment,
  total: Fragment,
): Fragment => {
  const { sql } = table.chain
  const order = rankOrder(table, seekOf(place, "desc").reading)
  const page = sql`
    select coalesce(json_agg(${keyJson(table)}), '[]') from (
      select * from (${rows}) b where ${isBeyond(table, place)} ${narrowing(table.chain, narrowed)} order by ${order} limit ${limit} offset ${offset}
    ) b`
  return sql`json_build_object('rows', (${page}) ${count ? sql`, 'total', (${total})` : sql``})`
}

/** All rows behind a place as they were after a block, as a column `row`. */
export const selectAllAt = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  { place, narrowed }: Pick<Wanted<Key>, "place" | "narrowed">,
  blockNumber: number,
): Fragment => {
  const { sql } = table.chain
  const held = selectHeld(table, tokenId, narrowed, blockNumber)
  const order = rankOrder(table, seekOf(place, "desc").reading)
  return sql`select ${keyJson(table)} as row from (${held}) b where ${isBeyond(table, place)} ${narrowing(table.chain, narrowed)} order by ${order}`
}

/** Key columns and `balance` of rows that were above zero after a block, in no order: of all, or of the addresses that are named. */
const selectHeld = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  narrowed: Narrowed | undefined,
  blockNumber: BlockSql,
): Fragment => {
  const bornId = selectBornId(table.chain, tokenId, blockNumber)
  return narrowed?.addresses === undefined
    ? selectHeldAt(table, bornId, blockNumber)
    : selectOfRows(table, newestRows(table, bornId, narrowed), blockNumber)
}

/** Condition on row `b`. */
const isBeyond = <Key extends HolderKey>(table: RankedTable<Key>, place: Wanted<Key>["place"]): Fragment => {
  const { sql } = table.chain
  const { key, reading } = seekOf(place, "desc")
  if (key === undefined) return sql`true`
  const [less, ahead] = reading === "desc" ? [sql`<`, sql`>`] : [sql`>`, sql`<`]
  const values = joined(
    table.key.map(({ seekValue }) => seekValue(key)),
    sql`,`,
  )
  return sql`(b.balance ${less} ${key.balance}::numeric or b.balance = ${key.balance}::numeric
      and (${keyColumns(table, "b")}) ${ahead} (${values}))`
}

/** The token's id, if it had its first event by then: of one that had not, nothing is looked through. */
const selectBornId = ({ sql, token }: ChainSql, tokenId: Fragment, blockNumber: BlockSql): Fragment =>
  sql`select k.token_id from ${token} k where k.token_id = (${tokenId}) and k.first_pos < ${endOf(sql, blockNumber)}`
