/** Tells how much of a chain's native currency there is. */
import { Context, type Effect } from "effect"
import type { StoreError, SupplyUnavailable } from "../model/errors.ts"
import type { ChainId } from "../model/primitives.ts"
import type { NativeSupply } from "../model/supply.ts"

export interface FoundSupply {
  /** As of its own block, which is older than the ledger's while the source fails. */
  readonly supply: NativeSupply
  /** Since it was found, seconds. */
  readonly ageSeconds: number
}

export class NativeSupplySource extends Context.Service<
  NativeSupplySource,
  {
    /**
     * undefined = no source is configured for the chain. While a source fails its last good answer stands, from before a
     * restart too; `SupplyUnavailable` where there never was one.
     */
    find(chainId: ChainId): Effect.Effect<FoundSupply | undefined, StoreError | SupplyUnavailable>
  }
>()("cowry/NativeSupplySource") {}
