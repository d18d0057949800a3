/** Token contracts of a chain, or of all: one list per standard. */
import { listPage } from "../../../domain/reads/listPage.ts"
import { Erc20Token, erc20SortFields, NftContract, type Standard, tokenSortFields } from "../../../model/token.ts"
import { TokenStore } from "../../../ports/TokenStore.ts"
import { standardNames } from "../contract/documentation.ts"
import { tokenCursor } from "./cursors.ts"
import { listOfChains } from "./list.ts"
import { limit, tokenSort } from "./parameters.ts"

const tokensOf = (standard: Standard, record: typeof Erc20Token | typeof NftContract) =>
  listOfChains({
    id: standard,
    path: `/${standard}`,
    tag: standardNames[standard],
    summary: `${standardNames[standard]} token contracts`,
    record,
    parameters: { sort: tokenSort(standard === "erc20" ? erc20SortFields : tokenSortFields), limit },
    cursor: ({ sort }) => tokenCursor(sort.field),
    list: (query, { sort }) =>
      listPage(
        query,
        TokenStore.use((store) => store.list({ standard, ...query, sort })),
      ),
  })

export const erc20 = tokensOf("erc20", Erc20Token)
export const erc721 = tokensOf("erc721", NftContract)
export const erc1155 = tokensOf("erc1155", NftContract)
