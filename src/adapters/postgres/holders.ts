/** SQL of holder lists: the accounts of a token by rank, as they are now. */
import type { Fragment, Sql } from "postgres"
import type { HolderKey } from "../../domain/model/holder.ts"
import type { PageRequest } from "../../domain/model/page.ts"
import type { HoldersQuery, Window } from "../../ports/HolderStore.ts"
import { rankedHoldersAt, selectHolderCountAt, selectHolderWindowAt, selectPageAt } from "./holdersAt.ts"
import { placeOf } from "./page.ts"
import type { ChainTables } from "./tables.ts"

/** Conditions on `b`: what a holder is. Reserved accounts are no addresses. */
const isHolder = (sql: Sql): Fragment => sql`b.balance > 0 and octet_length(b.holder) = 20`

/** What a page is made of: its rows in the order read, one more than the limit, and the total where it was asked for. */
export interface HolderPage<Key> {
  readonly rows: Array<Key>
  readonly total?: number | null
}

/** What a page is asked for. */
export type PageWanted<Key> = Pick<HoldersQuery<Key>, "page" | "count"> & { readonly blockNumber: number | undefined }

/** `HolderPage<HolderKey>`. */
export const selectHolderPage = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  { page, count, blockNumber }: PageWanted<HolderKey>,
): Fragment =>
  blockNumber === undefined
    ? sql`select json_build_object('rows', (${selectHolders(sql, chain, tokenId, page)})
        ${count ? sql`, 'total', (${selectHolderCount(sql, chain, tokenId)})` : sql``})`
    : selectPageAt(sql, rankedHoldersAt(sql, chain, tokenId, page, blockNumber), page.limit + 1, count)

/**
 * `{address, balance}` rows in the order read, one more than the limit. Equal balances are their own branch, so that
 * a page inside a long tie starts at its place in the index.
 */
const selectHolders = (sql: Sql, chain: ChainTables, tokenId: Fragment, page: PageRequest<HolderKey>): Fragment => {
  const { key, reading } = placeOf(page, "desc")
  const order = reading === "desc" ? sql`order by b.balance desc, b.holder` : sql`order by b.balance, b.holder desc`
  const branch = (condition: Fragment): Fragment => sql`(
    select b.holder, b.balance from ${chain.balance} b
    where b.token_id = (${tokenId}) and ${isHolder(sql)} ${condition} ${order} limit ${page.limit + 1})`
  const rows =
    key === undefined
      ? branch(sql``)
      : reading === "desc"
        ? sql`${branch(sql`and b.balance = ${key.balance}::numeric and b.holder > ${key.address}::bytea`)}
              union all ${branch(sql`and b.balance < ${key.balance}::numeric`)}`
        : sql`${branch(sql`and b.balance = ${key.balance}::numeric and b.holder < ${key.address}::bytea`)}
              union all ${branch(sql`and b.balance > ${key.balance}::numeric`)}`
  return sql`${listed(sql)} (select * from (${rows}) b ${order} limit ${page.limit + 1}) b`
}

/** `{address, balance}` rows by rank, by page and offset. */
export const selectHolderWindow = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  window: Window,
  blockNumber: number | undefined,
): Fragment => {
  if (blockNumber !== undefined) return selectHolderWindowAt(sql, chain, tokenId, window, blockNumber)
  const { page, offset } = window
  return sql`
    ${listed(sql)} (
      select b.holder, b.balance from ${chain.balance} b
      where b.token_id = (${tokenId}) and ${isHolder(sql)}
      order by b.balance desc, b.holder limit ${offset} offset ${(page - 1) * offset}
    ) b`
}

const listed = (sql: Sql): Fragment => sql`
  select coalesce(json_agg(json_build_object('address', '0x' || encode(b.holder, 'hex'), 'balance', b.balance::text)), '[]') from`

/** Addresses with a balance above zero: now as the ledger keeps the number, no row for an unknown token. */
export const selectHolderCount = (sql: Sql, chain: ChainTables, tokenId: Fragment, blockNumber?: number): Fragment =>
  blockNumber === undefined
    ? sql`select s.holders from ${chain.tokenStat} s where s.token_id = (${tokenId})`
    : selectHolderCountAt(sql, chain, tokenId, blockNumber)
