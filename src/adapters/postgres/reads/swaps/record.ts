/** A row of a feed of swaps, as statements give it → the swap and its key. */
import type { Address, ChainId, Hash } from "../../../../model/primitives.ts"
import type { StoredSwap } from "../../../../model/swap.ts"
import type { FeedKey } from "../../../../model/transfer.ts"

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
