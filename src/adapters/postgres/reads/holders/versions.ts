/** What rows of a ranked table were after any block: the newest version where it is old enough, else a superseded one. */
import type { Fragment } from "postgres"
import type { HolderKey } from "../../../../model/holder.ts"
import { type BlockSql, blockOf } from "../common/atBlock.ts"
import { keyColumns, type RankedTable } from "./rankedTable.ts"

/** Balance of row `b` after a block (absent = now); null before its first touch. */
export const balanceAt = <Key extends HolderKey>(
  { chain: { sql }, history, number }: RankedTable<Key>,
  blockNumber: BlockSql | undefined,
): Fragment =>
  blockNumber === undefined
    ? sql`b.balance`
    : sql`case when b.block_number <= ${blockOf(sql, blockNumber)} then b.balance else (
        select h.balance from ${history} h
        where h.token_id = b.token_id and h.${number} = b.${number} and h.block_number <= ${blockOf(sql, blockNumber)}
        order by h.block_number desc limit 1) end`

/** Key columns and `balance` of those of these rows that were above zero after a block: a look-up each. */
export const selectOfRows = <Key extends HolderKey>(
  table: RankedTable<Key>,
  rows: Fragment,
  blockNumber: BlockSql,
): Fragment => {
  const { sql } = table.chain
  return sql`
    select ${keyColumns(table, "p")}, p.then as balance from (
      select ${keyColumns(table, "b")}, ${balanceAt(table, blockNumber)} as then from ${rows} b
      where true ${table.isListed} offset 0
    ) p where p.then > 0`
}

/** Server settings of a statement that reads all rows of a token: by pages of the table, not row by row, and sorted in memory. */
export const wholeTokenParameters = { enable_bitmapscan: "on", work_mem: "32MB" }

/** Transfers for each row up to which reading all of a token's history costs less than a look-up for each changed row. */
const shortHistory = 6

/**
 * Key columns and `balance` of the rows of a token that were above zero after a block, in no order. Reads every row of the
 * token once; give it `wholeTokenParameters`.
 *
 * A full join (nothing is only in the history) is never a nested loop, whatever the planner thinks of the token's size;
 * the fences keep it one, and each balance from being asked for as often as it is named.
 */
export const selectHeldAt = <Key extends HolderKey>(
  table: RankedTable<Key>,
  tokenId: Fragment,
  blockNumber: BlockSql,
): Fragment => {
  const { newest, history, number, lastNumber, isListed } = table
  const { sql, tokenStat } = table.chain
  const block = blockOf(sql, blockNumber)
  const rows = sql`
    select ${keyColumns(table, "b")}, b.${number} as number, b.block_number, b.balance from ${newest} b
    where b.token_id = (${tokenId}) ${isListed}`
  const superseded = sql`
    select h.${number} as number, h.block_number, h.balance from ${history} h where h.token_id = (${tokenId})`
  const isShort = sql`select s.transfers < ${shortHistory} * s.${lastNumber} from ${tokenStat} s where s.token_id = (${tokenId})`
  return sql`
    select ${keyColumns(table, "p")}, p.then as balance from (
      select b.*, case when b.block_number <= ${block} then b.balance when (${isShort}) then h.balance else (
        select v.balance from (${superseded}) v where v.number = b.number and v.block_number <= ${block}
        order by v.block_number desc limit 1) end as then
      from (${rows} offset 0) b full join (
        select distinct on (v.number) v.number, v.balance from (${superseded}) v
        where v.block_number <= ${block} and (${isShort}) order by v.number desc, v.block_number desc offset 0
      ) h on h.number = b.number
      offset 0
    ) p where p.then > 0 and p.holder is not null`
}
