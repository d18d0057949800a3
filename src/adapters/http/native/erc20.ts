/** ERC-20 token contracts of a chain, or of all. */
import { erc20SortFields } from "../../../domain/model/token.ts"
import { listErc20Tokens } from "../../../domain/tokens.ts"
import { tokenCursor } from "./cursors.ts"
import { listOfChains } from "./list.ts"
import { limit, tokenSort } from "./parameters.ts"

export const erc20 = listOfChains({
  id: "erc20",
  path: "/erc20",
  parameters: { sort: tokenSort(erc20SortFields), limit },
  cursor: ({ sort }) => tokenCursor(sort.field),
  list: (query, { sort }) => listErc20Tokens({ ...query, sort }),
})
