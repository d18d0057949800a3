/** Token lists and single tokens. */
import { Effect } from "effect"
import { toListPage } from "../../model/page.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import { TokenStore, type TokensQuery } from "../../ports/TokenStore.ts"
import { TrustedTokens, type TrustedTokensQuery } from "../../ports/TrustedTokens.ts"

/** Contracts of the chains that emit the standard, sorted. */
export const listTokens = <S extends Standard>(query: TokensQuery<S>) =>
  TokenStore.use((store) => Effect.map(store.list(query), (rows) => toListPage(query.page, rows))).pipe(
    Effect.withSpan("listTokens"),
  )

/** ERC-20 contracts that stand on a configured token list, sorted. */
export const listTrustedTokens = Effect.fn("listTrustedTokens")(function* (query: TrustedTokensQuery) {
  const store = yield* TrustedTokens
  return toListPage(query.page, yield* store.list(query))
})

/** What is at an address: one per standard; empty for an unknown contract. */
export const findTokens = Effect.fn("findTokens")(function* (chainId: ChainId, address: Address) {
  const store = yield* TokenStore
  return yield* store.find(chainId, address)
})
