/** Tells how much of a chain's native currency there is. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../domain/model/errors.ts"
import type { ChainId } from "../domain/model/primitives.ts"
import type { NativeSupply } from "../domain/model/supply.ts"

export class NativeSupplySource extends Context.Service<
  NativeSupplySource,
  {
    /** undefined = no source is configured for the chain. */
    find(chainId: ChainId): Effect.Effect<NativeSupply | undefined, StoreError>
  }
>()("cowry/NativeSupplySource") {}
