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
  whitepaper: Schema.optionalKey(Schema.String).annotateKey({
    description: "On Etherscan's own paths: `whitepaperUrl`, by the name that its clients read",
  }),
  divisor: Schema.optionalKey(Schema.String).annotateKey({
    description: "On Etherscan's own paths: decimals; 0 also where they are unknown, and of what has none",
  }),
  tokenPriceUSD: Schema.optionalKey(Schema.String).annotateKey({
    description: "On Etherscan's own paths: US dollars a whole token; absent = not known",
  }),
  image: Schema.optionalKey(Schema.String).annotateKey({
    description: "On Etherscan's own paths: the logo's URL, as a token list has it; absent = none has",
  }),
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

export const AddressErc1155Holding = Schema.Struct({
  TokenAddress: Schema.String,
  TokenQuantity: Schema.String.annotateKey({ description: "The sum over the ids" }),
  TokenName: Schema.String,
  TokenSymbol: Schema.String,
}).annotate({ identifier: "AddressErc1155Holding" })
export type AddressErc1155Holding = typeof AddressErc1155Holding.Type

export const Erc1155InventoryEntry = Schema.Struct({
  TokenAddress: Schema.String,
  TokenId: Schema.String,
  TokenQuantity: Schema.String.annotateKey({ description: "How much of the id" }),
}).annotate({ identifier: "Erc1155InventoryEntry" })
export type Erc1155InventoryEntry = typeof Erc1155InventoryEntry.Type

export const TopHolderEntry = Schema.Struct({
  TokenHolderAddress: AddressText,
  TokenHolderQuantity: Schema.String.annotateKey({ description: "Whole tokens, a plain decimal" }),
  TokenHolderAddressType: Schema.optionalKey(Schema.Literals(["C", "E"])).annotateKey({
    description: "`C` = a contract, `E` = an account with a key, when the node was last asked; absent = it was not yet",
  }),
}).annotate({ identifier: "TopHolderEntry" })
export type TopHolderEntry = typeof TopHolderEntry.Type

export const NativeBalanceEntry = Schema.Struct({
  account: Schema.String,
  balance: Schema.String.annotateKey({ description: "The currency's smallest unit" }),
}).annotate({ identifier: "NativeBalanceEntry" })
export type NativeBalanceEntry = typeof NativeBalanceEntry.Type

export const NativePrice = Schema.Struct({
  ethusd: Schema.String.annotateKey({ description: "US dollars a whole unit of what gas is paid in" }),
  ethusd_timestamp: Schema.String.annotateKey({ description: "Seconds since 1970, of the block of the answer" }),
}).annotate({ identifier: "NativePrice" })
export type NativePrice = typeof NativePrice.Type

/** Blockscout's names of the standards. */
const blockscoutType = Schema.String.annotateKey({ description: "`ERC-20`, `ERC-721` or `ERC-1155`" })

export const BlockscoutHolding = Schema.Struct({
  balance: Schema.String.annotateKey({
    description: "Raw subunits; ids of an ERC-721, the sum over ids of an ERC-1155",
  }),
  contractAddress: Schema.String,
  decimals: Schema.String.annotateKey({ description: "Empty = unknown, or none" }),
  name: Schema.String,
  symbol: Schema.String,
  type: blockscoutType,
}).annotate({ identifier: "BlockscoutHolding" })
export type BlockscoutHolding = typeof BlockscoutHolding.Type

export const BlockscoutToken = Schema.Struct({
  cataloged: Schema.Boolean,
  contractAddress: Schema.String,
  decimals: Schema.String.annotateKey({ description: "Empty = unknown, or none" }),
  name: Schema.String,
  symbol: Schema.String,
  totalSupply: Schema.String.annotateKey({ description: "Empty = unknown, or an ERC-1155" }),
  type: blockscoutType,
}).annotate({ identifier: "BlockscoutToken" })
export type BlockscoutToken = typeof BlockscoutToken.Type

export const BlockscoutHolder = Schema.Struct({
  address: AddressText,
  value: Schema.String.annotateKey({ description: "Raw subunits, as tokenholderlist has them" }),
}).annotate({ identifier: "BlockscoutHolder" })
export type BlockscoutHolder = typeof BlockscoutHolder.Type
