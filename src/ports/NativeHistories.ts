/** Reads what an address had of a chain's native currency after each of many blocks. */
import { Context, type Effect } from "effect"
import type { Address, ChainId, Hash } from "../model/primitives.ts"

export interface NativeMoment {
  readonly blockNumber: number
  /** Of a block that a reorg may still replace; absent = it never changes any more, and what is told of it may be kept. */
  readonly hash?: Hash
  /**
   * The block that is meant is the last that is not younger than `time`: this one (of the time `since`), or one between it and
   * `next`. None of them changes any more.
   */
  readonly until?: {
    readonly time: number
    readonly since: number
    readonly next: { readonly blockNumber: number; readonly time: number }
  }
}

export interface NativeTold {
  /** The one that was meant. */
  readonly blockNumber: number
  /** After it, in the smallest unit. */
  readonly balance: bigint
}

export class NativeHistories extends Context.Service<
  NativeHistories,
  {
    /**
     * In order; undefined = no node tells it in time: it does not keep that state, it has another block there, it does not say
     * which block is meant, or it is down. Never fails, and never says 0 for what is not known.
     */
    through(
      chainId: ChainId,
      address: Address,
      moments: ReadonlyArray<NativeMoment>,
      /** The making of the ledger whose blocks the moments are (see `NewestBlocks`): what is kept is of it, as a block that never changes in one may be another in the next. Empty = not known, and nothing is kept. */
      ledger: string,
    ): Effect.Effect<ReadonlyArray<NativeTold | undefined>>
  }
>()("cowry/NativeHistories") {}
