/** What decoding finds in a log, and what the ledger makes of it: movements between accounts. */
import type { BlockHeader } from "./block.ts"
import type { Address, Hash } from "./primitives.ts"

/** A log, decoded. Other standards' transfers and odd shapes are recognised and counted, never guessed. */
export type TokenEvent =
  | { readonly kind: "erc20Transfer"; readonly from: Address; readonly to: Address; readonly amount: bigint }
  | { readonly kind: "deposit"; readonly holder: Address; readonly amount: bigint }
  | { readonly kind: "withdrawal"; readonly holder: Address; readonly amount: bigint }
  | { readonly kind: "erc721Transfer" }
  | { readonly kind: "erc1155Transfer" }
  | { readonly kind: "odd" }
  | { readonly kind: "other" }

/**
 * An account of the ledger: an address, or one of the two reserved ones that make supply a balance.
 * supply = −balance(issuer) − balance(sink).
 */
export type Account = string
/** What mints are taken from. */
export const issuer: Account = "0x"
/** What burns go to. */
export const sink: Account = "0x00"
export const isReserved = (account: Account): boolean => account.length !== 42

/**
 * One change of the ledger: `amount` goes from account `loser` to account `gainer` (they may be the same).
 * A `transfer` is a row of the feed with the log's own `from` and `to`. A `wrap` (Deposit or Withdrawal of a
 * wrapped native token) is not listed; for it `from`/`to` are issuer → holder or holder → sink.
 */
export interface Movement {
  readonly kind: "transfer" | "wrap"
  readonly token: Address
  readonly blockNumber: number
  readonly logIndex: number
  /** Block time, seconds. */
  readonly time: number
  readonly txHash: Hash
  readonly from: Account
  readonly to: Account
  readonly loser: Account
  readonly gainer: Account
  /** 0 to 2²⁵⁶−1. */
  readonly amount: bigint
}

/** Logs recognised but not stored. */
export interface EventCounts {
  readonly erc721: number
  readonly erc1155: number
  readonly odd: number
}

/**
 * A range of whole blocks, ready for the ledger: one append, one transaction.
 * `movements` ascend strictly by (blockNumber, logIndex), all within the range.
 */
export interface Segment {
  /** Inclusive. */
  readonly fromBlock: number
  /** Inclusive. */
  readonly toBlock: number
  /** Hash of block `fromBlock - 1`; absent where the source did not look (a backfill's first range). */
  readonly parentHash?: Hash
  /** Header of `toBlock`. */
  readonly head: BlockHeader
  /** Headers to keep for reorgs, ascending; every block of the range above `finalizedBlock`. */
  readonly headers: ReadonlyArray<BlockHeader>
  readonly movements: ReadonlyArray<Movement>
  readonly counts: EventCounts
  /** The node's head when the range was read. */
  readonly nodeHead: number
  /** Blocks up to here never change any more; −1 = none. Headers up to here may be dropped. */
  readonly finalizedBlock: number
}

/** Where the ledger stands. */
export interface Checkpoint {
  readonly nextBlock: number
  readonly firstBlock: number
  /** Header of `nextBlock - 1`; absent before the first block is stored. */
  readonly head?: BlockHeader
  readonly finalizedBlock: number
}
