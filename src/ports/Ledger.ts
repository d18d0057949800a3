/** The write side: one writer per chain appends segments and rolls blocks back, each in one transaction. */
import { Context, type Effect, Schema, type Scope } from "effect"
import type { BlockHeader } from "../domain/model/block.ts"
import type { Checkpoint, Segment } from "../domain/model/event.ts"
import type { Address, ChainId } from "../domain/model/primitives.ts"
import type { TokenDescription } from "../domain/model/token.ts"

/** What makes a chain's ledger what it is: another value would make other numbers. */
export interface LedgerSettings {
  readonly chainId: ChainId
  readonly genesisHash: string
  readonly firstBlock: number
  readonly wrappedNative: ReadonlyArray<Address>
  /** Absent = every token. */
  readonly tokens?: ReadonlyArray<Address>
}

/** The stored ledger was made with other settings, by another version, or of another chain. `message` says what to do. */
export class LedgerRefused extends Schema.TaggedError<LedgerRefused>()("LedgerRefused", { message: Schema.String }) {}

/** The segment does not follow the checkpoint, or breaks its own rules; nothing was written. */
export class SegmentRefused extends Schema.TaggedError<SegmentRefused>()("SegmentRefused", {
  message: Schema.String,
}) {}

/** The store failed or this writer lost its lock; nothing was written. Open again. */
export class LedgerUnavailable extends Schema.TaggedError<LedgerUnavailable>()("LedgerUnavailable", {
  cause: Schema.Defect(),
}) {}

/** A token waiting for its description. `firstBlock`/`firstLogIndex` name this very birth of it: a rolled-back one never takes an answer meant for another. */
export interface UndescribedToken {
  readonly address: Address
  readonly firstBlock: number
  readonly firstLogIndex: number
}

export interface LedgerWriter {
  readonly checkpoint: Effect.Effect<Checkpoint, LedgerUnavailable>
  /** Headers kept for reorgs, ascending. */
  readonly recentHeaders: Effect.Effect<ReadonlyArray<BlockHeader>, LedgerUnavailable>
  /** All of the segment or nothing. Refuses one that does not start at the checkpoint or whose parent is not its head. */
  append(segment: Segment): Effect.Effect<Checkpoint, SegmentRefused | LedgerUnavailable>
  /** Removes block `fromBlock` and everything above it. Refuses to go below the kept headers: `fromBlock - 1` must be one of them or the block before the first stored. */
  rollback(fromBlock: number): Effect.Effect<Checkpoint, SegmentRefused | LedgerUnavailable>
  /** Oldest first. */
  listUndescribedTokens(limit: number): Effect.Effect<ReadonlyArray<UndescribedToken>, LedgerUnavailable>
  /** Records what a token says of itself (possibly nothing: `{}`); ignored if that token is gone. */
  describeTokens(
    described: ReadonlyArray<{ readonly token: UndescribedToken; readonly description: TokenDescription }>,
  ): Effect.Effect<void, LedgerUnavailable>
}

export class Ledger extends Context.Service<
  Ledger,
  {
    /** Makes the chain's store if it is new, takes its writer lock (waits while another writer holds it), held until the scope ends. */
    open(settings: LedgerSettings): Effect.Effect<LedgerWriter, LedgerRefused | LedgerUnavailable, Scope.Scope>
  }
>()("cowry/Ledger") {}
