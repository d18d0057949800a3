/** ERC-20 token contracts of a chain, or of all. */
import { tokenSortFields } from "../../../domain/model/token.ts"
import { listTokens } from "../../../domain/tokens.ts"
import { tokenCursor } from "./cursors.ts"
import { listOfChains } from "./list.ts"
import { limit, tokenSort } from "./parameters.ts"

export const erc20 = listOfChains({
  id: "erc20",
  path: "/erc20",
  parameters: { sort: tokenSort(tokenSortFields), limit },
  cursor: ({ sort }) => tokenCursor(sort.field),
  list: (query, { sort }) => listTokens({ standard: "erc20", ...query, sort }),
})
