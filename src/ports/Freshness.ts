/** How far the ledger of each chain is, where an answer has no rows to tell it. */
import { Context, type Effect } from "effect"
import type { AsOf } from "../model/block.ts"
import type { StoreError } from "../model/errors.ts"
import type { ChainId } from "../model/primitives.ts"

export class Freshness extends Context.Service<
  Freshness,
  {
    /**
     * In the order asked; chains without a stored block are left out. It never waits for what the stores are asked, and
     * asked by many at a time it costs no more than by one: it says whether the store answers.
     */
    asOf(chains: ReadonlyArray<ChainId>): Effect.Effect<ReadonlyArray<AsOf>, StoreError>
    /** Of one chain, by a read that begins after the call; undefined = it has no stored block. */
    newest(chainId: ChainId): Effect.Effect<AsOf | undefined, StoreError>
  }
>()("cowry/Freshness") {}
