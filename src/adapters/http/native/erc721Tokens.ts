/** The live ids of an ERC-721 contract, ascending. */
import { listPage } from "../../../domain/reads/listPage.ts"
import { Erc721Token } from "../../../model/token.ts"
import { NftStore } from "../../../ports/NftStore.ts"
import { defined } from "../contract/parameter.ts"
import { asOf } from "./asOf.ts"
import { nftCursor } from "./cursors.ts"
import { listOfContract } from "./list.ts"
import { limit } from "./parameters.ts"

export const erc721Tokens = listOfContract({
  id: "erc721/tokens",
  path: "/erc721/{address}/tokens",
  standard: "erc721",
  summary: "Live ids of an ERC-721 contract",
  record: Erc721Token,
  parameters: { limit, ...asOf },
  cursor: () => nftCursor,
  list: (query, { blockNumber }) => {
    const asked = { ...query, ...defined({ blockNumber }) }
    return listPage(
      asked,
      NftStore.use((store) => store.list(asked)),
    )
  },
})
