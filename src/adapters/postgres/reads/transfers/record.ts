/** A row of a feed, as statements give it → the transfer and its key. */
import { amountInUsd } from "../../../../domain/prices/worth.ts"
import { type Address, type ChainId, dateTimeOf, type Hash } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import type { FeedKey, TransferRecords } from "../../../../model/transfer.ts"

export interface TransferRow {
  readonly chain_id: ChainId
  readonly block_number: number
  readonly log_index: number
  /** ERC-721 and ERC-1155. */
  readonly sub?: number
  readonly time: number
  readonly tx_hash: Hash
  readonly from_addr: Address
  readonly to_addr: Address
  /** ERC-721 and ERC-1155. */
  readonly nft_id?: string
  /** ERC-20 and ERC-1155. */
  readonly amount?: string
  /** Where it is asked for; null = not known. */
  readonly tx_index?: number | null
  /** The same, of ERC-1155. */
  readonly operator?: Address | null
  /** Where it is asked for; null = no reorg takes the block. */
  readonly block_hash?: Hash | null
  /** The same; null = it is a transfer. */
  readonly wrap?: "deposit" | "withdrawal" | null
  /** address, name, symbol, decimals; of ERC-20 the price at the time */
  readonly token: readonly [Address, string | null, string | null, number | null, (string | null)?]
}

export const transferOf = <S extends Standard>(standard: S, row: TransferRow): TransferRecords[S] => {
  const [tokenAddress, tokenName, tokenSymbol, tokenDecimals, price] = row.token
  const time = dateTimeOf(row.time)
  const record = {
    chainId: row.chain_id,
    blockNumber: row.block_number,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    from: row.from_addr,
    to: row.to_addr,
    createdAt: time,
    timestamp: time,
    ...(row.nft_id === undefined
      ? { amount: row.amount, ...usdOf(row.amount, tokenDecimals, price), tokenAddress }
      : { tokenAddress, tokenId: row.nft_id }),
    ...(row.nft_id === undefined || row.amount === undefined ? {} : { amount: row.amount }),
    ...(tokenName === null ? {} : { tokenName }),
    ...(tokenSymbol === null ? {} : { tokenSymbol }),
    ...(standard !== "erc20" || tokenDecimals === null ? {} : { tokenDecimals }),
    ...(typeof row.tx_index === "number" ? { transactionIndex: row.tx_index } : {}),
    ...(typeof row.block_hash === "string" ? { blockHash: row.block_hash } : {}),
    ...(typeof row.operator === "string" ? { operator: row.operator } : {}),
    ...(typeof row.wrap === "string" ? { wrap: row.wrap } : {}),
  }
  return record as unknown as TransferRecords[S]
}

const usdOf = (amount: string | undefined, decimals: number | null, price: string | null | undefined) =>
  amount === undefined || decimals === null || typeof price !== "string"
    ? {}
    : { amountInUsd: amountInUsd(BigInt(amount), decimals, BigInt(price)) }

export const feedKeyOf = (row: TransferRow): FeedKey => ({
  time: row.time,
  chainId: row.chain_id,
  blockNumber: row.block_number,
  logIndex: row.log_index,
  sub: row.sub ?? 0,
})
