/** Transfers as the API shows them, and their place in a feed. */
import { Schema } from "effect"
import { Address, BigIntString, ChainId, DateTimeString, Hash } from "./primitives.ts"
import type { Standard } from "./token.ts"

/** What every transfer has: its place, its parties and its time; and what its contract is called. */
const event = {
  chainId: ChainId,
  blockNumber: Schema.Finite.annotateKey({ description: "Number of the block" }),
  txHash: Hash,
  logIndex: Schema.Finite.annotateKey({ description: "The log's place in its block" }),
  from: Address,
  to: Address,
  createdAt: DateTimeString.annotateKey({ description: "The block's time, as `timestamp`" }),
  timestamp: DateTimeString.annotateKey({ description: "The block's time" }),
}
/** Shown where they are asked for. */
const transactionIndex = {
  transactionIndex: Schema.optionalKey(Schema.Finite).annotateKey({
    description:
      "With `include=transactionIndex`: the transaction's place in its block; absent = the node did not say, or the row was stored by a version that kept none",
  }),
}
const tokenTexts = {
  tokenName: Schema.optionalKey(Schema.String).annotateKey({ description: "Absent = unknown" }),
  tokenSymbol: Schema.optionalKey(Schema.String).annotateKey({ description: "Absent = unknown" }),
}

export const Erc20Transfer = Schema.Struct({
  ...event,
  amount: BigIntString.annotateKey({ description: "Raw subunits" }),
  amountInUsd: Schema.optionalKey(Schema.String).annotateKey({
    description: "US dollars at the time of the transfer, a plain decimal; absent = no price is known",
  }),
  tokenAddress: Address,
  ...tokenTexts,
  tokenDecimals: Schema.optionalKey(Schema.Finite).annotateKey({ description: "0 to 255; absent = unknown" }),
  ...transactionIndex,
  wrap: Schema.optionalKey(Schema.Literals(["deposit", "withdrawal"])).annotateKey({
    description:
      "With `include=wraps`: the row is no `Transfer` but a Deposit (from the zero address) or a Withdrawal (to it) of a wrapped native token",
  }),
}).annotate({ identifier: "Erc20Transfer" })
export type Erc20Transfer = typeof Erc20Transfer.Type

const nftTransfer = {
  ...event,
  tokenAddress: Address,
  tokenId: BigIntString.annotateKey({ description: "The id, in decimal" }),
}

export const Erc721Transfer = Schema.Struct({ ...nftTransfer, ...tokenTexts, ...transactionIndex }).annotate({
  identifier: "Erc721Transfer",
})
export type Erc721Transfer = typeof Erc721Transfer.Type

export const Erc1155Transfer = Schema.Struct({
  ...nftTransfer,
  amount: BigIntString.annotateKey({ description: "How much of the id" }),
  ...tokenTexts,
  ...transactionIndex,
  operator: Schema.optionalKey(Address).annotateKey({
    description:
      "With `include=operator`: who made the transfer; absent = the row was stored by a version that kept none",
  }),
}).annotate({
  identifier: "Erc1155Transfer",
})
export type Erc1155Transfer = typeof Erc1155Transfer.Type

/** Fields that rows of a feed have on request only. */
export type TransferExtra = "transactionIndex" | "operator"
export const transferExtras = {
  erc20: ["transactionIndex"],
  erc721: ["transactionIndex"],
  erc1155: ["transactionIndex", "operator"],
} as const satisfies Readonly<Record<Standard, ReadonlyArray<TransferExtra>>>

/** The record that the feed of a standard has. */
export interface TransferRecords {
  readonly erc20: Erc20Transfer
  readonly erc721: Erc721Transfer
  readonly erc1155: Erc1155Transfer
}

/**
 * A row's place in a feed. One chain orders by (blockNumber, logIndex, sub); many chains by
 * (time, chainId as a number, blockNumber, logIndex, sub). `sub` = place in the log (a batch, an ERC-2309 range), else 0.
 */
export interface FeedKey {
  /** Block time, seconds. */
  readonly time: number
  readonly chainId: ChainId
  readonly blockNumber: number
  readonly logIndex: number
  readonly sub: number
}

/** The part of a feed that is asked for. All of it is inclusive; absent = to the feed's end. */
export interface FeedRange {
  /** 0 to 2⁵³−1; each chain's own numbers. */
  readonly blockNumberFrom?: number
  readonly blockNumberTo?: number
  /** Block times, seconds. Of a range without a whole second the first is one above the last: it has no block. */
  readonly timestampFrom?: number
  readonly timestampTo?: number
  /** Only blocks that no reorg takes back any more. */
  readonly finalized?: true
  readonly transaction?: PlacedTransaction
}

/**
 * A transaction, and the block in which each chain's node has it. What a node says of blocks that are not final may be of another fork than
 * the ledger's: of these the rows are the ledger's to find, wherever they are.
 */
export interface PlacedTransaction {
  readonly hash: Hash
  /** Without the chains whose nodes know it not. Absent = the range names its block. */
  readonly blocks?: Readonly<Partial<Record<ChainId, PlacedBlock>>>
}

export interface PlacedBlock {
  readonly number: number
  readonly hash: Hash
}

/** Which transfers a feed holds: values of one filter OR, filters AND; an absent filter lets all through. */
export interface TransferFilter extends FeedRange {
  readonly tokenAddress?: ReadonlyArray<Address>
  readonly from?: ReadonlyArray<Address>
  readonly to?: ReadonlyArray<Address>
  /** from OR to. */
  readonly address?: ReadonlyArray<Address>
  /** from one of the first OR to one of the second. */
  readonly either?: { readonly from: ReadonlyArray<Address>; readonly to: ReadonlyArray<Address> }
  /** Ids in decimal; ERC-721 and ERC-1155 only, together with one `tokenAddress`. */
  readonly tokenId?: ReadonlyArray<BigIntString>
  /** Deposits and Withdrawals of wrapped native tokens too; ERC-20 only. */
  readonly wraps?: true
  /** Only contracts that stand on a configured token list. */
  readonly trusted?: true
}
