/** What pool contracts say of themselves. */
import { Context, type Effect } from "effect"
import type { PoolFacts } from "../model/event.ts"
import type { Address, ChainId, Hash } from "../model/primitives.ts"
import type { SourceUnavailable } from "./ChainSource.ts"

/** A state that has a block. Never that of a node which has not reached it. */
export interface AskedState {
  readonly block: number
  /**
   * Near the head, where the block may be replaced: the state has this very one, and is that after it (the newest where
   * the node keeps no other). Absent = the newest.
   */
  readonly hash?: Hash
}

export class Pools extends Context.Service<
  Pools,
  {
    /**
     * `token0()`, `token1()`, their decimals and `factory()` of pools of Uniswap V2 and V3 kind, in order; undefined for
     * what is no pool: a contract that reverts, answers nonsense or the same token twice, or whom its own factory denies.
     * A node that fails, or has no block `at` yet, is an error, never "no pool".
     */
    describe(
      chainId: ChainId,
      pools: ReadonlyArray<Address>,
      at: AskedState,
    ): Effect.Effect<ReadonlyArray<Omit<PoolFacts, "since"> | undefined>, SourceUnavailable>
    /** `decimals()` of each token, in order: 0 where it does not tell, the native currency's of the zero address. */
    decimals(
      chainId: ChainId,
      tokens: ReadonlyArray<Address>,
      at: AskedState,
    ): Effect.Effect<ReadonlyArray<number>, SourceUnavailable>
  }
>()("cowry/Pools") {}
