/** Swaps of ERC-20 tokens of a chain, or of all, newest first; none where swaps are not stored. */
import { Effect } from "effect"
import { checkRange } from "../../../domain/reads/feedRange.ts"
import { listSwaps } from "../../../domain/reads/swaps.ts"
import { refuseUnread } from "../../../domain/reads/transactionBlocks.ts"
import { Erc20Swap } from "../../../model/swap.ts"
import type { SwapsQuery } from "../../../ports/SwapStore.ts"
import { costlyWhenCounted, costlyWhenGiven } from "../contract/cost.ts"
import { defined } from "../contract/parameter.ts"
import { listValues } from "../contract/query.ts"
import { feedCursor } from "./cursors.ts"
import { addresses, asksForTransaction, blockRange, namesTransaction, placeTransaction, txHash } from "./filters.ts"
import { listOfChains } from "./list.ts"
import { feedSort, limit, onlyTrue } from "./parameters.ts"
import { finality, timeRange } from "./times.ts"

/** Each pair of the two sides is looked up by itself. Of more pairs it is costly. */
const mostCheapPairs = 50
const side = (what: string): ReturnType<typeof addresses> => ({
  ...addresses(what),
  isCostly: (query, name, counted) =>
    costlyWhenCounted(query, name, counted) ||
    listValues(query, "tokenIn").length * listValues(query, "tokenOut").length > mostCheapPairs,
})

export const erc20Swaps = listOfChains({
  id: "erc20-swaps",
  path: "/erc20-swaps",
  tag: "ERC-20",
  summary: "Swaps of ERC-20 tokens",
  record: Erc20Swap,
  parameters: {
    token: addresses("Swaps from or to these tokens"),
    tokenIn: side("Swaps that paid with these tokens"),
    tokenOut: side("Swaps that bought these tokens"),
    sort: feedSort,
    limit,
    // Cursors from before they could be given live on.
    blockNumberFrom: { ...blockRange.blockNumberFrom, bound: "given" },
    blockNumberTo: { ...blockRange.blockNumberTo, bound: "given" },
    ...timeRange,
    finality,
    txHash: txHash("swap"),
    trusted: {
      ...onlyTrue("`true` = only between tokens that stand on a configured token list, or the native currency"),
      isCostly: costlyWhenGiven,
    },
  },
  cursor: () => feedCursor,
  asksNode: namesTransaction,
  list: Effect.fnUntraced(function* (query: Query, { sort, limit: _, finality: finalized, txHash, ...filter }) {
    const { blockNumberFrom, blockNumberTo } = filter
    const asked = { txHash, blockNumberFrom, blockNumberTo }
    // What is refused costs no node a question.
    yield* checkRange(defined(filter))
    const transaction = yield* placeTransaction(query.chains, asked)
    const page = yield* listSwaps({
      ...query,
      direction: sort,
      filter: defined({ ...filter, finalized, transaction }),
    })
    if (transaction !== undefined) yield* refuseUnread(query.chains, transaction, page)
    return asksForTransaction(asked) ? { ...page, ofNode: true as const } : page
  }),
})

type Query = Pick<SwapsQuery, "chains" | "page" | "count">
