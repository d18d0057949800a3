/** Swaps of ERC-20 tokens as the API shows them. */
import { Schema } from "effect"
import { Address, BigIntString, ChainId, DateTimeString, Hash } from "./primitives.ts"
import type { FeedRange } from "./transfer.ts"

export const Erc20Swap = Schema.Struct({
  chainId: ChainId,
  txHash: Hash,
  timestamp: DateTimeString.annotateKey({ description: "The block's time" }),
  price: Schema.Finite.annotate({ description: "tokenOut per tokenIn, in whole units" }),
  dex: Schema.optionalKey(Schema.String).annotateKey({
    description: "The configured name of the exchange; absent = none",
  }),
  tokenIn: Address.annotateKey({ description: "What the trader paid with" }),
  tokenOut: Address.annotateKey({ description: "What the trader bought" }),
  tokenInQty: BigIntString.annotateKey({ description: "Raw subunits" }),
  tokenOutQty: BigIntString.annotateKey({ description: "Raw subunits" }),
  tokenInDecimals: Schema.Finite.annotateKey({ description: "0 to 255; 0 also where the token tells none" }),
  tokenOutDecimals: Schema.Finite.annotateKey({ description: "0 to 255; 0 also where the token tells none" }),
  sourceDeployer: Schema.optionalKey(Schema.String).annotateKey({
    description: "The factory's configured label, or its address",
  }),
}).annotate({ identifier: "Erc20Swap" })
export type Erc20Swap = typeof Erc20Swap.Type

/** A swap as the ledger has it: what it is called and what it cost per unit is the domain's to say. */
export interface StoredSwap {
  readonly chainId: ChainId
  readonly txHash: Hash
  /** Block time, seconds. */
  readonly time: number
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly tokenInQty: BigIntString
  readonly tokenOutQty: BigIntString
  readonly tokenInDecimals: number
  readonly tokenOutDecimals: number
  /** What made the pool; absent = not known. */
  readonly factory?: Address
}

/** Which swaps a feed holds: values of one filter OR, filters AND; an absent filter lets all through. */
export interface SwapFilter extends FeedRange {
  /** tokenIn OR tokenOut. */
  readonly token?: ReadonlyArray<Address>
  readonly tokenIn?: ReadonlyArray<Address>
  readonly tokenOut?: ReadonlyArray<Address>
  /** Of which both sides stand on a token list, or are the native currency. */
  readonly trusted?: true
}
