/** Transfers of a chain, or of all, newest first: one feed per standard. */
import { Schema } from "effect"
import { listTransfers } from "../../../domain/reads/transfers.ts"
import type { Standard } from "../../../model/token.ts"
import {
  Erc20Transfer,
  Erc721Transfer,
  Erc1155Transfer,
  type TransferExtra,
  transferExtras,
} from "../../../model/transfer.ts"
import { standardNames } from "../contract/documentation.ts"
import { defined } from "../contract/parameter.ts"
import { feedCursor } from "./cursors.ts"
import { blockRange, included, noTokenId, parties, tokenAddress, tokenIds } from "./filters.ts"
import { listOfChains } from "./list.ts"
import { feedSort, limit } from "./parameters.ts"

/** The record without the fields that were not asked for. */
const shown = (record: { readonly fields: Schema.Struct.Fields }, include: ReadonlyArray<TransferExtra>) =>
  Schema.Struct(
    Object.fromEntries(
      Object.entries(record.fields).filter(
        ([field]) =>
          !transferExtras.erc1155.some((extra) => extra === field) || include.some((extra) => extra === field),
      ),
    ),
  )

/** What the contract shows, in its order; what follows in each feed is ours. */
const shared = (standard: Standard) => ({ tokenAddress: tokenAddress(standard), sort: feedSort, limit, ...parties })

const ofOneToken: ReadonlySet<string> = new Set(["tokenAddress", "limit", "sort"])

export const erc20Transfers = listOfChains({
  id: "erc20-transfers",
  path: "/erc20-transfers",
  tag: "ERC-20",
  summary: "ERC-20 transfers",
  record: Erc20Transfer,
  // Ignored, it would be answered with transfers that were not asked for.
  parameters: { ...shared("erc20"), tokenId: noTokenId, ...blockRange, include: included(transferExtras.erc20) },
  columns: ({ include }) => shown(Erc20Transfer, include),
  joined: ofOneToken,
  cursor: () => feedCursor,
  list: (query, { sort, limit: _, tokenId: __, include, ...filter }) =>
    listTransfers({ standard: "erc20", ...query, direction: sort, filter: defined(filter), include }),
})

const nftTransfers = (standard: "erc721" | "erc1155", record: typeof Erc721Transfer | typeof Erc1155Transfer) =>
  listOfChains({
    id: `${standard}-transfers`,
    path: `/${standard}-transfers`,
    tag: standardNames[standard],
    summary: `${standardNames[standard]} transfers, a row per id`,
    record,
    parameters: {
      ...shared(standard),
      tokenId: tokenIds,
      ...blockRange,
      include: included<TransferExtra>(transferExtras[standard]),
    },
    columns: ({ include }) => shown(record, include),
    joined: ofOneToken,
    cursor: () => feedCursor,
    list: (query, { sort, limit: _, include, ...filter }) =>
      listTransfers({ standard, ...query, direction: sort, filter: defined(filter), include }),
  })

export const erc721Transfers = nftTransfers("erc721", Erc721Transfer)
export const erc1155Transfers = nftTransfers("erc1155", Erc1155Transfer)
