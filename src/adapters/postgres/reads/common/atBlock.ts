/** What pairs, units and ids were after any block, as SQL: the newest version where it is old enough, else a superseded one. */
import type { Fragment, Sql } from "postgres"
import { zeroAddress } from "../../../../model/primitives.ts"
import type { ChainTables } from "../../database/tables.ts"

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

/** The same of unit `b`, a row of `unit_balance`. */
export const unitBalanceAt = (sql: Sql, { unitHistory }: ChainTables, blockNumber: number): Fragment => sql`
  case when b.block_number <= ${blockOf(sql, blockNumber)} then b.balance else (
    select h.balance from ${unitHistory} h
    where h.token_id = b.token_id and h.unit_no = b.unit_no and h.block_number <= ${blockOf(sql, blockNumber)}
    order by h.block_number desc limit 1) end`

/** Server settings of a statement that reads all pairs of a token: by pages of the table, not pair by pair, and sorted in memory. */
export const wholeTokenParameters = { enable_bitmapscan: "on", work_mem: "32MB" }

/**
 * `holder`, `balance` of the addresses that hold a token (of an ERC-1155 their sums) after a block, in no order. Reads
 * every pair of the token once; give it `wholeTokenParameters`.
 */
export const selectHoldersAt = (sql: Sql, chain: ChainTables, tokenId: Fragment, blockNumber: number): Fragment =>
  selectVersions(sql, {
    pairs: sql`
      select b.holder, b.holder_no as number, b.block_number, b.balance from ${chain.balance} b
      where b.token_id = (${tokenId}) and octet_length(b.holder) = 20`,
    columns: sql`p.holder`,
    versions: sql`
      select h.holder_no as number, h.block_number, h.balance from ${chain.history} h where h.token_id = (${tokenId})`,
    isShort: sql`select s.transfers < ${shortHistory} * s.holder_seq from ${chain.tokenStat} s where s.token_id = (${tokenId})`,
    blockNumber,
  })

/** `holder`, `nft_id`, `balance` of what is held of an ERC-1155 contract after a block, likewise. */
export const selectUnitsAt = (sql: Sql, chain: ChainTables, tokenId: Fragment, blockNumber: number): Fragment =>
  selectVersions(sql, {
    pairs: sql`
      select b.holder, b.nft_id, b.unit_no as number, b.block_number, b.balance from ${chain.unitBalance} b
      where b.token_id = (${tokenId})`,
    columns: sql`p.holder, p.nft_id`,
    versions: sql`
      select h.unit_no as number, h.block_number, h.balance from ${chain.unitHistory} h where h.token_id = (${tokenId})`,
    isShort: sql`select s.transfers < ${shortHistory} * s.unit_seq from ${chain.tokenStat} s where s.token_id = (${tokenId})`,
    blockNumber,
  })

/** Transfers for each pair up to which reading all of a token's history costs less than a look-up for each changed pair. */
const shortHistory = 6

interface Versioned {
  /** Newest versions: `columns`, number, block_number, balance. */
  readonly pairs: Fragment
  readonly columns: Fragment
  /** Superseded ones: number, block_number, balance; more conditions can follow. */
  readonly versions: Fragment
  /** Scalar: whether there are so few of them that reading all is cheaper than looking one up for each pair. */
  readonly isShort: Fragment
  readonly blockNumber: number
}

/**
 * Those above zero. A full join (nothing is only in the history) is never a nested loop, whatever the planner thinks of
 * the token's size; the fences keep it one, and each balance from being asked for as often as it is named.
 */
const selectVersions = (sql: Sql, { pairs, columns, versions, isShort, blockNumber }: Versioned): Fragment => {
  const block = blockOf(sql, blockNumber)
  return sql`
    select ${columns}, p.then as balance from (
      select b.*, case when b.block_number <= ${block} then b.balance when (${isShort}) then h.balance else (
        select v.balance from (${versions}) v where v.number = b.number and v.block_number <= ${block}
        order by v.block_number desc limit 1) end as then
      from (${pairs} offset 0) b full join (
        select distinct on (v.number) v.number, v.balance from (${versions}) v
        where v.block_number <= ${block} and (${isShort}) order by v.number desc, v.block_number desc offset 0
      ) h on h.number = b.number
      offset 0
    ) p where p.then > 0 and p.holder is not null`
}

/** The first place behind a block. */
export const endOf = (sql: Sql, blockNumber: number): Fragment => sql`((${blockOf(sql, blockNumber)}::int8 + 1) << 24)`

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
