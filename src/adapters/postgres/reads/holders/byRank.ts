/** Rows of a token as the rank indexes have them: largest balance first, from any place on, either way. */
import type { Fragment } from "postgres"
import type { HolderKey } from "../../../../model/holder.ts"
import type { PageRequest } from "../../../../model/page.ts"
import { unionAll } from "../../database/fragments.ts"
import { keyColumns, type RankedTable, rankOrder } from "./rankedTable.ts"

/** Rows of a list by rank: so many, behind so many behind a place, and how many there are in all. */
export interface Wanted<Key> {
  readonly place: Omit<PageRequest<Key>, "limit">
  readonly limit: number
  readonly offset?: number
  readonly count: boolean
}

/** Which rows of a token: from where on, which way, how many. */
export interface RankScan<Key> {
  readonly key: Key | undefined
  /** `desc` = the order of display. */
  readonly reading: "asc" | "desc"
  readonly limit: number
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
  { key, reading, limit, condition }: RankScan<Key>,
): Array<Fragment> => {
  const { sql } = table.chain
  const branch = (beyond: Array<Fragment>): Fragment => sql`(
    select ${keyColumns(table, "b")}, b.balance from ${table.newest} b
    where b.token_id = (${tokenId}) and b.balance > 0 ${table.isListed} ${beyond} ${condition}
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
