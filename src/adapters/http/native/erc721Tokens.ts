/** The live ids of an ERC-721 contract, ascending. */
import { Erc721Token } from "../../../domain/model/token.ts"
import { listNfts } from "../../../domain/nfts.ts"
import { defined } from "../parameter.ts"
import { nftCursor } from "./cursors.ts"
import { listOfContract } from "./list.ts"
import { asOfBlock, limit } from "./parameters.ts"

export const erc721Tokens = listOfContract({
  id: "erc721/tokens",
  path: "/erc721/{address}/tokens",
  summary: "Live ids of an ERC-721 contract",
  record: Erc721Token,
  parameters: { limit, blockNumber: asOfBlock },
  cursor: () => nftCursor,
  list: (query, { blockNumber }) => listNfts({ ...query, ...defined({ blockNumber }) }),
})
