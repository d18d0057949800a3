/** Swaps of ERC-20 tokens of a chain, or of all, newest first; none where swaps are not stored. */
import { listSwaps } from "../../../domain/reads/swaps.ts"
import { Erc20Swap } from "../../../model/swap.ts"
import { defined } from "../contract/parameter.ts"
import { feedCursor } from "./cursors.ts"
import { addresses, blockRange } from "./filters.ts"
import { listOfChains } from "./list.ts"
import { feedSort, limit } from "./parameters.ts"
import { finality, timeRange } from "./times.ts"

export const erc20Swaps = listOfChains({
  id: "erc20-swaps",
  path: "/erc20-swaps",
  tag: "ERC-20",
  summary: "Swaps of ERC-20 tokens",
  record: Erc20Swap,
  parameters: {
    token: addresses("Swaps from or to these tokens"),
    tokenIn: addresses("Swaps that paid with these tokens"),
    tokenOut: addresses("Swaps that bought these tokens"),
    sort: feedSort,
    limit,
    // Cursors from before they could be given live on.
    blockNumberFrom: { ...blockRange.blockNumberFrom, bound: "given" },
    blockNumberTo: { ...blockRange.blockNumberTo, bound: "given" },
    ...timeRange,
    finality,
  },
  cursor: () => feedCursor,
  list: (query, { sort, limit: _, finality: finalized, ...filter }) =>
    listSwaps({ ...query, direction: sort, filter: defined({ ...filter, finalized }) }),
})
