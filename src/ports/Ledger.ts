/** The write side: one writer per chain appends segments and rolls blocks back, each in one transaction. */
import { Context, type Effect, Schema, type Scope } from "effect"
import type { AuditState } from "../model/audit.ts"
import type { BlockHeader, OddLog } from "../model/block.ts"
import type { Checkpoint, Movement, NftMovement, Segment, SentToZero } from "../model/event.ts"
import type { Address, BigIntString, ChainId, Hash } from "../model/primitives.ts"
import type { Standard, TokenDescription, TokenOrigin } from "../model/token.ts"

/** What makes a chain's ledger what it is: another value would make other numbers. */
export interface LedgerSettings {
  readonly chainId: ChainId
  /** Of block 0; of block 1 where the node that the ledger began at has no block 0. */
  readonly genesisHash: Hash
  readonly firstBlock: number
  readonly wrappedNative: ReadonlyArray<Address>
  /** Whether swaps are stored. */
  readonly swaps: boolean
  /** Uniswap V4 pool managers whose swaps are. */
  readonly poolManagers: ReadonlyArray<Address>
  /** Whether approvals are stored; absent = no. */
  readonly approvals?: boolean
  /** Absent = every token. */
  readonly tokens?: ReadonlyArray<Address>
}

/** What an operator runs to have a chain's ledger built anew while the stored one answers. */
export const rebuildCommand = (chainId: ChainId): string => `cowry resync ${chainId}`

/** The stored ledger was made with other settings, by another version, or of another chain. `message` says what to do. */
export class LedgerRefused extends Schema.TaggedError<LedgerRefused>()("LedgerRefused", { message: Schema.String }) {}

/** The segment does not follow the checkpoint, or breaks its own rules; nothing was written. */
export class SegmentRefused extends Schema.TaggedError<SegmentRefused>()("SegmentRefused", {
  message: Schema.String,
}) {}

/** The store failed or this writer lost its lock; nothing was written. Open again. `problem`: why, where an operator must do something. `isLate`: it took longer than the store's deadline. */
export class LedgerUnavailable extends Schema.TaggedError<LedgerUnavailable>()("LedgerUnavailable", {
  cause: Schema.Defect(),
  problem: Schema.optionalKey(Schema.String),
  isLate: Schema.optionalKey(Schema.Literal(true)),
}) {}

/** A token about which something is to be learned. `firstBlock`/`firstLogIndex` name this very birth of it: a rolled-back one never takes an answer meant for another. */
export interface BornToken {
  readonly standard: Standard
  readonly address: Address
  readonly firstBlock: number
  readonly firstLogIndex: number
  /** The transaction of its first event. */
  readonly firstTxHash: Hash
  /** Of the block of its first event, as long as a reorg may take that. */
  readonly firstBlockHash?: Hash
}

/** An ERC-20 whose zero address holds what is sent there; absent = all of it. */
export type ZeroAddressHolder = BornToken & { readonly sentToZero?: Exclude<SentToZero, "burnt"> }

/** A live ERC-721 id whose `tokenURI` is to be asked. `mintBlock`/`mintLogIndex` name this very mint of it. */
export interface MintedNft {
  readonly token: Address
  readonly tokenId: BigIntString
  readonly mintBlock: number
  readonly mintLogIndex: number
}

/** Rows of blocks that are stored, which the ledger never got: a node left their logs out. */
export interface MissingRows {
  /** Ascending strictly by (blockNumber, logIndex). */
  readonly movements: ReadonlyArray<Movement>
  /** Ascending strictly by (blockNumber, logIndex, sub), of no log that `movements` has. */
  readonly nfts: ReadonlyArray<NftMovement>
  /** Ascending strictly by (blockNumber, logIndex): logs of these rows that are kept beside them. Absent = none. */
  readonly odd?: ReadonlyArray<OddLog>
  /** Of every block that they are in. */
  readonly headers: ReadonlyArray<BlockHeader>
  /** What the audit's records become by them, in the same transaction. Absent = what they are. */
  readonly audits?: ReadonlyArray<HealedAudit>
}

