/** Transfers of a chain, or of all, newest first: one feed per standard. */
import { listTransfers } from "../../../domain/reads/transfers.ts"
import type { Standard } from "../../../model/token.ts"
import { Erc20Transfer, Erc721Transfer, Erc1155Transfer } from "../../../model/transfer.ts"
import { standardNames } from "../contract/documentation.ts"
import { defined } from "../contract/parameter.ts"
import { feedCursor } from "./cursors.ts"
import { blockRange, noTokenId, parties, tokenAddress, tokenIds } from "./filters.ts"
import { listOfChains } from "./list.ts"
import { feedSort, limit } from "./parameters.ts"

/** What the contract shows, in its order; what follows in each feed is ours. */
const shared = (standard: Standard) => ({ tokenAddress: tokenAddress(standard), sort: feedSort, limit, ...parties })

export const erc20Transfers = listOfChains({
  id: "erc20-transfers",
  path: "/erc20-transfers",
  tag: "ERC-20",
  summary: "ERC-20 transfers",
  record: Erc20Transfer,
  // Ignored, it would be answered with transfers that were not asked for.
  parameters: { ...shared("erc20"), tokenId: noTokenId, ...blockRange },
  cursor: () => feedCursor,
  list: (query, { sort, limit: _, tokenId: __, ...filter }) =>
    listTransfers({ standard: "erc20", ...query, direction: sort, filter: defined(filter) }),
})

const nftTransfers = (standard: "erc721" | "erc1155", record: typeof Erc721Transfer | typeof Erc1155Transfer) =>
  listOfChains({
    id: `${standard}-transfers`,
    path: `/${standard}-transfers`,
    tag: standardNames[standard],
    summary: `${standardNames[standard]} transfers, a row per id`,
    record,
    parameters: { ...shared(standard), tokenId: tokenIds, ...blockRange },
    cursor: () => feedCursor,
    list: (query, { sort, limit: _, ...filter }) =>
      listTransfers({ standard, ...query, direction: sort, filter: defined(filter) }),
  })

export const erc721Transfers = nftTransfers("erc721", Erc721Transfer)
export const erc1155Transfers = nftTransfers("erc1155", Erc1155Transfer)
