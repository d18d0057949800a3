/** What a transaction is and cost, as its chain's node tells it: what no log says. */
import type { BigIntString, Hash } from "../primitives.ts"

export interface TransactionFacts {
  readonly hash: Hash
  readonly blockNumber: number
  readonly blockHash: Hash
  /** Its place in the block. */
  readonly index: number
  readonly nonce: BigIntString
  /** The limit that its sender set. */
  readonly gas: BigIntString
  /** What was paid for a unit of gas, in the currency's smallest unit. */
  readonly gasPrice: BigIntString
  readonly gasUsed: BigIntString
  /** Of the block up to it, its own included. */
  readonly cumulativeGasUsed: BigIntString
  /** The first four bytes of its input in hex; `0x` where it has fewer. */
  readonly methodId: string
}
