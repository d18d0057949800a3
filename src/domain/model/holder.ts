/** Holders of a token and holdings of an address. */
import { Schema } from "effect"
import { Address, BigIntString, ChainId } from "./primitives.ts"

export const Holder = Schema.Struct({
  chainId: ChainId,
  address: Address,
  balance: BigIntString,
  percentage: Schema.optionalKey(Schema.Finite),
}).annotate({ identifier: "Holder" })
export type Holder = typeof Holder.Type

/** A row's place in a holder list: balance descending, then address ascending. */
export interface HolderKey {
  readonly balance: BigIntString
  readonly address: Address
}

/** An ERC-20 token that an address holds, with what is known of the token. */
export interface Holding {
  readonly tokenAddress: Address
  readonly name?: string
  readonly symbol?: string
  readonly decimals?: number
  readonly balance: BigIntString
}
