/** SQL of the holders of an ERC-1155 contract: a row per address and id, by rank. */
import type { Fragment, Sql } from "postgres"
import type { Erc1155HolderKey } from "../../domain/model/holder.ts"
import type { PageRequest } from "../../domain/model/page.ts"
import { unionAll } from "./acrossChains.ts"
import type { PageWanted } from "./holders.ts"
import { rankedUnitsAt, selectPageAt } from "./holdersAt.ts"
import { placeOf } from "./page.ts"
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

/**
 * `Erc1155HolderKey`s in the order read, one more than the limit. Rows that tie with the key in balance and address,
 * and those that tie in balance alone, are branches of their own: each starts at its place in the index.
 */
const selectUnits = (
  sql: Sql,
  { unitBalance }: ChainTables,
  tokenId: Fragment,
  page: PageRequest<Erc1155HolderKey>,
): Fragment => {
  const { key, reading } = placeOf(page, "desc")
  const down = reading === "desc"
  const order = down
    ? sql`order by b.balance desc, b.holder, b.nft_id`
    : sql`order by b.balance, b.holder desc, b.nft_id desc`
  const branch = (condition: Fragment): Fragment => sql`(
    select b.holder, b.nft_id, b.balance from ${unitBalance} b
    where b.token_id = (${tokenId}) and b.balance > 0 ${condition} ${order} limit ${page.limit + 1})`
  const rows = key === undefined ? [branch(sql``)] : beyond(sql, key, down).map(branch)
  return sql`
    select coalesce(json_agg(json_build_object('address', '0x' || encode(b.holder, 'hex'),
      'tokenId', b.nft_id::text, 'balance', b.balance::text)), '[]')
    from (select * from (${unionAll(sql, rows)}) b ${order} limit ${page.limit + 1}) b`
}

/** What the rows behind a key satisfy, nearest first. */
const beyond = (sql: Sql, { balance, address, tokenId }: Erc1155HolderKey, down: boolean): Array<Fragment> => {
  const [ahead, less] = down ? [sql`>`, sql`<`] : [sql`<`, sql`>`]
  const sameBalance = sql`and b.balance = ${balance}::numeric`
  return [
    sql`${sameBalance} and b.holder = ${address}::bytea and b.nft_id ${ahead} ${tokenId}::numeric`,
    sql`${sameBalance} and b.holder ${ahead} ${address}::bytea`,
    sql`and b.balance ${less} ${balance}::numeric`,
  ]
}