/** Goes into the token's record of that state and that block, where there is one. What is absent here is absent there then. */
export interface HealedAudit {
  readonly standard: Standard
  readonly address: Address
  readonly record: {
    readonly state: AuditState
    readonly blockNumber: number
    readonly reason?: string
  } & Partial<Readonly<Record<"differed" | "logs" | "healed", { readonly from: number; readonly to: number }>>>
}

/** A block that the ledger will always know by its hash. */
export type Landmark = Pick<BlockHeader, "number" | "hash" | "time">

/** What became of a segment. */
export interface Appended {
  /** Where the ledger stands, or will stand after the commit. */
  readonly checkpoint: Checkpoint
  /** Swaps of the segment that were left out, as nobody knows their pool at that block; beside those of its `counts`. */
  readonly unknownPool: number
}

/** What an open append has come to. */
export interface Extended extends Appended {
  /** The writer's memory for an open append is used up: commit now. */
  readonly full: boolean
}

/** What is learned of tokens and ids beside their events. May run beside an append. */
export interface LedgerLearning {
  /** Oldest first. */
  listUndescribedTokens(limit: number): Effect.Effect<ReadonlyArray<BornToken>, LedgerUnavailable>
  /** Records what is new in what a token says of itself (`{}` = nothing); what it says no more stays. Ignored if that token is gone. */
  describeTokens(
    described: ReadonlyArray<{ readonly token: BornToken; readonly description: TokenDescription }>,
  ): Effect.Effect<void, LedgerUnavailable>
  /** Tokens of which nobody has recorded an origin, oldest first. */
  listTokensWithoutOrigin(limit: number): Effect.Effect<ReadonlyArray<BornToken>, LedgerUnavailable>
  /**
   * Records who made a token and when (possibly nothing: `{}`); ignored if that token is gone, or if the block of its first event is
   * another one than it was listed with: what was found is another fork's. Made by the transaction of its
   * first event, it is as old as the ledger has that block: another fork may have told another time.
   */
  recordOrigins(
    found: ReadonlyArray<{ readonly token: BornToken; readonly origin: TokenOrigin }>,
  ): Effect.Effect<void, LedgerUnavailable>
  /** Tokens of which it is recorded that nothing is known of their origin, newest first: those before `last`. */
  listExhaustedTokens(limit: number, last?: BornToken): Effect.Effect<ReadonlyArray<BornToken>, LedgerUnavailable>
  /** Live ERC-721 ids that have not been asked since they were minted, newest mint first. */
  listNftsWithoutUri(limit: number): Effect.Effect<ReadonlyArray<MintedNft>, LedgerUnavailable>
  /** Records an id's `tokenURI` (absent = it has none, it is not asked again); ignored if that mint is gone. */
  recordTokenUris(
    found: ReadonlyArray<{ readonly nft: MintedNft; readonly uri?: string }>,
  ): Effect.Effect<void, LedgerUnavailable>
}

/** How far a load in bulk is: what is being made, and which share of all that is made once the rows are copied. */
export interface LoadProgress {
  /** `copying` rows; `deriving` balances, histories, owners; `indexing` all of it. */
  readonly step: "copying" | "deriving" | "indexing"
  /** 0 to 1, by the time that it takes; 0 while rows are copied, of which nothing is known here. */
  readonly done: number
}

/**
 * The way of a long history into an empty ledger: `begin`; then appends, which store rows and nothing else; then `derive`,
 * until there is nothing left to derive. Until then readers see the empty ledger, and nothing is rolled back. A load that
 * ends early (a stop, a crash) is there when the ledger is opened again, as its last commit or step left it.
 */
export interface BulkLoading {
  /** Whether the ledger is being loaded. */
  readonly isLoading: () => boolean
  /** Whether a load takes rows. Once something was derived it takes none: appends are refused until the ledger is whole. */
  readonly takesRows: () => boolean
  /** Begins a load. Refuses where something is stored, or an append is open. */
  readonly begin: Effect.Effect<void, SegmentRefused | LedgerUnavailable>
  /** Does the next step, of some seconds, or as long as an index takes. False = all was done: the ledger is whole. */
  readonly derive: Effect.Effect<boolean, SegmentRefused | LedgerUnavailable>
  /** Whether the last step came to nothing, as somebody is in the empty ledger: whoever reads it waits behind the next try. */
  readonly isHeldUp: () => boolean
  /** May be asked beside a step. */
  readonly progress: Effect.Effect<LoadProgress, LedgerUnavailable>
}

