/** Holders of an ERC-20 contract, largest balance first. */
import { listErc20Holders } from "../../../domain/holders.ts"
import { holderCursor } from "./cursors.ts"
import { listOfContract } from "./list.ts"
import { limit } from "./parameters.ts"

export const erc20Holders = listOfContract({
  id: "erc20/holders",
  path: "/erc20/{address}/holders",
  parameters: { limit },
  cursor: () => holderCursor,
  list: (query) => listErc20Holders(query),
})
