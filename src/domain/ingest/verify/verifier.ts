/** What answers are verified with: the node, which logs are followed, and what was learned of the chain so far. */
import { Semaphore } from "effect"
import type { Log } from "../../../model/block.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { ChainSourceClient } from "../../../ports/ChainSource.ts"
import type { Report } from "../status/report.ts"

export interface Verifier {
  readonly chainId: ChainId
  readonly node: ChainSourceClient
  /** Of a token that is followed. */
  readonly isFollowed: (log: Log) => boolean
  readonly traits: ChainTraits
  readonly report: Pick<Report, "noticed" | "problem" | "refused">
}

/** What was learned of a chain's blooms and nodes, for as long as the process lives. */
export interface ChainTraits {
  /** A block with an all-zero bloom was shown to hold logs: such a bloom says nothing here. */
  emptyBloomsSayNothing: boolean
  /** A block's bloom was seen to show the logs that the block holds: an empty one may mean what it says. */
  bloomsReliable: boolean
  /** Blocks that were shown to hold logs which their bloom, with bits in it, does not. */
  unlistedBlocks: number
  /** So many of the newest blocks were settled since it was seen that behind the node's address are some that have not got the blocks that others show. Infinite: it was not. */
  settledSinceLag: number
  /** The newest header has a bloom. */
  hasBlooms: boolean
  /** Logs in the longest answer to a range so far. */
  longestAnswer: number
  /**
   * Blocks below the head where the logs of a range may end before its headers do: a node that is behind another one at
   * the same address, or whose index of logs is behind its blocks, answers with the logs it has, and says nothing of it.
   * Such an answer is whole up to its last log and proves nothing beyond. Half an hour of the fastest chains, hours of
   * most; it costs so many headers once a catch-up.
   */
  nearHeadBlocks: number
  /** The node has no block 0, as it said when the ledger's first block was to be read. */
  lacksBlockZero: boolean
  /** One mismatch is looked into at a time: the next one may be answered by the first. */
  readonly oneByOne: Semaphore.Semaphore
}

/** What is near the head of every chain. */
export const fewestNearHead = 8192

/** After so many such blocks this chain's blooms are known to leave logs out (system logs, on some). */
export const enoughUnlisted = 8

/** `addsLogs`: it is known to add logs that its blooms leave out. */
export const makeChainTraits = (addsLogs = false): ChainTraits => ({
  emptyBloomsSayNothing: addsLogs,
  bloomsReliable: false,
  unlistedBlocks: addsLogs ? enoughUnlisted : 0,
  settledSinceLag: Number.POSITIVE_INFINITY,
  hasBlooms: false,
  longestAnswer: 0,
  nearHeadBlocks: fewestNearHead,
  lacksBlockZero: false,
  oneByOne: Semaphore.makeUnsafe(1),
})

/** Nodes that are behind are reckoned with, until as many blocks came without a sign of it as are near the head. */
export const mayLag = ({ settledSinceLag, nearHeadBlocks }: ChainTraits): boolean => settledSinceLag < nearHeadBlocks
