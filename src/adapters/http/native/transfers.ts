/** Transfers of a chain, or of all, newest first: one feed per standard. */
import { Effect, Schema } from "effect"
import { refuseUnread } from "../../../domain/reads/transactionBlocks.ts"
import { checkTransfers, listTransfers } from "../../../domain/reads/transfers.ts"
import type { Hash } from "../../../model/primitives.ts"
import type { Standard } from "../../../model/token.ts"
import {
  Erc20Transfer,
  Erc721Transfer,
  Erc1155Transfer,
  type TransferExtra,
  type TransferFilter,
  transferExtras,
} from "../../../model/transfer.ts"
import type { TransfersQuery } from "../../../ports/TransferStore.ts"
import { standardNames } from "../contract/documentation.ts"
import { defined } from "../contract/parameter.ts"
import { firstValue } from "../contract/query.ts"
import { feedCursor } from "./cursors.ts"
import {
  asksForTransaction,
  blockRange,
  included,
  namesTransaction,
  noTokenId,
  parties,
  placeTransaction,
  tokenAddress,
  tokenIds,
  txHash,
} from "./filters.ts"
import { listOfChains } from "./list.ts"
import { feedSort, limit, type NativeParameter, onlyTrue } from "./parameters.ts"
import { finality, timeRange } from "./times.ts"

const range = (standard: Standard) => ({ ...blockRange, ...timeRange, finality, txHash: txHash(standard), trusted })

const trusted: NativeParameter<true | undefined> = {
  ...onlyTrue("`true` = only of contracts that stand on a configured token list"),
  // Of a whole chain each token of the lists is looked at.
  isCostly: (query, name) =>
    firstValue(query, name) === "true" &&
    ["tokenAddress", "address", "from", "to"].every((other) => firstValue(query, other) === undefined),
}

/** `wraps`: rows too, not only a field. */
const erc20Extras = [...transferExtras.erc20, "wraps"] as const
const fieldOf = { transactionIndex: "transactionIndex", operator: "operator", wraps: "wrap" } as const
type Extra = keyof typeof fieldOf

/** The record without the fields that were not asked for. */
const shown = (record: { readonly fields: Schema.Struct.Fields }, include: ReadonlyArray<Extra>) => {
  const fields: ReadonlyArray<string> = include.map((extra) => fieldOf[extra])
  const extras: ReadonlyArray<string> = Object.values(fieldOf)
  return Schema.Struct(
    Object.fromEntries(
      Object.entries(record.fields).filter(([field]) => !extras.includes(field) || fields.includes(field)),
    ),
  )
}

/** What the contract shows, in its order; what follows in each feed is ours. */
const shared = (standard: Standard) => ({ tokenAddress: tokenAddress(standard), sort: feedSort, limit, ...parties })

interface Given extends Omit<TransferFilter, "finalized" | "wraps" | "transaction"> {
  readonly sort: "asc" | "desc"
  readonly limit: number
  readonly finality: true | undefined
  readonly txHash: Hash | undefined
  readonly include: ReadonlyArray<Extra>
}

/** Parameters that were not given are there, without a value. */
type AllGiven = { readonly [Name in keyof Required<Given>]: Given[Name] | undefined } & Given

const list = Effect.fnUntraced(function* <S extends Standard>(
  standard: S,
  query: Pick<TransfersQuery<S>, "chains" | "page" | "count">,
  { sort, limit: _, finality: finalized, txHash, include, ...filter }: AllGiven,
) {
  const { blockNumberFrom, blockNumberTo } = filter
  const asked = { txHash, blockNumberFrom, blockNumberTo }
  // What is refused costs no node a question.
  yield* checkTransfers(defined(filter))
  const transaction = yield* placeTransaction(query.chains, asked)
  const wraps = include.includes("wraps") ? true : undefined
  const page = yield* listTransfers({
    standard,
    ...query,
    direction: sort,
    filter: defined({ ...filter, finalized, wraps, transaction }),
    include: include.filter((extra) => extra !== "wraps"),
  })
  if (transaction !== undefined) yield* refuseUnread(query.chains, transaction, page)
  return asksForTransaction(asked) ? { ...page, ofNode: true as const } : page
})

const ofOneToken: ReadonlySet<string> = new Set(["tokenAddress", "limit", "sort"])

export const erc20Transfers = listOfChains({
  id: "erc20-transfers",
  path: "/erc20-transfers",
  tag: "ERC-20",
  summary: "ERC-20 transfers",
  record: Erc20Transfer,
  // Ignored, a tokenId would be answered with transfers that were not asked for.
  parameters: {
    ...shared("erc20"),
    tokenId: noTokenId,
    ...range("erc20"),
    include: included(erc20Extras, ["wraps"]),
  },
  columns: ({ include }) => shown(Erc20Transfer, include),
  joined: ofOneToken,
  cursor: () => feedCursor,
  asksNode: namesTransaction,
  list: (query, given) => list("erc20", query, given as AllGiven),
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
      ...range(standard),
      include: included<TransferExtra>(transferExtras[standard]),
    },
    columns: ({ include }) => shown(record, include),
    joined: ofOneToken,
    cursor: () => feedCursor,
    asksNode: namesTransaction,
    list: (query, given) => list(standard, query, given as AllGiven),
  })

export const erc721Transfers = nftTransfers("erc721", Erc721Transfer)
export const erc1155Transfers = nftTransfers("erc1155", Erc1155Transfer)
