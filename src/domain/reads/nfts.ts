/** The ids of an ERC-721 contract that an address owns. */
import { Effect } from "effect"
import { type InventoryQuery, NftStore } from "../../ports/NftStore.ts"
import { asOfBlock } from "./history.ts"

/** Ascending, by page and offset. */
export const listInventory = Effect.fnUntraced(function* (query: InventoryQuery) {
  const store = yield* NftStore
  return yield* asOfBlock(query.blockNumber, store.listInventory(query))
})
