/** How much the ledger of each chain holds: counters that it keeps, at the cost of reading them. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { ChainId } from "../model/primitives.ts"
import type { Standard } from "../model/token.ts"

export interface ChainCounts {
  readonly chainId: ChainId
  /** Contracts of each standard. */
  readonly tokens: Readonly<Record<Standard, number>>
  /** Rows of each standard's feed. */
  readonly transfers: Readonly<Record<Standard, number>>
  readonly swaps: number
}

export class LedgerCounts extends Context.Service<
  LedgerCounts,
  {
    /** In the order asked; chains without a stored block are left out. It waits for no other read, as `Freshness`. */
    list(chains: ReadonlyArray<ChainId>): Effect.Effect<ReadonlyArray<ChainCounts>, StoreError>
  }
>()("cowry/LedgerCounts") {}
