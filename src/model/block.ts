/** Blocks as the ledger and the chain source speak of them. */
import type { Address, ChainId, Hash } from "./primitives.ts"

/** A block header: what chains blocks together, and its time in seconds. */
export interface BlockHeader {
  readonly number: number
  readonly hash: Hash
  readonly parentHash: Hash
  /** Seconds since 1970. */
  readonly time: number
}

/** A log as a node gives it. */
export interface Log {
  readonly address: Address
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly blockNumber: number
  readonly blockHash: Hash
  readonly logIndex: number
  readonly txHash: Hash
  /** The transaction's place in its block; absent = the node does not say. */
  readonly txIndex?: number | undefined
}

export type Finality = "latest" | "safe" | "finalized"

/** The block an answer speaks of. */
export interface AsOf {
  readonly chainId: ChainId
  readonly blockNumber: number
  readonly hash: Hash
  /** Block time, seconds. */
  readonly time: number
  readonly finality: Finality
  /** The node's head when this block was stored: the lag is at least `nodeHead - blockNumber`. */
  readonly nodeHead: number
  /** First block the ledger holds (START_BLOCK): nothing is known before it. */
  readonly firstBlock: number
  /** Changes with every block stored or rolled back and every background write: for ETags. */
  readonly revision: number
}
