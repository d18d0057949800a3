/** Holders of an ERC-20 contract, largest balance first. */
import { listHolders } from "../../../domain/holders.ts"
import { holderCursor } from "./cursors.ts"
import { listOfContract } from "./list.ts"
import { limit, notServed } from "./parameters.ts"

export const erc20Holders = listOfContract({
  id: "erc20/holders",
  path: "/erc20/{address}/holders",
  // Ignored, it would be answered with holders of another block.
  parameters: { limit, blockNumber: notServed("as-of reads of lists") },
  cursor: () => holderCursor,
  list: (query) => listHolders("erc20", query),
})
