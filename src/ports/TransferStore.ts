/** Reads transfer feeds. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { PageRequest, Rows, Snapshot } from "../model/page.ts"
import type { ChainId, Hash } from "../model/primitives.ts"
import type { Standard } from "../model/token.ts"
import type { FeedKey, TransferExtra, TransferFilter, TransferRecords } from "../model/transfer.ts"

export interface TransfersQuery<S extends Standard = Standard> {
  readonly standard: S
  readonly chains: ReadonlyArray<ChainId>
  readonly filter: TransferFilter
  /** `desc` = newest first. `asc` is its exact reverse. */
  readonly direction: "asc" | "desc"
  readonly page: PageRequest<FeedKey>
  /** Rows that are passed over before the page's first: of one chain, and without `before`. Default none. */
  readonly skip?: number
  /** Exact without filters or with `tokenAddress` alone; else exact up to `countCap`, then `lowerBound`. */
  readonly count: boolean
  /** What rows have beside the rest. Absent = nothing. */
  readonly include?: ReadonlyArray<TransferExtra | "blockHash">
}

/** Where a row's block may still be taken back: its hash. Absent = no reorg takes it. */
export interface InWindow {
  readonly blockHash?: Hash
}

export class TransferStore extends Context.Service<
  TransferStore,
  {
    /** The first block from which on all Deposits and Withdrawals of a chain can be listed; of several the highest. */
    wrapsFrom(chains: ReadonlyArray<ChainId>): Effect.Effect<Snapshot<number>, StoreError>
    list<S extends Standard>(
      query: TransfersQuery<S>,
    ): Effect.Effect<Snapshot<Rows<TransferRecords[S] & InWindow, FeedKey>>, StoreError>
  }
>()("cowry/TransferStore") {}
