/** A block as a bound of what a statement reads, and who owned an id after it. */
import type { Fragment, Sql } from "postgres"
import { zeroAddress } from "../../../../model/primitives.ts"
import type { ChainSql } from "../../database/chainSql.ts"

/** A block number for comparison with stored ones; what no stored one reaches is the largest. */
export const comparable = (blockNumber: number): number => Math.min(Math.max(Math.trunc(blockNumber), -1), 2 ** 31 - 1)

/** A block in a statement: its number, or a part of the statement that is such a number. */
export type BlockSql = number | Fragment

/** For comparison with stored ones. A fragment is such a number already. */
export const blockOf = (sql: Sql, blockNumber: BlockSql): Fragment =>
  typeof blockNumber === "number" ? sql`${comparable(blockNumber)}::int4` : blockNumber

/** The first place behind a block. */
export const endOf = (sql: Sql, blockNumber: BlockSql): Fragment =>
  sql`((${blockOf(sql, blockNumber)}::int8 + 1) << 24)`

/** Owner of id `n` (a row of `nft`) after a block: the receiver of its last row; null = nobody's. */
export const ownerAt = ({ sql, transfers }: ChainSql, blockNumber: BlockSql): Fragment => sql`
  case when n.pos < ${endOf(sql, blockNumber)} then n.owner else (
    select nullif(t.to_addr, ${zeroAddress}::bytea) from ${transfers.erc721} t
    where t.token_id = n.token_id and t.nft_id = n.nft_id and t.pos < ${endOf(sql, blockNumber)}
    order by t.pos desc, t.sub desc limit 1) end`
