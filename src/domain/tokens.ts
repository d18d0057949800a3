/** Token lists and single tokens. */
import { Effect } from "effect"
import { type Erc20TokensQuery, TokenStore } from "../ports/TokenStore.ts"
import { toListPage } from "./model/page.ts"
import type { Address, ChainId } from "./model/primitives.ts"

/** ERC-20 contracts of the chains, sorted. */
export const listErc20Tokens = Effect.fn("listErc20Tokens")(function* (query: Erc20TokensQuery) {
  const store = yield* TokenStore
  return toListPage(query.page, yield* store.listErc20(query))
})

/** The ERC-20 token at an address, undefined if there is none. */
export const findErc20Token = Effect.fn("findErc20Token")(function* (chainId: ChainId, address: Address) {
  const store = yield* TokenStore
  return yield* store.findErc20(chainId, address)
})
