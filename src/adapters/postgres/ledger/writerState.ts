/** What one chain's writer keeps: its sessions, its caches, its open append, and where it left the ledger. */
import type { Checkpoint } from "../../../model/event.ts"
import type { LedgerSettings } from "../../../ports/Ledger.ts"
import type { ChainSql } from "../database/chainSql.ts"
import type { DatabaseShape } from "../database/Database.ts"
import type { CacheBudget } from "./balances/cacheBudget.ts"
import type { Folding } from "./balances/fold.ts"
import type { Pairs } from "./balances/pairs.ts"
import type { Indexer } from "./bulk/indexer.ts"
import type { Building } from "./bulk/indexes.ts"
import type { Merge } from "./bulk/merge.ts"
import type { EmptyLedger } from "./bulk/place.ts"
import type { Sides } from "./bulk/sides.ts"
import type { BulkState } from "./bulk/stage.ts"
import type { LoadedTokens } from "./ids/loadedTokens.ts"
import type { Owners } from "./ids/owners.ts"
import { clearPools, type Pools } from "./ids/pools.ts"
import { forgetTokens, type Token, type Tokens } from "./ids/tokens.ts"
import type { Units } from "./ids/units.ts"
import type { AppendSummary } from "./state/appendSummary.ts"
import type { Position } from "./state/checkpoint.ts"
import type { Passed } from "./state/tokenCounters.ts"
import type { Edges } from "./state/windows.ts"
import type { Session } from "./wire/session.ts"

export interface WriterState {
  /** Holds the lock, appends. */
  readonly session: Session
  /** Looks pairs up while `session` appends: there while appends have more than a few rows. */
  reader: Session | undefined
  /** `segments` when it was last worth having. */
  readerUsedAt: number
  readonly openReader: () => Promise<Session>
  readonly pairs: Pairs
  readonly owners: Owners
  readonly units: Units
  readonly tokens: Tokens
  readonly pools: Pools
  readonly limits: WriterLimits
  /** Shared with the writers of the other chains. */
  readonly budget: CacheBudget
  position: Position
  open: OpenAppend | undefined
  segments: number
  /** While the ledger is loaded in bulk. */
  load: BulkLoad | undefined
}

/** A ledger that is loaded in bulk: its rows are stored, its balances and indexes are made at the end. */
export interface BulkLoad {
  readonly empty: EmptyLedger
  state: BulkState
  /** Those it has met: `Tokens` stays empty. */
  readonly tokens: LoadedTokens
  /** Of the open append, those that are in no run yet; its runs, and the sides in them. */
  readonly sides: Sides
  runs: number
  stored: number
  /** Tables whose indexes are being built. */
  readonly building: Building
  /** Makes ids, and builds indexes, over a session of its own: those of what was copied beside the rest. */
  indexer: Indexer | undefined
  /** The runs while they are folded. */
  merge: Merge | undefined
  /** Rows of ERC-721 and ERC-1155 of which no ids are made yet, about; undefined = of all that there are. */
  idsLeft: number | undefined
  /** It could not take the empty ledger's place: somebody was in its tables. */
  isHeldUp: boolean
}

/** What a writer is of. `chain`: of the readers' pool. */
export interface Written {
  readonly database: DatabaseShape
  readonly chain: ChainSql
  readonly schema: string
  readonly settings: LedgerSettings
}

export interface WriterLimits {
  /** Memory of the pair caches of all chains together, bytes. */
  readonly cacheBytes: number
  /** Tokens kept in memory. Of a load: new ones of an append, and those with transfers that are not stored yet. */
  readonly maxTokens: number
  /** Of a load: tokens whose ids are kept. */
  readonly maxLoadedTokens: number
  /** Of a load: transfers of a token that are not stored yet. At most 2³⁰. */
  readonly maxTransfers: number
  /** ERC-721 ids, and ERC-1155 units, kept in memory: of each so many. */
  readonly maxIds: number
  /** Pools, and what they hold, kept in memory: of each so many. */
  readonly maxPools: number
  /** Movements folded at a time. */
  readonly chunkSize: number
  /** Versions of balances that a heal may change: the chain waits for it meanwhile. */
  readonly healedVersions: number
  /** Rows of a segment that is appended by itself up to which all of it is done in one go. At most `chunkSize`. */
  readonly rowsAtOnce: number
  /** Of a load in bulk: slices of rows that are sent together, sides of a run, and rows that are derived in one transaction. */
  readonly loadSlices: number
  readonly runSides: number
  readonly derivedRows: number
  /** Runs that are merged at once: each takes 16 KB and more. */
  readonly mostRuns: number
  /** Days for which rows that were taken back are kept, for consumers of events that come back. */
  readonly eventsDays: number
  /** Rows of ERC-721 and ERC-1155 tokens that are derived together; of very many a sixteenth, and a token of more alone. */
  readonly idRows: number
  /** Milliseconds after which an append or a rollback is given up, and the session with it. */
  readonly deadlineMs: number
  /** Milliseconds without a word from a server that is not at work for us, after which a session is given up. */
  readonly silenceMs: number
}

/** What was extended and is not committed yet: a transaction of `session`. */
export interface OpenAppend {
  readonly folding: Folding
  /** Tokens touched so far. */
  readonly touched: Array<Token>
  /** How many went in, and how many are of pools that nobody knows. */
  readonly swaps: { stored: number; skipped: number }
  /** Where the ledger will stand. */
  readonly checkpoint: Checkpoint
  readonly summary: AppendSummary | undefined
  /** The last rows on their way: nothing else may be sent on `session` meanwhile. */
  flushed: Promise<void>
  /** Rows wait until they fill so many slices. */
  readonly slicesAtOnce: number
  /** Of the rolling counts, where they were asked for ahead of the commit. */
  edges: Promise<Edges> | undefined
  /** What leaves the windows, where it was counted beside the look-ups. */
  passed: Promise<ReadonlyArray<Passed>> | undefined
  /** Ends the sessions when the append is open for too long. */
  readonly deadline: NodeJS.Timeout
}

/** The memory of an open append is used up. */
export const isFull = ({ open, load, pairs, owners, units, pools, budget, limits }: WriterState): boolean =>
  pairs.isFull(budget.allowance(pairs)) ||
  (load?.tokens.born.length ?? open?.touched.length ?? 0) > limits.maxTokens ||
  owners.known.size > limits.maxIds ||
  units.known.size > limits.maxIds ||
  pools.known.size > limits.maxPools

/** There is no open append any more. */
export const closeAppend = (writer: WriterState): void => {
  clearTimeout(writer.open?.deadline)
  writer.open = undefined
  const { load } = writer
  if (load === undefined) return
  load.sides.clear()
  Object.assign(load, { runs: 0, stored: 0 })
}

/** What the caches hold is not what the ledger holds: they begin anew. */
export const clearCaches = ({ load, pairs, owners, units, tokens, pools, position }: WriterState): void => {
  load?.tokens.clear()
  pairs.clear()
  owners.clear()
  units.clear()
  forgetTokens(tokens)
  clearPools(pools, position.poolSequence)
}
