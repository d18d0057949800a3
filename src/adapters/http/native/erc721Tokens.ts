/** The live ids of an ERC-721 contract, ascending. */

import { listNfts } from "../../../domain/reads/nfts.ts"
import { Erc721Token } from "../../../model/token.ts"
import { defined } from "../contract/parameter.ts"
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
