/** Rows of a token as the rank indexes have them: largest balance first, from any place on, either way. */
import type { Fragment } from "postgres"
import type { HolderKey } from "../../../../model/holder.ts"
import { countCap, type PageRequest } from "../../../../model/page.ts"
import type { Address, BigIntString } from "../../../../model/primitives.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import { keyColumns, type RankedTable, rankOrder } from "./rankedTable.ts"

/** Rows of a list by rank: so many, behind so many behind a place, and how many there are in all. */
export interface Wanted<Key> {
  readonly place: Omit<PageRequest<Key>, "limit">
  readonly limit: number
  readonly offset?: number
  readonly count: boolean
  /** Which rows alone. */
  readonly narrowed?: Narrowed
}

export interface Narrowed {
  readonly minBalance?: BigIntString
  readonly addresses?: ReadonlyArray<Address>
  readonly excludeContracts?: true
}

export const isNarrowed = (narrowed: Narrowed | undefined): narrowed is Narrowed =>
  narrowed?.minBalance !== undefined || narrowed?.addresses !== undefined || narrowed?.excludeContracts === true

/** Condition on row `b`: `and …`. */
export const narrowing = (
  { sql, accountCode }: ChainSql,
  { minBalance, addresses, excludeContracts }: Narrowed = {},
): Fragment => {
  const least = minBalance === undefined ? sql`` : sql`and b.balance >= ${minBalance}::numeric`
  const among = addresses === undefined ? sql`` : sql`and b.holder = any(${addresses as Array<Address>}::bytea[])`
  // A scalar is looked up row by row; of an anti-join the planner may make one of the whole table.
  const noContract =
    excludeContracts === true
      ? sql`and (select c.is_contract from ${accountCode} c where c.address = b.holder) is not true`
      : sql``
  return sql`${least} ${among} ${noContract}`
}

/** The rows of some addresses are looked up, fenced: else the planner reads the token's ranks until it has met them. */
export const newestRows = <Key extends HolderKey>(
  { chain: { sql }, newest }: RankedTable<Key>,
  tokenId: Fragment,
  { addresses }: Narrowed = {},
): Fragment =>
  addresses === undefined
    ? sql`${newest}`
    : sql`(
        select found.* from unnest(${addresses as Array<Address>}::bytea[]) wanted (holder) cross join lateral (
          select * from ${newest} n where n.holder = wanted.holder and n.token_id = (${tokenId}) offset 0
        ) found offset 0)`

/** Rows that pass. Those of some addresses alone are counted to the last, others a little further than the cap. */
export const selectNarrowedTotal = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  narrowed: Narrowed,
  condition: Fragment,
): Fragment => {
  const { sql } = table.chain
  const isWhole = narrowed.minBalance === undefined && narrowed.excludeContracts !== true
  const most = isWhole ? sql`` : sql`limit ${countCap + 1}`
  return sql`select count(*) from (
    select from ${newestRows(table, tokenId, narrowed)} b
    where b.token_id = (${tokenId}) and b.balance > 0 ${table.isListed} ${narrowing(table.chain, narrowed)} ${condition}
    ${most}) counted`
}

/** Which rows of a token: from where on, which way, how many. */
export interface RankScan<Key> {
  readonly key: Key | undefined
  /** `desc` = the order of display. */
  readonly reading: "asc" | "desc"
  readonly limit: number
  readonly narrowed?: Narrowed | undefined
  /** On row `b`: `and …`. */
  readonly condition: Fragment
}

/**
 * Key columns and `balance` of the rows above zero. Rows that tie with the key in balance, and those that tie in columns of
 * their key too, are branches of their own, so that a page inside a long tie starts at its place in the index. Each branch
 * has up to `limit` rows in their order.
 */
export const selectByRank = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  { key, reading, limit, condition, narrowed }: RankScan<Key>,
): Array<Fragment> => {
  const { sql } = table.chain
  const branch = (beyond: Array<Fragment>): Fragment => sql`(
    select ${keyColumns(table, "b")}, b.balance from ${newestRows(table, tokenId, narrowed)} b
    where b.token_id = (${tokenId}) and b.balance > 0 ${table.isListed} ${narrowing(table.chain, narrowed)} ${beyond} ${condition}
    order by ${rankOrder(table, reading)} limit ${limit})`
  if (key === undefined) return [branch([sql``])]
  const [ahead, less] = reading === "desc" ? [sql`>`, sql`<`] : [sql`<`, sql`>`]
  /** The key's balance, and its values of so many columns. */
  const tiesIn = (columns: number): Array<Fragment> => [
    sql`and b.balance = ${key.balance}::numeric`,
    ...table.key.slice(0, columns).map(({ name, seekValue }) => sql`and b.${name} = ${seekValue(key)}`),
  ]
  const ties = table.key.map(({ name, seekValue }, column) =>
    branch([...tiesIn(column), sql`and b.${name} ${ahead} ${seekValue(key)}`]),
  )
  return unionAll(sql, [...ties.toReversed(), branch([sql`and b.balance ${less} ${key.balance}::numeric`])])
}
