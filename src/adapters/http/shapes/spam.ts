/** "Without spam" leaves out what is on no token list. Where no list names anything, nobody here knows what is spam. */
import { Effect } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { TrustedTokens } from "../../../ports/TrustedTokens.ts"
import type { Query } from "../contract/query.ts"
import { flagOf } from "./flag.ts"

/** `isAsked` without `onlyTrusted`: all ERC-20 tokens would be gone, silently. */
export const spamRule = Effect.fnUntraced(function* (query: Query, name: string, chains: ReadonlyArray<ChainId>) {
  const isAsked = yield* flagOf(query, name)
  if (!isAsked) return { isAsked, onlyTrusted: false }
  const store = yield* TrustedTokens
  const { value } = yield* store.list({
    chains,
    sort: { field: "createdAt", direction: "desc" },
    page: { limit: 1 },
    count: false,
  })
  return { isAsked, onlyTrusted: value.items.length > 0 }
})
