/** Reads the ids of ERC-721 contracts: which live, and who owns them. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { PageRequest, Rows, Snapshot } from "../model/page.ts"
import type { Address, BigIntString, ChainId } from "../model/primitives.ts"
import type { Erc721Token, NftKey } from "../model/token.ts"
import type { Window } from "./HolderStore.ts"

export interface NftsQuery {
  readonly chainId: ChainId
  readonly token: Address
  readonly page: PageRequest<NftKey>
  readonly count: boolean
  /** After this block; absent = the snapshot's. */
  readonly blockNumber?: number
}

export interface InventoryQuery {
  readonly chainId: ChainId
  readonly token: Address
  readonly owner: Address
  readonly window: Window
  /** After this block; absent = the snapshot's. */
  readonly blockNumber?: number | undefined
}

export class NftStore extends Context.Service<
  NftStore,
  {
    /**
     * Live ids, ascending as numbers; `createdAt` = the block time of the latest mint. As of an older block `tokenUri` is
     * known of the ids that live still and were not minted anew.
     */
    list(query: NftsQuery): Effect.Effect<Snapshot<Rows<Erc721Token, NftKey>>, StoreError>
    /** The ids of the contract that an address owns, ascending as numbers. */
    listInventory(query: InventoryQuery): Effect.Effect<Snapshot<ReadonlyArray<BigIntString>>, StoreError>
  }
>()("cowry/NftStore") {}
