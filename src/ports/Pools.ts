/** What pool contracts say of themselves. */
import { Context, type Effect } from "effect"
import type { PoolFacts } from "../model/event.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import type { SourceUnavailable } from "./ChainSource.ts"

export class Pools extends Context.Service<
  Pools,
  {
    /**
     * `token0()`, `token1()`, their decimals and `factory()` of pools of Uniswap V2 and V3 kind, in order; undefined for
     * what is no pool: a contract that reverts, answers nonsense or the same token twice, or whom its own factory denies.
     * A node that fails, or has no block `at` yet, is an error, never "no pool". `at`: the state that is asked, after
     * that block (the newest where the node keeps no other); absent = the newest.
     */
    describe(
      chainId: ChainId,
      pools: ReadonlyArray<Address>,
      at?: number,
    ): Effect.Effect<ReadonlyArray<Omit<PoolFacts, "since"> | undefined>, SourceUnavailable>
    /** `decimals()` of each token, in order: 0 where it does not tell, the native currency's of the zero address. */
    decimals(
      chainId: ChainId,
      tokens: ReadonlyArray<Address>,
      at?: number,
    ): Effect.Effect<ReadonlyArray<number>, SourceUnavailable>
  }
>()("cowry/Pools") {}
