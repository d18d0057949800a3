/** Pairs and units of a token as the rank indexes have them: largest balance first, from any place on, either way. */
import type { Fragment, Sql } from "postgres"
import type { Erc1155HolderKey, HolderKey } from "../../../../model/holder.ts"
import type { ChainTables } from "../../database/tables.ts"
import { unionAll } from "../common/acrossChains.ts"

/** From where on, which way, how many. */
export interface Stretch<Key> {
  readonly key?: Key | undefined
  /** `desc` = the order of display. */
  readonly reading: "asc" | "desc"
  readonly limit: number
}

export const holderOrder = (sql: Sql, reading: "asc" | "desc"): Fragment =>
  reading === "desc" ? sql`b.balance desc, b.holder` : sql`b.balance, b.holder desc`

export const unitOrder = (sql: Sql, reading: "asc" | "desc"): Fragment =>
  reading === "desc" ? sql`b.balance desc, b.holder, b.nft_id` : sql`b.balance, b.holder desc, b.nft_id desc`

/**
 * `holder`, `balance` of those addresses that hold a token now and pass the condition on `b` (`and …`). Reserved accounts
 * are no addresses. Equal balances are a branch of their own, so that a page inside a long tie starts at its place in the
 * index; each branch has up to `limit` rows in their order.
 */
export const selectRankedHolders = (
  sql: Sql,
  { balance }: ChainTables,
  tokenId: Fragment,
  { key, reading, limit }: Stretch<HolderKey>,
  condition: Fragment,
): Array<Fragment> => {
  const branch = (beyond: Fragment): Fragment => sql`(
    select b.holder, b.balance from ${balance} b
    where b.token_id = (${tokenId}) and b.balance > 0 and octet_length(b.holder) = 20 ${beyond} ${condition}
    order by ${holderOrder(sql, reading)} limit ${limit})`
  if (key === undefined) return [branch(sql``)]
  const [ahead, less] = reading === "desc" ? [sql`>`, sql`<`] : [sql`<`, sql`>`]
  return unionAll(sql, [
    branch(sql`and b.balance = ${key.balance}::numeric and b.holder ${ahead} ${key.address}::bytea`),
    branch(sql`and b.balance ${less} ${key.balance}::numeric`),
  ])
}

/**
 * `holder`, `nft_id`, `balance` of an ERC-1155 contract likewise. Rows that tie with the key in balance and address, and
 * those that tie in balance alone, are branches of their own.
 */
export const selectRankedUnits = (
  sql: Sql,
  { unitBalance }: ChainTables,
  tokenId: Fragment,
  { key, reading, limit }: Stretch<Erc1155HolderKey>,
  condition: Fragment,
): Array<Fragment> => {
  const branch = (beyond: Fragment): Fragment => sql`(
    select b.holder, b.nft_id, b.balance from ${unitBalance} b
    where b.token_id = (${tokenId}) and b.balance > 0 ${beyond} ${condition}
    order by ${unitOrder(sql, reading)} limit ${limit})`
  if (key === undefined) return [branch(sql``)]
  const [ahead, less] = reading === "desc" ? [sql`>`, sql`<`] : [sql`<`, sql`>`]
  const sameBalance = sql`and b.balance = ${key.balance}::numeric`
  return unionAll(sql, [
    branch(sql`${sameBalance} and b.holder = ${key.address}::bytea and b.nft_id ${ahead} ${key.tokenId}::numeric`),
    branch(sql`${sameBalance} and b.holder ${ahead} ${key.address}::bytea`),
    branch(sql`and b.balance ${less} ${key.balance}::numeric`),
  ])
}
