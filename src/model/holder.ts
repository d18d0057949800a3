/** Holders of a token and holdings of an address. */
import { Schema } from "effect"
import { Address, BigIntString, ChainId } from "./primitives.ts"

/** Ranks up to it are counted. */
export const mostRank = 1_000_000

const isContract = Schema.optionalKey(Schema.NullOr(Schema.Boolean)).annotateKey({
  description:
    "With `include=isContract` or `excludeContracts=true`: whether there was code at the address when the node was last asked; null = it was not yet asked, and is next. A delegation (EIP-7702) is none",
})

export const Holder = Schema.Struct({
  chainId: ChainId,
  address: Address,
  balance: BigIntString.annotateKey({ description: "Raw subunits of an ERC-20, number of ids of an ERC-721" }),
  percentage: Schema.optionalKey(Schema.Finite).annotateKey({
    description: "Fraction of the supply, 0 to 1 with up to 6 decimals; absent = unknown",
  }),
  rank: Schema.optionalKey(Schema.Finite).annotateKey({
    description: `With \`include=rank\`: its place among all holders, from 1; absent = beyond the first ${mostRank.toLocaleString("en-US")}`,
  }),
  isContract,
}).annotate({ identifier: "Holder" })
export type Holder = typeof Holder.Type

/** A row's place in a holder list: balance descending, then address ascending. */
export interface HolderKey {
  readonly balance: BigIntString
  readonly address: Address
  /** Of a place that was read a moment ago, in the same snapshot; no part of a cursor. */
  readonly rank?: number
  /** The same. */
  readonly isContract?: boolean | null
}

/** Fields that holders have on request only. */
export const holderExtras = ["rank", "isContract"] as const
export type HolderExtra = (typeof holderExtras)[number]
export const erc1155HolderExtras = ["isContract"] as const

/** An amount of an ERC-1155 id. */
export const Erc1155Holder = Schema.Struct({
  chainId: ChainId,
  address: Address,
  tokenId: BigIntString.annotateKey({ description: "The id, in decimal" }),
  balance: BigIntString.annotateKey({ description: "How much of the id" }),
  isContract,
}).annotate({ identifier: "Erc1155Holder" })
export type Erc1155Holder = typeof Erc1155Holder.Type

/** A row's place in the holders of an ERC-1155 contract: balance descending, then address, then id as a number. */
export interface Erc1155HolderKey extends HolderKey {
  readonly tokenId: BigIntString
}

/** A token that an address holds, with what is known of the token: an amount of an ERC-20, a number of ids of an ERC-721. */
export interface Holding {
  readonly tokenAddress: Address
  readonly name?: string
  readonly symbol?: string
  readonly decimals?: number
  readonly balance: BigIntString
}
