/** Reads balances of a chain's native currency. */
import { Context, type Effect } from "effect"
import type { Address, ChainId, Hash } from "../model/primitives.ts"
import type { SourceUnavailable } from "./ChainSource.ts"

export class NativeBalances extends Context.Service<
  NativeBalances,
  {
    /** In the smallest unit, in order, after block `blockNumber`; with `hash` that very one. A node that does not have that state is an error, never 0. */
    of(
      chainId: ChainId,
      addresses: ReadonlyArray<Address>,
      blockNumber: number,
      hash?: Hash,
    ): Effect.Effect<ReadonlyArray<bigint>, SourceUnavailable>
  }
>()("cowry/NativeBalances") {}
