/** Token contracts as the API lists them, and what can be learned of one from the chain. */
import { Schema } from "effect"
import { Address, BigIntString, ChainId, DateTimeString, Hash } from "./primitives.ts"

export const CreateOperation = Schema.Struct({
  timestamp: Schema.optionalKey(DateTimeString),
  txHash: Schema.optionalKey(Hash),
}).annotate({ identifier: "CreateOperation" })
export type CreateOperation = typeof CreateOperation.Type

export const TransferCounts = Schema.Struct({
  last24h: Schema.optionalKey(Schema.Finite),
  last48h: Schema.optionalKey(Schema.Finite),
  last72h: Schema.optionalKey(Schema.Finite),
}).annotate({ identifier: "TransferCounts" })
export type TransferCounts = typeof TransferCounts.Type

export const Erc20Token = Schema.Struct({
  chainId: ChainId,
  address: Address,
  name: Schema.optionalKey(Schema.String),
  symbol: Schema.optionalKey(Schema.String),
  decimals: Schema.optionalKey(Schema.Finite),
  totalSupply: Schema.optionalKey(BigIntString),
  price: Schema.optionalKey(BigIntString),
  marketCap: Schema.optionalKey(BigIntString),
  createOperation: Schema.optionalKey(CreateOperation),
  transfers: Schema.optionalKey(TransferCounts),
  holdersCount: Schema.optionalKey(Schema.Finite),
}).annotate({ identifier: "Erc20Token" })
export type Erc20Token = typeof Erc20Token.Type

/** What `name()`, `symbol()` and `decimals()` answered, cleaned (see `ports/TokenMetadata`). Absent = unknown. */
export interface TokenDescription {
  readonly name?: string
  readonly symbol?: string
  /** 0 to 255. */
  readonly decimals?: number
}

/** The fields a token list can be sorted by. */
export const erc20SortFields = ["createdAt", "holdersCount", "name"] as const
export type Erc20SortField = (typeof erc20SortFields)[number]

/**
 * Where a row stands in a sorted token list. `value` is the sort field's: seconds of chain time for
 * `createdAt`, a number for `holdersCount`, text for `name`; null = absent, always last.
 */
export interface TokenKey {
  readonly value: number | string | null
  readonly chainId: ChainId
  readonly address: Address
}
