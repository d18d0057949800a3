/** What an owner has allowed others: approvals as logs say them, and as the API shows them. */
import { Schema } from "effect"
import { Address, BigIntString, ChainId, DateTimeString, Hash } from "./primitives.ts"

/** `amount`: of an ERC-20; `tokenId`: one id of an ERC-721; `operator`: all of an owner's ids of a contract. In the order of lists. */
export const approvalKinds = ["amount", "tokenId", "operator"] as const
export type ApprovalKind = (typeof approvalKinds)[number]

/** An `Approval` or `ApprovalForAll`, as the log says it. */
export interface ApprovalSaid {
  readonly of: ApprovalKind
  readonly owner: Address
  /** The zero address: nobody any more (of an id). */
  readonly spender: Address
  /** 0 to 2²⁵⁶−1; 0 unless of an id. */
  readonly tokenId: bigint
  /** 0 to 2²⁵⁶−1: the allowance. Of an operator 1 = allowed, 0 = not any more. Of an id 1. */
  readonly amount: bigint
}

/** A row of the ledger. */
export interface ApprovalMovement extends ApprovalSaid {
  readonly token: Address
  readonly blockNumber: number
  readonly logIndex: number
  /** Block time, seconds. */
  readonly time: number
  readonly txHash: Hash
  /** The transaction's place in its block; absent = the node does not say. */
  readonly txIndex?: number | undefined
}

/** The last word of the logs on one thing that an owner allowed, where it is a yes. */
export interface StoredApproval {
  readonly chainId: ChainId
  readonly tokenAddress: Address
  readonly kind: ApprovalKind
  readonly spender: Address
  /** 0 unless of an id. */
  readonly tokenId: BigIntString
  /** What the log said. */
  readonly amount: BigIntString
  readonly blockNumber: number
  readonly logIndex: number
  readonly txHash: Hash
  readonly transactionIndex?: number
  /** Block time, seconds. */
  readonly time: number
}

/** A place in the list of an owner: by contract, kind, id, spender (of an id: the zero address, since it has one at most). */
export interface ApprovalKey {
  readonly tokenAddress: Address
  readonly kind: ApprovalKind
  readonly tokenId: BigIntString
  readonly spender: Address
}

export const Approval = Schema.Struct({
  chainId: ChainId,
  tokenAddress: Address,
  kind: Schema.Literals(approvalKinds).annotateKey({
    description:
      "`amount` of an ERC-20, one `tokenId` of an ERC-721, or `operator`: all ids of the owner in the contract",
  }),
  owner: Address,
  spender: Address.annotateKey({ description: "Who may move what the owner has" }),
  tokenId: Schema.optionalKey(BigIntString).annotateKey({ description: "The id, in decimal; of kind `tokenId`" }),
  amount: Schema.optionalKey(BigIntString).annotateKey({
    description:
      "What may still be taken, raw subunits: `allowance()` where `source` is `node`, else what was last approved; of kind `amount`",
  }),
  approvedAmount: Schema.optionalKey(BigIntString).annotateKey({
    description: "What was last approved; of kind `amount`",
  }),
  isApproved: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "Whether it still holds: by the contract where `source` is `node`, else by the logs; not of kind `amount`",
  }),
  source: Schema.Literals(["node", "ledger"]).annotateKey({
    description: "`node`: the contract's own answer at the as-of block; `ledger`: what the logs said last",
  }),
  blockNumber: Schema.Finite.annotateKey({ description: "Number of the block of that log" }),
  txHash: Hash,
  logIndex: Schema.Finite.annotateKey({ description: "The log's place in its block" }),
  transactionIndex: Schema.optionalKey(Schema.Finite).annotateKey({
    description: "The transaction's place in its block; absent = the node did not say",
  }),
  timestamp: DateTimeString.annotateKey({ description: "The block's time" }),
}).annotate({ identifier: "Approval" })
export type Approval = typeof Approval.Type