/**
 * Writes in two ways: `append` stores a segment at once; `extend` takes segments one after the other into an open
 * append, which `commit` makes visible as a whole. A `SegmentRefused` changes nothing, an open append stays as it was.
 * After a `LedgerUnavailable` the open append is gone and the writer is of no use any more. So is an open append when
 * the writer's scope ends, or when it is open for longer than the store's deadline.
 */
export interface LedgerWriter extends LedgerLearning {
  /** Where the stored ledger stands; an open append does not count. */
  readonly checkpoint: Effect.Effect<Checkpoint, LedgerUnavailable>
  /** Fails where the stored ledger is another than this writer left: a rebuilt one took its place, or somebody moved it. */
  readonly confirm: Effect.Effect<void, LedgerUnavailable>
  /** Which making of the ledger it is that is written: a resync makes another. While it is loaded in bulk, that of what is loaded. */
  readonly birth: Effect.Effect<string, LedgerUnavailable>
  /** Headers kept for reorgs, ascending. */
  readonly recentHeaders: Effect.Effect<ReadonlyArray<BlockHeader>, LedgerUnavailable>
  /** Final blocks whose hash is kept for ever (one of each 256 that were read, as far as this ledger has them), newest first. */
  landmarks(limit: number): Effect.Effect<ReadonlyArray<Landmark>, LedgerUnavailable>
  /** Extends and commits: all of the segment or nothing. */
  append(segment: Segment): Effect.Effect<Appended, SegmentRefused | LedgerUnavailable>
  /**
   * Opens an append, or goes on with the open one. Nobody sees it before `commit`, its movements may be forgotten at
   * once. Refuses a segment that does not start where the last one ended or whose parent is not its head.
   */
  extend(segment: Segment): Effect.Effect<Extended, SegmentRefused | LedgerUnavailable>
  /** Stores what was extended, all at once. Does nothing without an open append. */
  readonly commit: Effect.Effect<Checkpoint, LedgerUnavailable>
  /** Forgets what was extended since the last commit. Does nothing without an open append. */
  readonly discard: Effect.Effect<void, LedgerUnavailable>
  /** Refuses while an append is open. Removes block `fromBlock` and everything above it. Refuses to go below the kept headers: `fromBlock - 1` must be one of them or the block before the first stored. */
  rollback(fromBlock: number): Effect.Effect<Checkpoint, SegmentRefused | LedgerUnavailable>
  /** Absent = this store has no such way. */
  readonly bulk?: BulkLoading
  /** Refuses while an append is open. What was sent to the tokens' zero address, but perhaps by the contract itself, is that holder's, at every block and from now on. Counts as a rollback to their first block. Ignores those that are no more, or known to be so. */
  letZeroAddressHold(tokens: ReadonlyArray<ZeroAddressHolder>): Effect.Effect<void, SegmentRefused | LedgerUnavailable>
  /**
   * Takes in what was missed, in one transaction: afterwards the ledger is as if it had never missed it, at every block.
   * Counts as a rollback to the first of those blocks for whoever walks as of a block. Rows at places that are taken are
   * left out; gives how many came in. Where none did the audit's records stay. Refuses while an append is open, rows of
   * blocks that are not stored or are stored with another header, and what would hold the chain up for too long.
   */
  heal(missing: MissingRows): Effect.Effect<number, SegmentRefused | LedgerUnavailable>
}

export class Ledger extends Context.Service<
  Ledger,
  {
    /** Makes the chain's store if it is new, takes its writer lock (waits while another writer holds it), held until the scope ends. */
    open(settings: LedgerSettings): Effect.Effect<LedgerWriter, LedgerRefused | LedgerUnavailable, Scope.Scope>
    /** The hash by which the chain of the stored ledger is known; undefined = nothing is stored of it. */
    readonly genesis: (chainId: ChainId) => Effect.Effect<Hash | undefined, LedgerUnavailable>
    /** What a load of this chain does, whoever loads it; undefined = none goes on. Absent = this store has no loads. */
    readonly loading?: (chainId: ChainId) => Effect.Effect<LoadProgress["step"] | undefined, LedgerUnavailable>
  }
>()("cowry/Ledger") {}
