/** What decoding finds in a log, and what the ledger makes of it: movements between accounts. */
import type { ApprovalMovement, ApprovalSaid } from "./approval.ts"
import type { BlockHeader, OddLog } from "./block.ts"
import type { ManagedPool, PoolKey } from "./poolKey.ts"
import type { Address, Hash } from "./primitives.ts"

/** An ERC-721 id, or an amount of an ERC-1155 id. */
export interface NftUnit {
  readonly tokenId: bigint
  /** 1 for ERC-721. */
  readonly amount: bigint
}

/** A log, decoded. Malformed ones are recognised and counted, never guessed. */
export type TokenEvent =
  | { readonly kind: "erc20Transfer"; readonly from: Address; readonly to: Address; readonly amount: bigint }
  | { readonly kind: "deposit"; readonly holder: Address; readonly amount: bigint }
  | { readonly kind: "withdrawal"; readonly holder: Address; readonly amount: bigint }
  | {
      readonly kind: "nftTransfer"
      readonly standard: NftMovement["standard"]
      readonly from: Address
      readonly to: Address
      /** ERC-1155: who made the transfer. */
      readonly operator?: Address
      /** In the order of the log: a batch has many or none, an ERC-2309 log one per id. */
      readonly units: ReadonlyArray<NftUnit>
    }
  | ({ readonly kind: "approval" } & ApprovalSaid)
  | ({ readonly kind: "swap" } & SwapSides & { readonly pool: PoolKey })
  | { readonly kind: "poolInitialized"; readonly pool: ManagedPool; readonly token0: Address; readonly token1: Address }
  | { readonly kind: "malformed" }
  | { readonly kind: "other" }

/** The two accounts that are no address and make supply a balance: supply = −balance(mint account) − balance(burn account). */
export type ReservedAccount = "0x" | "0x00"
/** What mints are taken from. */
export const mintAccount: ReservedAccount = "0x"
/** What burns go to. */
export const burnAccount: ReservedAccount = "0x00"

/**
 * What becomes of what is sent to the zero address of an ERC-20: it is burnt; or it is that holder's; or it is, but for what the
 * contract itself sends there, as the pairs of Uniswap V2 do that burn the shares they were given.
 */
export type SentToZero = "burnt" | "kept" | "keptButOwn"

/** An account of the ledger. */
export type Account = Address | ReservedAccount
export const isReserved = (account: string): account is ReservedAccount =>
  account === mintAccount || account === burnAccount

/** One change of the ledger: `amount` goes from account `debit` to account `credit` (they may be the same). */
interface Change {
  readonly token: Address
  readonly blockNumber: number
  readonly logIndex: number
  /** Block time, seconds. */
  readonly time: number
  readonly txHash: Hash
  /** The transaction's place in its block; absent = the node does not say. */
  readonly txIndex?: number | undefined
  readonly debit: Account
  readonly credit: Account
  /** 0 to 2²⁵⁶−1. */
  readonly amount: bigint
}

/** A row of the feed, with the log's own parties. */
export interface TransferMovement extends Change {
  readonly kind: "transfer"
  readonly from: Address
  readonly to: Address
}

/** A Deposit or Withdrawal of a wrapped native token, which is not listed: mint account → holder or holder → burn account. */
export interface WrapMovement extends Change {
  readonly kind: "wrap"
  readonly from: Account
  readonly to: Account
}

export type Movement = TransferMovement | WrapMovement

/**
 * One row of an ERC-721 or ERC-1155 feed, as the log tells it. Who loses an ERC-721 id is not here: it is whom the
 * ledger holds for its owner, whatever `from` says, and the ledger's part to find.
 */
export interface NftMovement {
  readonly standard: "erc721" | "erc1155"
  readonly token: Address
  readonly blockNumber: number
  readonly logIndex: number
  /** Place in the log: of a batch or an ERC-2309 range; else 0. */
  readonly sub: number
  /** Block time, seconds. */
  readonly time: number
  readonly txHash: Hash
  /** The transaction's place in its block; absent = the node does not say. */
  readonly txIndex?: number | undefined
  readonly from: Address
  readonly to: Address
  /** ERC-1155: who made the transfer. */
  readonly operator?: Address | undefined
  /** 0 to 2²⁵⁶−1. */
  readonly tokenId: bigint
  /** 0 to 2²⁵⁶−1; 1 for ERC-721. */
  readonly amount: bigint
}

/** What a trader paid and got, both above zero. `paid0`: paid token0 and got token1, else the other way round. */
export interface SwapSides {
  readonly paid0: boolean
  readonly paid: bigint
  readonly got: bigint
}

/** A swap, as the log tells it: the pool's tokens are the pool's to tell. */
export interface SwapMovement extends SwapSides {
  readonly pool: PoolKey
  readonly blockNumber: number
  readonly logIndex: number
  /** Block time, seconds. */
  readonly time: number
  readonly txHash: Hash
  /** The transaction's place in its block; absent = the node does not say. */
  readonly txIndex?: number | undefined
}

/**
 * What a pool is made of: of V2 and V3 kinds as the contract itself says (and its factory does not deny), of V4 as its
 * `Initialize` log says. The zero address is the chain's native currency. Decimals that a token does not tell are 0.
 */
export interface PoolFacts {
  readonly pool: PoolKey
  readonly token0: Address
  readonly token1: Address
  readonly decimals0: number
  readonly decimals1: number
  /** What made the pool: its `factory()`, of V4 the pool manager. Absent = it does not say. */
  readonly factory?: Address
  /**
   * The block of the V4 pool's `Initialize`; of others, of the first swap that is stored. Swaps before it are of no
   * pool. Taken back, the pool is forgotten.
   */
  readonly since: number
}

/** Logs that are not stored. */
export interface EventCounts {
  /** They looked like a token's or a pool's, and are of a shape that says nothing sure, or of a swap that moved nothing. */
  readonly malformed: number
  /** Swaps at contracts that are no pools; those in pools that a pool manager never initialized, the ledger finds. */
  readonly unknownPool: number
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
  /**
   * Of each group of 256 blocks the first header that was read, ascending, and of every group that has rows one that is
   * not above them: number, hash and time are kept for ever. Absent = the hashes of `headers` alone are known.
   */
  readonly landmarks?: ReadonlyArray<BlockHeader>
  readonly movements: ReadonlyArray<Movement>
  /** Ascending strictly by (blockNumber, logIndex, sub), all within the range, of no log that `movements` has. */
  readonly nfts: ReadonlyArray<NftMovement>
  /** Ascending strictly by (blockNumber, logIndex), all within the range, of no log that the others have. */
  readonly swaps: ReadonlyArray<SwapMovement>
  /** Ascending strictly by (blockNumber, logIndex), all within the range, of no log that the others have. Absent = none. */
  readonly approvals?: ReadonlyArray<ApprovalMovement>
  /** Ascending strictly by (blockNumber, logIndex), all within the range; without rows, of no log that the others have. Absent = none. */
  readonly odd?: ReadonlyArray<OddLog>
  /**
   * Facts of pools, each at least of one swap of the segment or (V4) initialized in it. A swap whose pool is neither
   * here nor known to the ledger is counted and left out.
   */
  readonly pools: ReadonlyArray<PoolFacts>
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
