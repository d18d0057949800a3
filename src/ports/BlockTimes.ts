/** Times of blocks that the ledger knows without a node: of some blocks for ever, of those near the head all. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { Snapshot } from "../model/page.ts"
import type { ChainId, Hash } from "../model/primitives.ts"

export interface BlockTime {
  readonly block: number
  /** Seconds since 1970. */
  readonly time: number
}

/** The nearest known blocks on either side of a time; absent = none is known there. Every block with a row is known, but for Deposits and Withdrawals that an older version stored. */
export interface Around {
  /** The highest known that is older. */
  readonly before?: BlockTime
  /** The lowest known that is not. */
  readonly after?: BlockTime
  /** No row of the ledger is known to be in the blocks between the two: what anybody holds is the same after each of them. */
  readonly isQuiet: boolean
  /** Rollbacks of the ledger so far: see `Pin`. */
  readonly rollbacks: number
}

/** When a block was, as far as the ledger knows: where both are the block itself, its very time. */
export interface WhenBlock {
  /** The highest known that is not above it. */
  readonly before?: BlockTime
  /** The lowest known that is not below it. */
  readonly after?: BlockTime
  /** As long as a reorg may take the block, and of the head. */
  readonly hash?: Hash
  /** Rollbacks of the ledger so far: see `Pin`. */
  readonly rollbacks: number
}

/** What the ledger itself knows of its newest blocks. */
export interface NewestBlocks {
  /** The newest that no reorg takes back any more; may be below the ledger's first. */
  readonly finalizedBlock: number
  /** Its time: of the head where that is below it. Absent = none that the ledger has is final. */
  readonly finalizedTime?: number
  /** Which making of the ledger it is: a resync makes another, in which final blocks may be others. Absent = nothing is stored. */
  readonly birth?: string
  /** The one of the hash, if it is among those that a reorg may still take back, or the head. */
  readonly ofHash?: number
  readonly rollbacks: number
}

export class BlockTimes extends Context.Service<
  BlockTimes,
  {
    around(chainId: ChainId, time: number): Effect.Effect<Snapshot<Around>, StoreError>
    /** `block`: a number, also one that the ledger does not have. */
    when(chainId: ChainId, block: number): Effect.Effect<Snapshot<WhenBlock>, StoreError>
    newest(chainId: ChainId, hash?: Hash): Effect.Effect<Snapshot<NewestBlocks>, StoreError>
  }
>()("cowry/BlockTimes") {}
