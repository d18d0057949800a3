/** A row of the feed, as statements give it → the transfer and its place. */
import type { Fragment, Sql } from "postgres"
import { dateTimeOf } from "../../../domain/model/primitives.ts"
import type { Erc20Transfer, FeedKey } from "../../../domain/model/transfer.ts"
import { unionAll } from "../acrossChains.ts"
import type { ChainTables } from "../tables.ts"
import type { Direction } from "./bounds.ts"

export interface TransferRow {
  readonly chain_id: string
  readonly block_number: number
  readonly log_index: number
  readonly time: number
  readonly tx_hash: string
  readonly from_addr: string
  readonly to_addr: string
  readonly amount: string
  /** address, name, symbol, decimals */
  readonly token: readonly [string, string | null, string | null, number | null]
}

/**
 * `TransferRow`s of a page as one JSON array: branches of (chain_id, pos, time, token_id, tx_hash, from_addr, to_addr,
 * amount), in feed order, cut at `limit`. What is known of a token is looked up for the page's rows only.
 */
export const selectPage = (
  sql: Sql,
  chains: ReadonlyArray<ChainTables>,
  branches: ReadonlyArray<Fragment>,
  direction: Direction,
  limit: number,
): Fragment => {
  const way = direction === "asc" ? sql`asc` : sql`desc`
  const order = sql`order by page.time ${way}, page.chain_id ${way}, page.pos ${way}`
  return sql`
    select coalesce(json_agg(r), '[]') from (
      select page.chain_id::text as chain_id, page.pos >> 24 as block_number, page.pos & 16777215 as log_index,
        page.time, '0x' || encode(page.tx_hash, 'hex') as tx_hash, '0x' || encode(page.from_addr, 'hex') as from_addr,
        '0x' || encode(page.to_addr, 'hex') as to_addr, page.amount::text as amount,
        case page.chain_id ${chains.map(
          ({ chainId, token }) => sql`when ${chainId}::int8 then (
            select json_build_array('0x' || encode(k.address, 'hex'), k.name, k.symbol, k.decimals)
            from ${token} k where k.token_id = page.token_id)`,
        )} end as token
      from (select * from (${unionAll(sql, branches)}) page ${order} limit ${limit}) page ${order}
    ) r`
}

/** One chain's branch of a page: the rows at `positions`. */
export const selectRowsAt = (
  sql: Sql,
  { chainId, transfers: { erc20: transfer } }: ChainTables,
  positions: Fragment,
): Fragment => sql`(
  select ${chainId}::int8 as chain_id, here.* from (${positions}) position cross join lateral (
    select t.pos, t.time, t.token_id, t.tx_hash, t.from_addr, t.to_addr, t.amount
    from ${transfer} t where t.pos = position.pos limit 1
  ) here)`

export const transferOf = (row: TransferRow): Erc20Transfer => {
  const [tokenAddress, tokenName, tokenSymbol, tokenDecimals] = row.token
  const time = dateTimeOf(row.time)
  return {
    chainId: row.chain_id,
    blockNumber: row.block_number,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    from: row.from_addr,
    to: row.to_addr,
    createdAt: time,
    timestamp: time,
    amount: row.amount,
    tokenAddress,
    ...(tokenName === null ? {} : { tokenName }),
    ...(tokenSymbol === null ? {} : { tokenSymbol }),
    ...(tokenDecimals === null ? {} : { tokenDecimals }),
  }
}

export const feedKeyOf = (row: TransferRow): FeedKey => ({
  time: row.time,
  chainId: row.chain_id,
  blockNumber: row.block_number,
  logIndex: row.log_index,
  sub: 0,
})
