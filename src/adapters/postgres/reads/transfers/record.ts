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

/** Fields in the order of the record. Made one by one: a thousand rows are a thousand of these. */
export const transferOf = <S extends Standard>(standard: S, row: TransferRow): TransferRecords[S] => {
  const [tokenAddress, tokenName, tokenSymbol, tokenDecimals, price] = row.token
  const { amount, nft_id: tokenId } = row
  const time = dateTimeOf(row.time)
  const record: Record<string, unknown> = {
    chainId: row.chain_id,
    blockNumber: row.block_number,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    from: row.from_addr,
    to: row.to_addr,
    createdAt: time,
    timestamp: time,
  }
  if (tokenId === undefined) {
    record.amount = amount
    if (amount !== undefined && tokenDecimals !== null && typeof price === "string")
      record.amountInUsd = amountInUsd(BigInt(amount), tokenDecimals, BigInt(price))
  }
  record.tokenAddress = tokenAddress
  if (tokenId !== undefined) {
    record.tokenId = tokenId
    if (amount !== undefined) record.amount = amount
  }
  if (tokenName !== null) record.tokenName = tokenName
  if (tokenSymbol !== null) record.tokenSymbol = tokenSymbol
  if (standard === "erc20" && tokenDecimals !== null) record.tokenDecimals = tokenDecimals
  if (typeof row.tx_index === "number") record.transactionIndex = row.tx_index
  if (typeof row.block_hash === "string") record.blockHash = row.block_hash
  if (typeof row.operator === "string") record.operator = row.operator
  if (typeof row.wrap === "string") record.wrap = row.wrap
  return record as unknown as TransferRecords[S]
}

export const feedKeyOf = (row: TransferRow): FeedKey => ({
  time: row.time,
  chainId: row.chain_id,
  blockNumber: row.block_number,
  logIndex: row.log_index,
  sub: row.sub ?? 0,
})
