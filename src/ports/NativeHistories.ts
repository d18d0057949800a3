/** Reads what an address had of a chain's native currency after each of many blocks. */
import { Context, type Effect } from "effect"
import type { Address, ChainId, Hash } from "../model/primitives.ts"

export interface NativeMoment {
  readonly blockNumber: number
  /** Of a block that a reorg may still replace; absent = it never changes any more, and what is told of it may be kept. */
  readonly hash?: Hash
}

export class NativeHistories extends Context.Service<
  NativeHistories,
  {
    /**
     * In the smallest unit, in order; undefined = no node tells it in time: it does not keep that state, it has another block
     * there, or it is down. Never fails, and never says 0 for what is not known.
     */
    through(
      chainId: ChainId,
      address: Address,
      moments: ReadonlyArray<NativeMoment>,
    ): Effect.Effect<ReadonlyArray<bigint | undefined>>
  }
>()("cowry/NativeHistories") {}
