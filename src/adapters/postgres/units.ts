/** SQL of the holders of an ERC-1155 contract: a row per address and id, by rank. */
import type { Fragment, Sql } from "postgres"
import type { Erc1155HolderKey } from "../../domain/model/holder.ts"
import type { PageRequest } from "../../domain/model/page.ts"
import type { PageWanted } from "./holders.ts"
import { rankedUnitsAt, selectPageAt } from "./holdersAt.ts"
import { placeOf } from "./page.ts"
import { selectRankedUnits, unitOrder } from "./ranks.ts"
import type { ChainTables } from "./tables.ts"

/** `HolderPage<Erc1155HolderKey>`. The ledger keeps the number of rows (address, id) above zero. */
export const selectUnitPage = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  { page, count, blockNumber }: PageWanted<Erc1155HolderKey>,
): Fragment => {
  if (blockNumber !== undefined) {
    return selectPageAt(sql, rankedUnitsAt(sql, chain, tokenId, page, blockNumber), page.limit + 1, count)
  }
  const total = sql`, 'total', (select s.ids from ${chain.tokenStat} s where s.token_id = (${tokenId}))`
  return sql`select json_build_object('rows', (${selectUnits(sql, chain, tokenId, page)}) ${count ? total : sql``})`
}

/** `Erc1155HolderKey`s in the order read, one more than the limit. */
const selectUnits = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  page: PageRequest<Erc1155HolderKey>,
): Fragment => {
  const limit = page.limit + 1
  const { key, reading } = placeOf(page, "desc")
  const rows = selectRankedUnits(sql, chain, tokenId, { key, reading, limit }, sql``)
  return sql`
    select coalesce(json_agg(json_build_object('address', '0x' || encode(b.holder, 'hex'),
      'tokenId', b.nft_id::text, 'balance', b.balance::text)), '[]')
    from (select * from (${rows}) b order by ${unitOrder(sql, reading)} limit ${limit}) b`
}
