/** Feeds of swaps. */
import { Effect } from "effect"
import { SwapStore, type SwapsQuery } from "../ports/SwapStore.ts"
import { toListPage } from "./model/page.ts"

/** Swaps of the chains that pass the filter, in feed order. */
export const listSwaps = Effect.fn("listSwaps")(function* (query: SwapsQuery) {
  const store = yield* SwapStore
  return toListPage(query.page, yield* store.list(query))
})
