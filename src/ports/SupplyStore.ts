/** Reads token supply, now and at any block. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { Snapshot } from "../model/page.ts"
import type { Address, BigIntString, ChainId } from "../model/primitives.ts"

export class SupplyStore extends Context.Service<
  SupplyStore,
  {
    /** −(mint account) − (burn account) after `blockNumber` (absent = the snapshot's block): raw subunits of ERC-20, live ids of ERC-721. "0" for ERC-1155 and for an unknown token; may be negative. Of a contract of several standards, the first (see HolderStore). */
    find(chainId: ChainId, token: Address, blockNumber?: number): Effect.Effect<Snapshot<BigIntString>, StoreError>
  }
>()("cowry/SupplyStore") {}
