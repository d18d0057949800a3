/** The ids of an ERC-721 contract. */
import { Effect } from "effect"
import { toListPage } from "../../model/page.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { Window } from "../../ports/HolderStore.ts"
import { NftStore, type NftsQuery } from "../../ports/NftStore.ts"
import { asOfBlock, pageAsOfBlock } from "./history.ts"

/** Live ids, ascending. */
export const listNfts = Effect.fn("listNfts")(function* (query: NftsQuery) {
  const store = yield* NftStore
  return toListPage(query.page, yield* pageAsOfBlock(query.blockNumber, store.list(query)))
})

/** The ids that an address owns, ascending, by page and offset. */
export const listInventory = Effect.fn("listInventory")(function* (
  chainId: ChainId,
  token: Address,
  owner: Address,
  window: Window,
  blockNumber?: number,
) {
  const store = yield* NftStore
  return yield* asOfBlock(blockNumber, store.listInventory(chainId, token, owner, window, blockNumber))
})
