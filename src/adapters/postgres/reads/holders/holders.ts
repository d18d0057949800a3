/** SQL of holder lists: the accounts of a token by rank, and how many there are. */
import type { Fragment, Sql } from "postgres"
import type { HolderKey } from "../../../../model/holder.ts"
import type { ChainTables } from "../../database/tables.ts"
import { placeOf } from "../common/page.ts"
import { type At, rankedHoldersAt, selectPageAt, type Wanted } from "./holdersAt.ts"
import { holderOrder, selectRankedHolders } from "./ranks.ts"

/** What a list's statement gives: rows in the order read, and the total where it was asked for (null for an unknown token). */
export interface HolderPage<Key> {
  readonly rows: Array<Key>
  readonly total?: number | null
}

/** `HolderPage<HolderKey>`: now, or as of a block. The ledger keeps the number of those that hold now. */
export const selectHolderPage = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  wanted: Wanted<HolderKey>,
  at: At | undefined,
): Fragment => {
  const { place, limit, offset = 0, count } = wanted
  if (at !== undefined)
    return selectPageAt(sql, rankedHoldersAt(sql, chain, tokenId, place, at.blockNumber), wanted, at)
  const { key, reading } = placeOf(place, "desc")
  const rows = selectRankedHolders(sql, chain, tokenId, { key, reading, limit: limit + offset }, sql``)
  const total = sql`, 'total', (select s.holders from ${chain.tokenStat} s where s.token_id = (${tokenId}))`
  return sql`
    select json_build_object('rows', (
      select coalesce(json_agg(json_build_object('address', '0x' || encode(b.holder, 'hex'), 'balance', b.balance::text)), '[]')
      from (select * from (${rows}) b order by ${holderOrder(sql, reading)} limit ${limit} offset ${offset}) b
    ) ${count ? total : sql``})`
}
