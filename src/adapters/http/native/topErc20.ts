/** ERC-20 contracts on a configured token list, the most valuable first; none where no list is configured. */
import { listPage } from "../../../domain/reads/listPage.ts"
import { Erc20Token } from "../../../model/token.ts"
import { TrustedTokens, trustedSortFields } from "../../../ports/TrustedTokens.ts"
import { tokenCursor } from "./cursors.ts"
import { listOfChains } from "./list.ts"
import { limit, tokenSort } from "./parameters.ts"

export const topErc20 = listOfChains({
  id: "top-erc20",
  path: "/top-erc20",
  tag: "ERC-20",
  summary: "Trusted ERC-20 tokens: those on a configured token list",
  record: Erc20Token,
  parameters: { sort: tokenSort(trustedSortFields), limit },
  cursor: ({ sort }) => tokenCursor(sort.field),
  list: (query, { sort }) =>
    listPage(
      query,
      TrustedTokens.use((store) => store.list({ ...query, sort })),
    ),
})
