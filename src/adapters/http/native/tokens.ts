/** Token contracts of a chain, or of all: one list per standard. */

import { listTokens } from "../../../domain/reads/tokens.ts"
import { Erc20Token, erc20SortFields, NftContract, type Standard, tokenSortFields } from "../../../model/token.ts"
import { tokenCursor } from "./cursors.ts"
import { listOfChains } from "./list.ts"
import { limit, tokenSort } from "./parameters.ts"

const tokensOf = (standard: Standard, name: string, record: typeof Erc20Token | typeof NftContract) =>
  listOfChains({
    id: standard,
    path: `/${standard}`,
    summary: `${name} token contracts`,
    record,
    parameters: { sort: tokenSort(standard === "erc20" ? erc20SortFields : tokenSortFields), limit },
    cursor: ({ sort }) => tokenCursor(sort.field),
    list: (query, { sort }) => listTokens({ standard, ...query, sort }),
  })

export const erc20 = tokensOf("erc20", "ERC-20", Erc20Token)
export const erc721 = tokensOf("erc721", "ERC-721", NftContract)
export const erc1155 = tokensOf("erc1155", "ERC-1155", NftContract)
