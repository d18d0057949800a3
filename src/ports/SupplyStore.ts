/** Reads token supply, now and at any block. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../domain/model/errors.ts"
import type { Snapshot } from "../domain/model/page.ts"
import type { Address, BigIntString, ChainId } from "../domain/model/primitives.ts"

export class SupplyStore extends Context.Service<
  SupplyStore,
  {
    /** −issuer − sink after `blockNumber` (absent = the snapshot's block); "0" for an unknown token; may be negative. */
    findErc20Supply(
      chainId: ChainId,
      token: Address,
      blockNumber?: number,
    ): Effect.Effect<Snapshot<BigIntString>, StoreError>
  }
>()("cowry/SupplyStore") {}
