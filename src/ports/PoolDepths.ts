/** How deep pools are near their prices, as their contracts show. */
import { Context, type Effect } from "effect"
import type { NearDepth } from "../model/price.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import type { SourceUnavailable } from "./ChainSource.ts"

/**
 * `gone`: it depends on a state that no node keeps. `unheard`: nor is that known, since a node that might keep it fails where others
 * do not, or tells of a pool that could be read at other blocks what cannot be. `silent`: the pool says nothing, which none does, or of its newest state what cannot be, though it said before what can.
 */
export type FoundDepth = NearDepth | "gone" | "unheard" | "silent"

export class PoolDepths extends Context.Service<
  PoolDepths,
  {
    /**
     * Of each pool, in order; undefined for one of no kind that we know, that says what cannot be, or that was not there yet. A
     * node that fails is an error, never a word about a pool. `at`: the state after that block; absent = the newest, or one so near to it
     * that all nodes should have it.
     */
    read(
      chainId: ChainId,
      pools: ReadonlyArray<Address>,
      at?: number,
    ): Effect.Effect<ReadonlyArray<FoundDepth | undefined>, SourceUnavailable>
  }
>()("cowry/PoolDepths") {}
