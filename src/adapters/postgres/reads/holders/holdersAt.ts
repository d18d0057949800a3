/** SQL of holder lists as of a block, in two ways: by rank what was not touched since, and what was; or all pairs of the token, sorted. */
import type { Fragment, Sql } from "postgres"
import type { Erc1155HolderKey, HolderKey } from "../../../../model/holder.ts"
import type { PageRequest } from "../../../../model/page.ts"
import type { ChainTables } from "../../database/tables.ts"
import { blockOf, endOf, selectHoldersAt, selectUnitsAt } from "../common/atBlock.ts"
import { placeOf } from "../common/page.ts"
import { changedHolders, changedUnits, isNear } from "./changedSince.ts"
import { holderOrder, selectRankedHolders, selectRankedUnits, unitOrder } from "./ranks.ts"

/** `near` gives null where too much happened since the block. Only `far` needs `wholeTokenParameters`. */
export interface At {
  readonly blockNumber: number
  readonly way: "near" | "far"
}

/** Rows of a list by rank: so many, behind so many behind a place, and how many there are in all. */
export interface Wanted<Key> {
  readonly place: Omit<PageRequest<Key>, "limit">
  readonly limit: number
  readonly offset?: number
  readonly count: boolean
}

/** Rows `b` of a token's accounts, or of its units, as they were after a block: which, in what order, as what JSON. */
interface Ranked {
  /** All of them. */
  readonly held: Fragment
  /** The tables of what changed since, see `changedSince`. */
  readonly changes: Fragment
  /** Those by rank that were not touched since, if that is near; so many at most, in branches. */
  readonly unchanged: (limit: number) => Array<Fragment>
  /** All columns but the balance. */
  readonly columns: Fragment
  /** How many there are now, a column of `near`. */
  readonly now: Fragment
  readonly row: Fragment
  /** Undefined = from the start. */
  readonly beyond: Fragment | undefined
  readonly order: Fragment
}

/** Of `HolderKey`s. */
export const rankedHoldersAt = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  page: Omit<PageRequest<HolderKey>, "limit">,
  blockNumber: number,
): Ranked => {
  const { key, reading } = placeOf(page, "desc")
  const [less, ahead] = reading === "desc" ? [sql`<`, sql`>`] : [sql`>`, sql`<`]
  const beyond =
    key &&
    sql`b.balance ${less} ${key.balance}::numeric or b.balance = ${key.balance}::numeric
      and b.holder ${ahead} ${key.address}::bytea`
  const untouched = isUntouched(sql, blockNumber)
  const born = selectBornId(sql, chain, tokenId, blockNumber)
  return {
    held: selectHoldersAt(sql, chain, born, blockNumber),
    changes: changedHolders(sql, chain, born, blockNumber),
    unchanged: (limit) => selectRankedHolders(sql, chain, born, { key, reading, limit }, untouched),
    columns: sql`b.holder`,
    now: sql`near.holders`,
    row: sql`json_build_object('address', '0x' || encode(b.holder, 'hex'), 'balance', b.balance::text)`,
    beyond,
    order: holderOrder(sql, reading),
  }
}

/** Of `Erc1155HolderKey`s. */
export const rankedUnitsAt = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  page: Omit<PageRequest<Erc1155HolderKey>, "limit">,
  blockNumber: number,
): Ranked => {
  const { key, reading } = placeOf(page, "desc")
  const [less, ahead] = reading === "desc" ? [sql`<`, sql`>`] : [sql`>`, sql`<`]
  const beyond =
    key &&
    sql`b.balance ${less} ${key.balance}::numeric or b.balance = ${key.balance}::numeric
      and (b.holder, b.nft_id) ${ahead} (${key.address}::bytea, ${key.tokenId}::numeric)`
  const untouched = isUntouched(sql, blockNumber)
  const born = selectBornId(sql, chain, tokenId, blockNumber)
  return {
    held: selectUnitsAt(sql, chain, born, blockNumber),
    changes: changedUnits(sql, chain, born, blockNumber),
    unchanged: (limit) => selectRankedUnits(sql, chain, born, { key, reading, limit }, untouched),
    columns: sql`b.holder, b.nft_id`,
    now: sql`near.ids`,
    row: sql`json_build_object('address', '0x' || encode(b.holder, 'hex'), 'tokenId', b.nft_id::text, 'balance', b.balance::text)`,
    beyond,
    order: unitOrder(sql, reading),
  }
}

/** The token's id, if it had its first event by then: of one that had not, nothing is looked through. */
const selectBornId = (sql: Sql, { token }: ChainTables, tokenId: Fragment, blockNumber: number): Fragment =>
  sql`select k.token_id from ${token} k where k.token_id = (${tokenId}) and k.first_pos < ${endOf(sql, blockNumber)}`

/** Condition on a pair or unit `b`; none passes where the block is not near. */
const isUntouched = (sql: Sql, blockNumber: number): Fragment =>
  sql`and b.block_number <= ${blockOf(sql, blockNumber)} and ${isNear(sql)}`

/** `HolderPage`. */
export const selectPageAt = (sql: Sql, ranked: Ranked, wanted: Omit<Wanted<never>, "place">, { way }: At): Fragment => {
  const { changes, held, unchanged, columns, now, row, beyond, order } = ranked
  const { limit, offset = 0, count } = wanted
  const rows = (from: Fragment) => sql`
    select coalesce(json_agg(${row}), '[]') from (
      select * from (${from}) b ${beyond === undefined ? sql`` : sql`where ${beyond}`}
      order by ${order} limit ${limit} offset ${offset}
    ) b`
  const page = (from: Fragment, total: Fragment) =>
    sql`json_build_object('rows', (${rows(from)}) ${count ? sql`, 'total', (${total})` : sql``})`
  if (way === "far") {
    return sql`with held as materialized (${held}) select ${page(sql`select * from held`, sql`select count(*) from held`)}`
  }
  const touched = sql`select ${columns}, b.balance_then as balance from changed b where b.balance_then > 0`
  // Those that hold now, less those of the touched that do, and those of the touched that did.
  const total = sql`select ${now} - (select count(*) from changed b where b.balance > 0)
    + (select count(*) from changed b where b.balance_then > 0) from near`
  return sql`with ${changes} select case when ${isNear(sql)} then
    ${page(sql`${unchanged(limit + offset)} union all ${touched}`, total)} end`
}

/** All rows, as a column `row`. */
export const selectAllAt = (sql: Sql, { held, beyond, order, row }: Ranked): Fragment =>
  sql`select ${row} as row from (${held}) b ${beyond === undefined ? sql`` : sql`where ${beyond}`} order by ${order}`
