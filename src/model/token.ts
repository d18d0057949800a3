/** Token contracts as the API lists them, and what can be learned of one from the chain. */
import { Schema } from "effect"
import { Address, BigIntString, ChainId, DateTimeString, Hash } from "./primitives.ts"
import type { TokenNote } from "./tokenNote.ts"

export const CreateOperation = Schema.Struct({
  timestamp: Schema.optionalKey(DateTimeString).annotateKey({
    description: "Time of the block that the contract was made in",
  }),
  txHash: Schema.optionalKey(Hash).annotateKey({ description: "The transaction that made it" }),
}).annotate({ identifier: "CreateOperation" })
export type CreateOperation = typeof CreateOperation.Type

export const TransferCounts = Schema.Struct({
  last24h: Schema.optionalKey(Schema.Finite).annotateKey({
    description: "Transfers of the last 24 hours, back from the newest indexed block's time",
  }),
  last48h: Schema.optionalKey(Schema.Finite).annotateKey({ description: "Those of the last 48 hours" }),
  last72h: Schema.optionalKey(Schema.Finite).annotateKey({ description: "Those of the last 72 hours" }),
}).annotate({ identifier: "TransferCounts" })
export type TransferCounts = typeof TransferCounts.Type

/** What every contract record begins with, and ends with. */
const named = {
  chainId: ChainId,
  address: Address,
  name: Schema.optionalKey(Schema.String).annotateKey({
    description: "As the contract says, cleaned; absent = unknown",
  }),
  symbol: Schema.optionalKey(Schema.String).annotateKey({
    description: "As the contract says, cleaned; absent = unknown",
  }),
}
const active = {
  createOperation: Schema.optionalKey(CreateOperation),
  transfers: Schema.optionalKey(TransferCounts),
  holdersCount: Schema.optionalKey(Schema.Finite).annotateKey({ description: "Addresses with a balance above zero" }),
}

export const Erc20Token = Schema.Struct({
  ...named,
  decimals: Schema.optionalKey(Schema.Finite).annotateKey({
    description: "0 to 255; absent = unknown, which is not 0",
  }),
  totalSupply: Schema.optionalKey(BigIntString).annotateKey({ description: "Raw subunits" }),
  price: Schema.optionalKey(BigIntString).annotateKey({
    description: "US dollars with 18 decimals, of one whole token",
  }),
  marketCap: Schema.optionalKey(BigIntString).annotateKey({ description: "US dollars with 18 decimals" }),
  ...active,
}).annotate({ identifier: "Erc20Token" })
export type Erc20Token = typeof Erc20Token.Type

/** An ERC-721 or ERC-1155 contract. */
export const NftContract = Schema.Struct({
  ...named,
  ...active,
}).annotate({ identifier: "NftContract" })
export type NftContract = typeof NftContract.Type

/** Where a transfer is, and when it was. */
export const TransferPlace = Schema.Struct({
  blockNumber: Schema.Finite.annotate({ description: "Number of the block" }),
  txHash: Hash,
  logIndex: Schema.Finite.annotate({ description: "The log's place in its block" }),
  timestamp: DateTimeString.annotate({ description: "The block's time" }),
}).annotate({ identifier: "TransferPlace" })
export type TransferPlace = typeof TransferPlace.Type

/** What an answer about one contract has beside the list's record. */
const alone = {
  blueCheckmark: Schema.Boolean.annotate({ description: "Whether it stands on a configured token list" }),
  logoUri: Schema.optionalKey(Schema.String).annotateKey({ description: "URL of its logo, as a token list says it" }),
  website: Schema.optionalKey(Schema.String).annotateKey({ description: "As a token list or the operator says it" }),
  description: Schema.optionalKey(Schema.String).annotateKey({ description: "The same" }),
  transfersCount: Schema.Finite.annotate({ description: "Transfers since the ledger's first block" }),
  firstTransfer: Schema.optionalKey(TransferPlace),
  lastTransfer: Schema.optionalKey(TransferPlace),
}

