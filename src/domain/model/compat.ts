/** The records of the compatibility endpoint, with the names Etherscan's clients know. Every scalar is a string. */
import { Schema } from "effect"

export const TokenHolderEntry = Schema.Struct({
  TokenHolderAddress: Schema.String,
  TokenHolderQuantity: Schema.String,
}).annotate({ identifier: "TokenHolderEntry" })
export type TokenHolderEntry = typeof TokenHolderEntry.Type

export const TokenInfoEntry = Schema.Struct({
  contractAddress: Schema.String,
  tokenType: Schema.String,
  tokenName: Schema.String,
  symbol: Schema.String,
  totalSupply: Schema.String,
  blueCheckmark: Schema.String,
  description: Schema.String,
  website: Schema.String,
  email: Schema.String,
  blog: Schema.String,
  reddit: Schema.String,
  slack: Schema.String,
  facebook: Schema.String,
  twitter: Schema.String,
  bitcointalk: Schema.String,
  github: Schema.String,
  telegram: Schema.String,
  wechat: Schema.String,
  linkedin: Schema.String,
  discord: Schema.String,
  whitepaperUrl: Schema.String,
  audit: Schema.String,
}).annotate({ identifier: "TokenInfoEntry" })
export type TokenInfoEntry = typeof TokenInfoEntry.Type

export const AddressErc20Holding = Schema.Struct({
  TokenAddress: Schema.String,
  TokenName: Schema.String,
  TokenSymbol: Schema.String,
  TokenQuantity: Schema.String,
  TokenDivisor: Schema.String,
}).annotate({ identifier: "AddressErc20Holding" })
export type AddressErc20Holding = typeof AddressErc20Holding.Type

export const AddressErc721Holding = Schema.Struct({
  TokenAddress: Schema.String,
  TokenQuantity: Schema.String,
  TokenName: Schema.String,
  TokenSymbol: Schema.String,
}).annotate({ identifier: "AddressErc721Holding" })
export type AddressErc721Holding = typeof AddressErc721Holding.Type

export const Erc721InventoryEntry = Schema.Struct({
  TokenAddress: Schema.String,
  TokenId: Schema.String,
}).annotate({ identifier: "Erc721InventoryEntry" })
export type Erc721InventoryEntry = typeof Erc721InventoryEntry.Type
