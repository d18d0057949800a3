/** Blocks as the ledger and the chain source speak of them. */
import type { Address, ChainId, Hash } from "./primitives.ts"

/** The store has 4 signed bytes for a block number, the next one included. */
export const maxBlockNumber = 2 ** 31 - 2

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

/** What a log says, whichever index a node gives it: some count anew in each receipt, and no root speaks of it. */
export const logText = ({ address, topics, data, txHash }: Log): string => [txHash, address, ...topics, data].join()

/** A log that is kept as the node told it, since the ledger's rows do not give it back byte for byte. */
export interface OddLog {
  readonly contract: Address
  /** Words of 32 bytes in hex, none to four. */
  readonly topics: ReadonlyArray<string>
  /** `0x…`, whole bytes. */
  readonly data: string
  readonly blockNumber: number
  readonly logIndex: number
  /** Block time, seconds. */
  readonly time: number
  readonly txHash: Hash
  /** The transaction's place in its block; absent = the node does not say. */
  readonly txIndex?: number | undefined
  /** Whether the ledger has rows of it too: it was understood, they only do not say how it was written. */
  readonly hasRows: boolean
}

type Finality = "latest" | "safe" | "finalized"

/** A chain of which an answer says nothing, though it was asked about it. */
export interface LeftOut {
  readonly chainId: ChainId
  /** As of which block of its ledger that is so. `Infinity`: whatever the ledger is like. */
  readonly blockNumber: number
}

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
  /** Grows with every block stored or rolled back and every background write: for ETags. */
  readonly revision: number
  /**
   * Grows likewise, but for writes that change no figure (balance, supply, count): what is learned of names, URIs, codes and
   * prices, and of who made a token where `firstBlock` is 0.
   */
  readonly figures: number
  /** Grows only with writes that change figures otherwise than by further blocks: rollbacks, heals, audits, and the like. */
  readonly rewrites: number
}
