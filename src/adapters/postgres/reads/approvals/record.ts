/** A row of approvals, as statements give it → what is stored of it, and its key. */
import { type ApprovalKey, approvalKinds, type StoredApproval } from "../../../../model/approval.ts"
import type { Address, ChainId, Hash } from "../../../../model/primitives.ts"

export interface ApprovalRow {
  readonly contract: Address
  readonly kind: number
  readonly nft_id: string
  readonly spender: Address
  /** Of an id; else empty: `0x`. */
  readonly approved: Address | "0x"
  readonly amount: string
  readonly block_number: number
  readonly log_index: number
  readonly time: number
  readonly tx_hash: Hash
  readonly tx_index: number | null
}

export const approvalOf =
  (chainId: ChainId) =>
  (row: ApprovalRow): StoredApproval => ({
    chainId,
    tokenAddress: row.contract,
    kind: approvalKinds[row.kind]!,
    spender: row.approved === "0x" ? row.spender : row.approved,
    tokenId: row.nft_id,
    amount: row.amount,
    blockNumber: row.block_number,
    logIndex: row.log_index,
    txHash: row.tx_hash,
    ...(row.tx_index === null ? {} : { transactionIndex: row.tx_index }),
    time: row.time,
  })

export const keyOf = (row: ApprovalRow): ApprovalKey => ({
  tokenAddress: row.contract,
  kind: approvalKinds[row.kind]!,
  tokenId: row.nft_id,
  spender: row.spender,
})
