/** How far each chain's ingestion is: written by follow, read by `/ready`, the as-of headers and the progress lines. */
import { Context } from "effect"
import type { FaultCounts } from "../model/fault.ts"
import type { ChainId } from "../model/primitives.ts"

export interface ChainSyncStatus {
  readonly chainId: ChainId
  /**
   * `waiting` = no answer from the node yet, or another instance writes; `stopped` = refused, see `problem`. A first sync in
   * bulk is `copying`, `deriving`, `indexing`: until it is done nothing of the chain can be read.
   */
  readonly phase: "waiting" | "backfill" | "copying" | "deriving" | "indexing" | "live" | "stopped"
  /** Newest block the node announced. */
  readonly headBlock?: number
  /** When the node last told its newest block, or answered anything since: steady milliseconds (`model/time/steadyClock.ts`). */
  readonly heardAt?: number
  /** Last block stored. */
  readonly indexedBlock?: number
  /** Newest stored block that can never be taken back; absent where another instance writes, too. */
  readonly finalizedBlock?: number
  /** Where the ledger that is followed starts; until one is open, where it is to (START_BLOCK). */
  readonly firstBlock: number
  /** Transfers and swaps stored since the start of this process, and per second of late. */
  readonly logs: number
  readonly logsPerSecond: number
  readonly blocksPerSecond: number
  /** Far behind the head: which share of the work is done, 0 to 1, weighted with what the blocks hold; absent = not known. */
  readonly done?: number
  /** How long the rest takes at the pace of the last minutes; absent = not known. */
  readonly secondsLeft?: number
  /** Logs that are not stored: of malformed shapes, and swaps at what is no pool or in one that nobody initialized. */
  readonly skipped: { readonly malformed: number; readonly unknownPool: number }
  /** Reorgs since the start of this process: how many, the blocks they took back together, and the most that one did. */
  readonly reorgs: { readonly count: number; readonly blocks: number; readonly deepest: number }
  /** Rows taken in since then that a node had left out (LedgerWriter.heal). */
  readonly healed: number
  /** Answers of the node that were refused since then, by kind. */
  readonly faults: FaultCounts
  /** Absent = the chain has none. */
  readonly history?: HistoryStatus
  /** Hours of the past whose prices are not found yet; `from`: the hour (since 1970) from which on all are. Absent = none are looked for. */
  readonly prices?: { readonly hoursLeft: number; readonly from?: number }
  /** What is wrong at the moment, in plain words without secrets. */
  readonly problem?: string
  /** Why logs that were stored are not sure, likewise. */
  readonly doubt?: string
  /** Lag in blocks up to which the chain counts as ready (MAX_LAG). */
  readonly maxLag: number
  /** Milliseconds between two looks at the head, at most (POLL_MS). */
  readonly pollMs: number
  /** Another process follows the chain; absent = this one does. All else is what that one told, `heardAt` that it told it. */
  readonly elsewhere?: true
  /** The chain's ledger is waited for: it is not open here, and somebody else may have it. */
  readonly awaitsLedger?: true
  /** When another process, which follows the chain, told how it is doing: steady milliseconds. Of a chain of this one: while its ledger is waited for. Absent = none did. */
  readonly toldAt?: number
}

/** A history from elsewhere than the node, since the start of this process. */
export interface HistoryStatus {
  /** What may be shown of where it is. */
  readonly source: string
  /** It is read at the moment. */
  readonly isUsed: boolean
  /** Why it is not, in plain words without secrets. */
  readonly left?: string | undefined
  /** Rows and blocks below finality, by where they came from. */
  readonly logs: { readonly history: number; readonly node: number }
  readonly blocks: { readonly history: number; readonly node: number }
  /** Read from it, unpacked. */
  readonly bytes: number
  /** Blocks of it that the node's own logs were held against. */
  readonly compared: number
}

/** The chain is in a first sync in bulk: what is read of it is not there yet. */
export const isLoading = ({ phase }: Pick<ChainSyncStatus, "phase">): boolean =>
  phase === "copying" || phase === "deriving" || phase === "indexing"

export type SyncStatusPatch = {
  readonly [Field in Exclude<keyof ChainSyncStatus, "chainId">]?: ChainSyncStatus[Field] | undefined
}

export class SyncStatus extends Context.Service<
  SyncStatus,
  {
    /** Ascending by chain id. */
    readonly list: () => ReadonlyArray<ChainSyncStatus>
    readonly find: (chainId: ChainId) => ChainSyncStatus | undefined
    /** Changes the named fields; undefined removes one. */
    readonly update: (chainId: ChainId, patch: SyncStatusPatch) => void
  }
>()("cowry/SyncStatus") {}
