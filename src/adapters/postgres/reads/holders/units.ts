/** SQL of the holders of an ERC-1155 contract: a row per address and id, by rank. */
import type { Fragment, Sql } from "postgres"
import type { Erc1155HolderKey } from "../../../../model/holder.ts"
import type { ChainTables } from "../../database/tables.ts"
import { placeOf } from "../common/page.ts"
import { type At, rankedUnitsAt, selectPageAt, type Wanted } from "./holdersAt.ts"
import { selectRankedUnits, unitOrder } from "./ranks.ts"

/** `HolderPage<Erc1155HolderKey>`: now, or as of a block. The ledger keeps the number of rows (address, id) above zero. */
export const selectUnitPage = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  wanted: Wanted<Erc1155HolderKey>,
  at: At | undefined,
): Fragment => {
  const { place, limit, count } = wanted
  if (at !== undefined) return selectPageAt(sql, rankedUnitsAt(sql, chain, tokenId, place, at.blockNumber), wanted, at)
  const { key, reading } = placeOf(place, "desc")
  const rows = selectRankedUnits(sql, chain, tokenId, { key, reading, limit }, sql``)
  const total = sql`, 'total', (select s.ids from ${chain.tokenStat} s where s.token_id = (${tokenId}))`
  return sql`
    select json_build_object('rows', (
      select coalesce(json_agg(json_build_object('address', '0x' || encode(b.holder, 'hex'),
        'tokenId', b.nft_id::text, 'balance', b.balance::text)), '[]')
      from (select * from (${rows}) b order by ${unitOrder(sql, reading)} limit ${limit}) b
    ) ${count ? total : sql``})`
}
