/** How far the ledger of each chain is, where an answer has no rows to tell it. */
import { Context, type Effect } from "effect"
import type { AsOf } from "../model/block.ts"
import type { StoreError } from "../model/errors.ts"
import type { Address, ChainId } from "../model/primitives.ts"

/** What further blocks changed. */
export interface Touched {
  /** Where the ledger stands with them. */
  readonly point: AsOf
  /**
   * Contracts with the accounts whose balances may be others: no figure of any other contract changed, and of these
   * no other account's balance. Undefined = of any account. Whose standard is new is one of them.
   */
  readonly tokens: ReadonlyMap<Address, ReadonlySet<Address> | undefined>
}

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
    /**
     * Of which contracts and accounts figures may have changed since, by a read that begins after the call. Undefined = of any: the blocks are
     * many, or something else was written than blocks and what changes no figure, or the ledger does not go on from there. That it
     * does is told by the block of `since`, and by those of `shown`, where else it stood since. Absent = nothing else was seen.
     */
    touched(
      since: AsOf,
      shown?: ReadonlyArray<Pick<AsOf, "blockNumber" | "hash">>,
    ): Effect.Effect<Touched | undefined, StoreError>
    /** Those of the chains that are loaded in bulk: what is read of them meanwhile is of an empty ledger. Absent = this store has no loads. */
    loaded?(chains: ReadonlyArray<ChainId>): Effect.Effect<ReadonlyArray<ChainId>, StoreError>
  }
>()("cowry/Freshness") {}
