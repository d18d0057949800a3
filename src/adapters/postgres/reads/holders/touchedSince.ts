/** The rows of a token that were touched since a block, where these are few: all others are as they were, and in rank order. */
import type { Fragment } from "postgres"
import type { HolderKey } from "../../../../model/holder.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { joined } from "../../database/fragments.ts"
import { type BlockSql, blockOf, endOf } from "../common/atBlock.ts"
import { isWrapped } from "./parties.ts"
import { keyColumns, type RankedTable } from "./rankedTable.ts"
import { balanceAt } from "./versions.ts"

/** Rows since the block that are looked through at most; of a token with few pairs fewer, since reading all of those is cheap. */
const [mostRows, leastRows, pairsEach] = [20_000, 100, 20]

/**
 * Tables `near` (one row: the token's counters and `is_near`) and, empty unless near, `changed`: key columns, `balance` now
 * and `balance_then` of each row touched since.
 */
export const touchedSince = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  blockNumber: BlockSql,
): Fragment => {
  const { sql } = table.chain
  const isParty = joined(
    table.key.map(({ name }) => sql`b.${name} = party.${name}`),
    sql`and`,
  )
  return sql`
    ${nearTable(table, tokenId, blockNumber)},
    ${table.parties(tokenId, blockNumber)},
    changed as materialized (
      select ${keyColumns(table, "party")}, b.balance, b.balance_then from party cross join lateral (
        select b.balance, ${balanceAt(table, blockNumber)} as balance_then from ${table.newest} b
        where ${isParty} and b.token_id = (${tokenId}) and b.block_number > ${blockOf(sql, blockNumber)}
        offset 0
      ) b
    )`
}

const nearTable = <Key extends HolderKey>(
  { chain, feeds }: RankedTable<Key>,
  tokenId: Fragment,
  blockNumber: BlockSql,
): Fragment => {
  const { sql, transfers, wrap, tokenStat } = chain
  const ofToken = (rows: ChainSql["wrap"], condition: Fragment) => sql`
    union all (select from ${rows} t where t.pos >= ${endOf(sql, blockNumber)} and ${condition} limit most.rows + 1)`
  return sql`
    near as materialized (
      select s.standard, s.holders, s.ids, (
        select count(*) from (
          (select where false)
          ${feeds.map((feed) =>
            ofToken(transfers[feed], sql`t.token_id = (${tokenId}) and s.standard = ${standardNumbers[feed]}`),
          )}
          ${ofToken(wrap, sql`t.token_id = (${tokenId}) and (${isWrapped(chain, tokenId)})`)}
        ) seen
      ) <= most.rows as is_near
      from ${tokenStat} s
        cross join lateral (select least(${mostRows}, greatest(${leastRows}, s.holder_seq / ${pairsEach})) as rows) most
      where s.token_id = (${tokenId})
    )`
}
