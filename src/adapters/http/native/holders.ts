/** Holders of a contract, largest balance first: one list per standard. */
import { currentHolders, currentUnits } from "../../../domain/audit/current.ts"
import { Erc1155Holder, Holder } from "../../../model/holder.ts"
import type { HeldStandard } from "../../../ports/HolderStore.ts"
import { defined } from "../contract/parameter.ts"
import { erc1155HolderCursor, holderCursor } from "./cursors.ts"
import { listOfContract } from "./list.ts"
import { asOfBlock, limit } from "./parameters.ts"

const parameters = { limit, blockNumber: asOfBlock }

const holdersOf = (standard: HeldStandard, summary: string) =>
  listOfContract({
    id: `${standard}/holders`,
    path: `/${standard}/{address}/holders`,
    standard,
    summary,
    record: Holder,
    parameters,
    joined: new Set(["limit"]),
    ofBalances: true,
    cursor: () => holderCursor,
    list: (query, { blockNumber }, auditRead) =>
      currentHolders(standard, { ...query, ...defined({ blockNumber }) }, auditRead),
  })

export const erc20Holders = holdersOf("erc20", "Holders of an ERC-20 token, each with its fraction of the supply")
export const erc721Holders = holdersOf("erc721", "Owners of ids of an ERC-721 contract, each with how many")

export const erc1155Holders = listOfContract({
  id: "erc1155/holders",
  path: "/erc1155/{address}/holders",
  standard: "erc1155",
  summary: "Holders of an ERC-1155 contract, a row per address and id",
  record: Erc1155Holder,
  parameters,
  ofBalances: true,
  cursor: () => erc1155HolderCursor,
  list: (query, { blockNumber }, auditRead) => currentUnits({ ...query, ...defined({ blockNumber }) }, auditRead),
})