/** One ERC-20 contract. */
export const Erc20Contract = Schema.Struct({ ...Erc20Token.fields, ...alone }).annotate({ identifier: "Erc20Contract" })
export type Erc20Contract = typeof Erc20Contract.Type

/** One ERC-721 or ERC-1155 contract. */
export const NftCollection = Schema.Struct({ ...NftContract.fields, ...alone }).annotate({
  identifier: "NftCollection",
})
export type NftCollection = typeof NftCollection.Type

/** A live id of an ERC-721 contract. */
export const Erc721Token = Schema.Struct({
  chainId: ChainId,
  tokenAddress: Address,
  tokenId: BigIntString,
  tokenUri: Schema.optionalKey(Schema.String).annotateKey({
    description: "What the contract answers to tokenURI; absent = unknown, or of more than 8,192 bytes",
  }),
  createdAt: Schema.optionalKey(DateTimeString).annotateKey({ description: "Time of the latest mint of this id" }),
}).annotate({ identifier: "Erc721Token" })
export type Erc721Token = typeof Erc721Token.Type

/** A row's place in the ids of a contract: ascending as numbers. */
export interface NftKey {
  readonly tokenId: BigIntString
}

/** What a contract emits; one that emits several is a token of each. */
export const standards = ["erc20", "erc721", "erc1155"] as const
export type Standard = (typeof standards)[number]

/** The record that the list of a standard has. */
export interface TokenRecords {
  readonly erc20: Erc20Token
  readonly erc721: NftContract
  readonly erc1155: NftContract
}

/** A contract as one standard's token. `supply`: raw subunits of ERC-20, live ids of ERC-721; absent for ERC-1155. */
export interface TokenOfStandard {
  readonly standard: Standard
  readonly record: TokenRecords[Standard]
  readonly supply?: BigIntString
  /** Whether its contract was asked for its `TokenDescription`: what that lacks it does not say. */
  readonly isDescribed: boolean
  /** What people say of the contract; absent = nothing. */
  readonly note?: TokenNote
}

/** Who made a contract, and when. Absent fields are not known. */
export interface TokenOrigin {
  readonly txHash?: Hash
  /** Block time, seconds. */
  readonly time?: number
}

/** What `name()`, `symbol()` and `decimals()` answered, cleaned (see `ports/TokenMetadata`). Absent = unknown. */
export interface TokenDescription {
  readonly name?: string
  readonly symbol?: string
  /** 0 to 255. */
  readonly decimals?: number
}

/** Decimals are an ERC-20's: what another contract answers to `decimals()` means nothing. */
export const descriptionOf = (standard: Standard, { decimals, ...texts }: TokenDescription): TokenDescription =>
  standard === "erc20" && decimals !== undefined ? { ...texts, decimals } : texts

/** The fields every token list can be sorted by; `transfers` = those of the last 24 hours. */
export const tokenSortFields = ["createdAt", "holdersCount", "transfers", "name"] as const
export type TokenSortField = (typeof tokenSortFields)[number]

/**
 * The fields that lists of ERC-20 tokens can be sorted by. `marketCap` is ordered as a number; tokens without come last
 * in both directions, themselves by `holdersCount`.
 */
export const erc20SortFields = [...tokenSortFields, "marketCap"] as const
export type Erc20SortField = (typeof erc20SortFields)[number]

/**
 * Where a row stands in a sorted token list. `value` is the sort field's: seconds of chain time for
 * `createdAt`, a number for `holdersCount` and `transfers`, text for `name`; null = absent, always last. Of `marketCap` it
 * is the decimal text; a number = absent, and then its `holdersCount`, by which those come behind the others.
 */
export interface TokenKey {
  readonly value: number | string | null
  readonly chainId: ChainId
  readonly address: Address
}
