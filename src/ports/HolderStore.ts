/** Reads balances: holders of a token, holdings of an address, one balance at a block. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../domain/model/errors.ts"
import type { Holder, HolderKey, Holding } from "../domain/model/holder.ts"
import type { PageRequest, Rows, Snapshot } from "../domain/model/page.ts"
import type { Address, BigIntString, ChainId } from "../domain/model/primitives.ts"

export interface HoldersQuery {
  readonly chainId: ChainId
  readonly token: Address
  readonly page: PageRequest<HolderKey>
  readonly count: boolean
}

/** `page` from 1, `offset` = page size, as the compatibility actions page. */
export interface Window {
  readonly page: number
  readonly offset: number
}

export class HolderStore extends Context.Service<
  HolderStore,
  {
    /** Addresses with a balance above zero (`percentage` is the domain's to add), and the supply of the same snapshot; supply is undefined for an unknown token. */
    listErc20Holders(
      query: HoldersQuery,
    ): Effect.Effect<Snapshot<Rows<Holder, HolderKey> & { readonly supply?: BigIntString }>, StoreError>
    /** The same order, by page and offset. */
    listErc20HolderWindow(
      chainId: ChainId,
      token: Address,
      window: Window,
    ): Effect.Effect<Snapshot<ReadonlyArray<Holder>>, StoreError>
    /** Addresses with a balance above zero; 0 for an unknown token. */
    countErc20Holders(chainId: ChainId, token: Address): Effect.Effect<Snapshot<number>, StoreError>
    /** Raw ledger balance after `blockNumber` (absent = the snapshot's block); "0" if never touched; may be negative. */
    findErc20Balance(
      chainId: ChainId,
      token: Address,
      holder: Address,
      blockNumber?: number,
    ): Effect.Effect<Snapshot<BigIntString>, StoreError>
    /** ERC-20 tokens an address holds (balance above zero), by contract address. */
    listErc20Holdings(
      chainId: ChainId,
      holder: Address,
      window: Window,
    ): Effect.Effect<Snapshot<ReadonlyArray<Holding>>, StoreError>
  }
>()("cowry/HolderStore") {}
