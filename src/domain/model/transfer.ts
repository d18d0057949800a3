/** Transfers as the API shows them, and their place in a feed. */
import { Schema } from "effect"
import { Address, BigIntString, ChainId, DateTimeString, Hash } from "./primitives.ts"

export const Erc20Transfer = Schema.Struct({
  chainId: ChainId,
  blockNumber: Schema.Finite,
  txHash: Hash,
  logIndex: Schema.Finite,
  from: Address,
  to: Address,
  createdAt: DateTimeString,
  timestamp: DateTimeString,
  amount: BigIntString,
  amountInUsd: Schema.optionalKey(Schema.String),
  tokenAddress: Address,
  tokenName: Schema.optionalKey(Schema.String),
  tokenSymbol: Schema.optionalKey(Schema.String),
  tokenDecimals: Schema.optionalKey(Schema.Finite),
}).annotate({ identifier: "Erc20Transfer" })
export type Erc20Transfer = typeof Erc20Transfer.Type

/**
 * A row's place in a feed. One chain orders by (blockNumber, logIndex, sub); many chains by
 * (time, chainId as a number, blockNumber, logIndex, sub). `sub` = position in a batch, 0 for ERC-20.
 */
export interface FeedKey {
  /** Block time, seconds. */
  readonly time: number
  readonly chainId: ChainId
  readonly blockNumber: number
  readonly logIndex: number
  readonly sub: number
}

/** Which transfers a feed holds: values of one filter OR, filters AND; an absent filter lets all through. */
export interface TransferFilter {
  readonly tokenAddress?: ReadonlyArray<Address>
  readonly from?: ReadonlyArray<Address>
  readonly to?: ReadonlyArray<Address>
  /** from OR to. */
  readonly address?: ReadonlyArray<Address>
  /** Inclusive, 0 to 2⁵³−1; each chain's own numbers. */
  readonly blockNumberFrom?: number
  readonly blockNumberTo?: number
}
