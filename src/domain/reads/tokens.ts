/** Single tokens. */
import { Effect } from "effect"
import type { Address, ChainId } from "../../model/primitives.ts"
import { TokenStore } from "../../ports/TokenStore.ts"

/** What is at an address: one per standard; empty for an unknown contract. */
export const findTokens = Effect.fnUntraced(function* (chainId: ChainId, address: Address) {
  const store = yield* TokenStore
  return yield* store.find(chainId, address)
})
