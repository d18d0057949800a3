/** A chain while it is followed: its settings, the node it is read from, the ledger it is written to, and where that stands. */
import { Effect, type Latch, Schema } from "effect"
import type { Checkpoint, Segment } from "../../model/event.ts"
import { FaultKind } from "../../model/fault.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { ChainSourceClient } from "../../ports/ChainSource.ts"
import type { LedgerSettings, LedgerWriter } from "../../ports/Ledger.ts"
import { rowsOf } from "./decode/chunk.ts"
import type { Contracts } from "./decode/sorting.ts"
import type { PoolFinder } from "./pools.ts"
import type { Report } from "./status/report.ts"
import type { Hints } from "./verify/bloomCheck.ts"
import type { ByHash } from "./verify/possiblyEmpty.ts"

export interface FollowSettings {
  readonly chainId: ChainId
  /** START_BLOCK: the first block of the ledger. */
  readonly startBlock: number
  readonly wrappedNative: ReadonlyArray<Address>
  /** SWAPS: whether swaps are stored. Never where TOKENS narrows the logs that are asked for. */
  readonly swaps: boolean
  /** Uniswap V4 pool managers whose swaps are. */
  readonly poolManagers: ReadonlyArray<Address>
  /** TOKENS; absent = every token. */
  readonly tokens?: ReadonlyArray<Address>
  /** FINALITY: blocks this far below the head never change. */
  readonly finality: number
  /** POLL_MS: time between two looks at the head. */
  readonly pollMs: number
  /** RPC_CONCURRENCY: ranges fetched ahead of the writer. */
  readonly rpcConcurrency: number
  /** VERIFY: the headers read below finality; default `range`: of range ends and blocks with logs. */
  readonly verify?: "range" | "full"
  /** TOKEN_URIS: whether ERC-721 ids are asked for their `tokenURI`; default yes. */
  readonly tokenUris?: boolean
  /** AUDIT_SECONDS: between two looks at tokens that are compared with the node; absent = AUDIT is off. */
  readonly auditSeconds?: number
}

/** What of it makes the ledger what it is. */
export const ledgerSettingsOf = (settings: FollowSettings, genesisHash: string): LedgerSettings => {
  const { chainId, startBlock: firstBlock, wrappedNative, tokens, swaps, poolManagers } = settings
  return { chainId, genesisHash, firstBlock, wrappedNative, swaps, poolManagers, ...(tokens && { tokens }) }
}

export interface Following {
  readonly settings: FollowSettings
  readonly contracts: Contracts
  readonly source: ChainSourceClient
  readonly writer: LedgerWriter
  readonly report: Report
  readonly pools: PoolFinder
  /** Of the chain, for as long as the process lives. */
  readonly hints: Hints
  /** Opened when tokens or ids may have come that nobody has asked about yet: one for each who waits for them. */
  readonly waiting: Set<Latch.Latch>
  /** Where the stored ledger stands: changes with every append, commit and rollback. */
  checkpoint: Checkpoint
  /** The newest block that the node announced last. */
  nodeHead: number
  /** Logs of blocks inside the window that are not stored yet, where one before them keeps them waiting. */
  readonly byHash: ByHash
  /** Of the ledger's chain. */
  readonly genesisHash: string
  /** Steady milliseconds since when the node has not had what it or another announced; undefined = it has. */
  lackingSince: number | undefined
  /** Blocks inside the window that are read at once: fewer after a failure. */
  step: number
}

/** The node's chain does not go on from the ledger's head: a reorg, or a node that contradicts itself. */
export class Detached extends Schema.TaggedError<Detached>()("Detached", {
  kind: FaultKind,
  message: Schema.String,
}) {}

/** Blocks this close to the head are read one by one, by hash, also where they are final at once. */
export const windowOf = ({ finality }: FollowSettings): number => Math.max(finality, 8)

const wake = ({ waiting }: Following): void => {
  for (const latch of waiting) latch.openUnsafe()
}

/** Once begun it ends, also when the service is asked to stop. */
export const append = Effect.fnUntraced(function* (following: Following, segment: Segment) {
  const { checkpoint, unknownPool } = yield* following.writer.append(segment)
  following.checkpoint = checkpoint
  following.report.taken(segment, unknownPool)
  following.report.indexed(following.checkpoint)
  if (rowsOf(segment) > 0) wake(following)
}, Effect.uninterruptible)

/** Hands a segment to the open append; the ledger that people see stays as it is. */
export const extend = Effect.fnUntraced(function* (following: Following, segment: Segment) {
  const extended = yield* following.writer.extend(segment)
  following.report.taken(segment, extended.unknownPool)
  return extended
}, Effect.uninterruptible)

/** Makes visible what was extended, `moving` or empty blocks. Once begun it ends. */
export const commit = Effect.fnUntraced(function* (following: Following, moving: boolean) {
  following.checkpoint = yield* following.writer.commit
  following.report.indexed(following.checkpoint)
  if (moving) wake(following)
}, Effect.uninterruptible)

/** Forgets what was extended. */
export const discard = ({ writer }: Following) => Effect.uninterruptible(writer.discard)

/** Removes block `fromBlock` and everything above it. Once begun it ends. */
export const rollback = Effect.fnUntraced(function* (following: Following, fromBlock: number) {
  const before = following.checkpoint.nextBlock
  following.checkpoint = yield* following.writer.rollback(fromBlock)
  following.pools.forget()
  following.report.indexed(following.checkpoint)
  following.report.reorg(before - following.checkpoint.nextBlock)
  yield* Effect.logWarning(
    `chain ${following.settings.chainId}: reorg, ${before - fromBlock} blocks taken back, going on at block ${fromBlock}`,
  )
}, Effect.uninterruptible)
