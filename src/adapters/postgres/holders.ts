/** SQL of holder lists: the accounts of a token by rank, as they are now. */
import type { Fragment, Sql } from "postgres"
import type { HolderKey } from "../../domain/model/holder.ts"
import type { PageRequest } from "../../domain/model/page.ts"
import type { HoldersQuery, Window } from "../../ports/HolderStore.ts"
import { rankedHoldersAt, selectHolderCountAt, selectHolderWindowAt, selectPageAt } from "./holdersAt.ts"
import { placeOf } from "./page.ts"
import { holderOrder, selectRankedHolders } from "./ranks.ts"
import type { ChainTables } from "./tables.ts"

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

/** `{address, balance}` rows in the order read, one more than the limit. */
const selectHolders = (sql: Sql, chain: ChainTables, tokenId: Fragment, page: PageRequest<HolderKey>): Fragment => {
  const limit = page.limit + 1
  const { key, reading } = placeOf(page, "desc")
  const rows = selectRankedHolders(sql, chain, tokenId, { key, reading, limit }, sql``)
  return sql`${listed(sql)} (select * from (${rows}) b order by ${holderOrder(sql, reading)} limit ${limit}) b`
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
  const rows = selectRankedHolders(sql, chain, tokenId, { reading: "desc", limit: page * offset }, sql``)
  return sql`
    ${listed(sql)} (
      select * from (${rows}) b order by ${holderOrder(sql, "desc")} limit ${offset} offset ${(page - 1) * offset}
    ) b`
}

const listed = (sql: Sql): Fragment => sql`
  select coalesce(json_agg(json_build_object('address', '0x' || encode(b.holder, 'hex'), 'balance', b.balance::text)), '[]') from`

/** Addresses with a balance above zero: now as the ledger keeps the number, no row for an unknown token. */
export const selectHolderCount = (sql: Sql, chain: ChainTables, tokenId: Fragment, blockNumber?: number): Fragment =>
  blockNumber === undefined
    ? sql`select s.holders from ${chain.tokenStat} s where s.token_id = (${tokenId})`
    : selectHolderCountAt(sql, chain, tokenId, blockNumber)
