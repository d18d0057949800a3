/** A row of a feed of swaps, as statements give it → the swap and its place. */

import type { Fragment, Sql } from "postgres"
import type { Address, ChainId, Hash } from "../../../../model/primitives.ts"
import type { StoredSwap } from "../../../../model/swap.ts"
import type { FeedKey } from "../../../../model/transfer.ts"
import type { ChainTables } from "../../database/tables.ts"
import { unionAll } from "../common/acrossChains.ts"
import type { Direction } from "../transfers/bounds.ts"
import { orderWord } from "../transfers/table.ts"

export interface SwapRow {
  readonly chain_id: ChainId
  readonly block_number: number
  readonly log_index: number
  readonly time: number
  readonly tx_hash: Hash
  readonly qty_in: string
  readonly qty_out: string
  /** Address and decimals of what was paid, the same of what was got, the pool's factory. */
  readonly made_of: readonly [Address, number, Address, number, Address | null]
}

/** Columns of `t` for a branch of `selectPage`. */
export const selectColumns = (sql: Sql): Fragment =>
  sql`t.pos, t.time, t.in_no, t.out_no, t.pool_no, t.tx_hash, t.qty_in, t.qty_out`

/**
 * `SwapRow`s of a page as one JSON array: branches of (chain_id, `selectColumns`), in feed order, cut at `limit`.
 * Assets and pools are looked up for the page's rows only.
 */
export const selectPage = (
  sql: Sql,
  chains: ReadonlyArray<ChainTables>,
  branches: ReadonlyArray<Fragment>,
  direction: Direction,
  limit: number,
): Fragment => {
  const way = orderWord(sql, direction)
  const order = sql`order by page.time ${way}, page.chain_id ${way}, page.pos ${way}`
  return sql`
    select coalesce(json_agg(r), '[]') from (
      select page.chain_id::text as chain_id, page.pos >> 24 as block_number, page.pos & 16777215 as log_index,
        page.time, '0x' || encode(page.tx_hash, 'hex') as tx_hash, page.qty_in::text as qty_in, page.qty_out::text as qty_out,
        case page.chain_id ${chains.map(
          ({ chainId, asset, pool }) => sql`when ${chainId}::int8 then (
            select json_build_array('0x' || encode(i.address, 'hex'), i.decimals,
              '0x' || encode(o.address, 'hex'), o.decimals, '0x' || encode(p.factory, 'hex'))
            from ${asset} i, ${asset} o, ${pool} p
            where i.asset_no = page.in_no and o.asset_no = page.out_no and p.pool_no = page.pool_no)`,
        )} end as made_of
      from (select * from (${unionAll(sql, branches)}) page ${order} limit ${limit}) page ${order}
    ) r`
}

export const swapOf = (row: SwapRow): StoredSwap => {
  const [tokenIn, tokenInDecimals, tokenOut, tokenOutDecimals, factory] = row.made_of
  return {
    chainId: row.chain_id,
    txHash: row.tx_hash,
    time: row.time,
    tokenIn,
    tokenOut,
    tokenInQty: row.qty_in,
    tokenOutQty: row.qty_out,
    tokenInDecimals,
    tokenOutDecimals,
    ...(factory === null ? {} : { factory }),
  }
}

export const feedKeyOf = (row: SwapRow): FeedKey => ({
  time: row.time,
  chainId: row.chain_id,
  blockNumber: row.block_number,
  logIndex: row.log_index,
  sub: 0,
})
