/** The ids of an ERC-721 contract that an address owns. */
import { Effect } from "effect"
import type { Address } from "../../model/primitives.ts"
import type { Window } from "../../ports/HolderStore.ts"
import { NftStore } from "../../ports/NftStore.ts"
import { asOfBlock, type TokenQuery } from "./history.ts"

export interface InventoryQuery extends TokenQuery {
  readonly owner: Address
  readonly window: Window
}

/** Ascending, by page and offset. */
export const listInventory = Effect.fn("listInventory")(function* (query: InventoryQuery) {
  const { chainId, token, owner, window, blockNumber } = query
  const store = yield* NftStore
  return yield* asOfBlock(blockNumber, store.listInventory(chainId, token, owner, window, blockNumber))
})
