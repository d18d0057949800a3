/** The live ids of an ERC-721 contract, ascending. */
import { Erc721Token } from "../../../domain/model/token.ts"
import { listNfts } from "../../../domain/nfts.ts"
import { nftCursor } from "./cursors.ts"
import { listOfContract } from "./list.ts"
import { limit, notServed } from "./parameters.ts"

export const erc721Tokens = listOfContract({
  id: "erc721/tokens",
  path: "/erc721/{address}/tokens",
  summary: "Live ids of an ERC-721 contract",
  record: Erc721Token,
  // Ignored, it would be answered with the ids of another block.
  parameters: { limit, blockNumber: notServed("as-of reads of lists") },
  cursor: () => nftCursor,
  list: listNfts,
})
