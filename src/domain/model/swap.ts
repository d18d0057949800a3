/** Swaps of ERC-20 tokens as the API shows them. */
import { Schema } from "effect"
import { Address, BigIntString, ChainId, DateTimeString, Hash } from "./primitives.ts"

export const Erc20Swap = Schema.Struct({
  chainId: ChainId,
  txHash: Hash,
  timestamp: DateTimeString,
  price: Schema.Finite.annotate({ description: "tokenOut per tokenIn, in whole units" }),
  dex: Schema.optionalKey(Schema.String),
  tokenIn: Address,
  tokenOut: Address,
  tokenInQty: BigIntString,
  tokenOutQty: BigIntString,
  tokenInDecimals: Schema.Finite,
  tokenOutDecimals: Schema.Finite,
  sourceDeployer: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "Erc20Swap" })
export type Erc20Swap = typeof Erc20Swap.Type

/** Which swaps a feed holds: values of one filter OR, filters AND; an absent filter lets all through. */
export interface SwapFilter {
  /** tokenIn OR tokenOut. */
  readonly token?: ReadonlyArray<Address>
  readonly tokenIn?: ReadonlyArray<Address>
  readonly tokenOut?: ReadonlyArray<Address>
}
