/** What pairs, units and ids were after any block, as SQL: the newest version where it is old enough, else a superseded one. */
import type { Fragment, Sql } from "postgres"
import { zeroAddress } from "../../domain/model/primitives.ts"
import type { ChainTables } from "./tables.ts"

/** A block number for comparison with stored ones; what no stored one reaches is the largest. */
export const blockOf = (sql: Sql, blockNumber: number): Fragment =>
  sql`${Math.min(Math.max(Math.trunc(blockNumber), -1), 2 ** 31 - 1)}::int4`

/** Balance of pair `b` (a row of `balance`) after a block (absent = now); null before its first touch. */
export const balanceAt = (sql: Sql, { history }: ChainTables, blockNumber: number | undefined): Fragment =>
  blockNumber === undefined
    ? sql`b.balance`
    : sql`case when b.block_number <= ${blockOf(sql, blockNumber)} then b.balance else (
        select h.balance from ${history} h
        where h.token_id = b.token_id and h.holder_no = b.holder_no and h.block_number <= ${blockOf(sql, blockNumber)}
        order by h.block_number desc limit 1) end`

/**
 * `holder`, `balance` of the addresses that hold a token (of an ERC-1155 their sums) after a block, in no order. Reads
 * every pair of the token once. The fence keeps the planner from asking for each balance as often as it is named.
 */
export const selectHoldersAt = (sql: Sql, chain: ChainTables, tokenId: Fragment, blockNumber: number): Fragment => sql`
  select p.holder, p.balance from (
    select b.holder, ${balanceAt(sql, chain, blockNumber)} as balance
    from ${chain.balance} b where b.token_id = (${tokenId}) and octet_length(b.holder) = 20 offset 0
  ) p where p.balance > 0`

/** `holder`, `nft_id`, `balance` of what is held of an ERC-1155 contract after a block, likewise. */
export const selectUnitsAt = (
  sql: Sql,
  { unitBalance, unitHistory }: ChainTables,
  tokenId: Fragment,
  blockNumber: number,
): Fragment => sql`
  select p.holder, p.nft_id, p.balance from (
    select b.holder, b.nft_id, case when b.block_number <= ${blockOf(sql, blockNumber)} then b.balance else (
        select h.balance from ${unitHistory} h
        where h.token_id = b.token_id and h.unit_no = b.unit_no and h.block_number <= ${blockOf(sql, blockNumber)}
        order by h.block_number desc limit 1) end as balance
    from ${unitBalance} b where b.token_id = (${tokenId}) offset 0
  ) p where p.balance > 0`

/** The first place behind a block. */
const endOf = (sql: Sql, blockNumber: number): Fragment => sql`((${blockOf(sql, blockNumber)}::int8 + 1) << 24)`

/** Owner of id `n` (a row of `nft`) after a block: the receiver of its last row; null = nobody's. */
export const ownerAt = (sql: Sql, { transfers }: ChainTables, blockNumber: number): Fragment => sql`
  case when n.pos < ${endOf(sql, blockNumber)} then n.owner else (
    select nullif(t.to_addr, ${zeroAddress}::bytea) from ${transfers.erc721} t
    where t.token_id = n.token_id and t.nft_id = n.nft_id and t.pos < ${endOf(sql, blockNumber)}
    order by t.pos desc, t.sub desc limit 1) end`

/**
 * `nft_id`, `owner`, `uri`, `mint_time` of live ids after a block: those rows `n` of `nft` that pass `conditions`
 * (`and …`), `ends` = what stands behind them (`order by n.nft_id limit …`). The uri is what was said of the id's
 * latest mint: known of ids that live still and were not minted anew since.
 */
export const selectIdsAt = (
  sql: Sql,
  chain: ChainTables,
  tokenId: Fragment,
  blockNumber: number,
  conditions: Fragment,
  ends: Fragment,
): Fragment => {
  const { nft, transfers } = chain
  const ofId = sql`t.token_id = n.token_id and t.nft_id = n.nft_id and t.pos < ${endOf(sql, blockNumber)} and not n.old_mint`
  return sql`
    select n.nft_id, n.owner, n.uri, case when n.old_mint then n.mint_time else mint.time end as mint_time
    from (
      select n.token_id, n.nft_id, owned.owner, n.mint_time, coalesce(n.mint_pos < ${endOf(sql, blockNumber)}, false) as old_mint,
        case when n.owner is not null and n.mint_pos < ${endOf(sql, blockNumber)} then n.uri end as uri
      from ${nft} n cross join lateral (select ${ownerAt(sql, chain, blockNumber)} as owner offset 0) owned
      where n.token_id = (${tokenId}) and owned.owner is not null ${conditions} ${ends}
    ) n
    left join lateral (
      -- not by the index of all burns of the contract: by the id's own rows
      select t.pos, t.sub from ${transfers.erc721} t where ${ofId} and nullif(t.to_addr, ${zeroAddress}::bytea) is null
      order by t.pos desc, t.sub desc limit 1
    ) burn on true
    left join lateral (
      select t.time from ${transfers.erc721} t where ${ofId} and (t.pos, t.sub) > (coalesce(burn.pos, -1), coalesce(burn.sub, 0))
      order by t.pos, t.sub limit 1
    ) mint on true`
}
