/** ERC-20 transfers of a chain, or of all, newest first. */
import { listTransfers } from "../../../domain/transfers.ts"
import { defined } from "../parameter.ts"
import { feedCursor } from "./cursors.ts"
import { listOfChains } from "./list.ts"
import { addresses, blockNumber, feedSort, limit } from "./parameters.ts"

export const erc20Transfers = listOfChains({
  id: "erc20-transfers",
  path: "/erc20-transfers",
  parameters: {
    tokenAddress: addresses,
    sort: feedSort,
    limit,
    from: addresses,
    to: addresses,
    address: addresses,
    blockNumberFrom: blockNumber,
    blockNumberTo: blockNumber,
  },
  cursor: () => feedCursor,
  list: (query, { sort, limit: _, ...filter }) =>
    listTransfers({ standard: "erc20", ...query, direction: sort, filter: defined(filter) }),
})
