/** The records of the compatibility endpoint, with the names Etherscan's clients know. Every scalar is a string. */
import { Schema } from "effect"

/** An address, which the documentation calls a text. */
const AddressText = Schema.String.pipe(Schema.brand("Address"))

export const TokenHolderEntry = Schema.Struct({
  TokenHolderAddress: AddressText,
  TokenHolderQuantity: Schema.String.annotateKey({
    description: "Raw subunits of an ERC-20, number of ids of an ERC-721, sum over the ids of an ERC-1155",
  }),
}).annotate({ identifier: "TokenHolderEntry" })
export type TokenHolderEntry = typeof TokenHolderEntry.Type

export const TokenInfoEntry = Schema.Struct({
  contractAddress: Schema.String,
  tokenType: Schema.String.annotateKey({ description: "`ERC20`, `ERC721` or `ERC1155`" }),
  tokenName: Schema.String,
  symbol: Schema.String,
  totalSupply: Schema.String.annotateKey({
    description: "Raw subunits of an ERC-20, live ids of an ERC-721, empty for an ERC-1155",
  }),
  blueCheckmark: Schema.String.annotateKey({ description: "`true` = on a configured token list, else `false`" }),
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
  TokenQuantity: Schema.String.annotateKey({ description: "Raw subunits" }),
  TokenDivisor: Schema.String.annotateKey({ description: "Decimals; 0 also where they are unknown" }),
}).annotate({ identifier: "AddressErc20Holding" })
export type AddressErc20Holding = typeof AddressErc20Holding.Type

export const AddressErc721Holding = Schema.Struct({
  TokenAddress: Schema.String,
  TokenQuantity: Schema.String.annotateKey({ description: "How many ids" }),
  TokenName: Schema.String,
  TokenSymbol: Schema.String,
}).annotate({ identifier: "AddressErc721Holding" })
export type AddressErc721Holding = typeof AddressErc721Holding.Type

export const Erc721InventoryEntry = Schema.Struct({
  TokenAddress: Schema.String,
  TokenId: Schema.String,
}).annotate({ identifier: "Erc721InventoryEntry" })
export type Erc721InventoryEntry = typeof Erc721InventoryEntry.Type
