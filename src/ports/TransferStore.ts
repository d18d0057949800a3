/** Reads transfer feeds. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { PageRequest, Rows, Snapshot } from "../model/page.ts"
import type { ChainId } from "../model/primitives.ts"
import type { Standard } from "../model/token.ts"
import type { FeedKey, TransferExtra, TransferFilter, TransferRecords } from "../model/transfer.ts"

export interface TransfersQuery<S extends Standard = Standard> {
  readonly standard: S
  readonly chains: ReadonlyArray<ChainId>
  readonly filter: TransferFilter
  /** `desc` = newest first. `asc` is its exact reverse. */
  readonly direction: "asc" | "desc"
  readonly page: PageRequest<FeedKey>
  /** Exact without filters or with `tokenAddress` alone; else exact up to `countCap`, then `lowerBound`. */
  readonly count: boolean
  /** What rows have beside the rest. Absent = nothing. */
  readonly include?: ReadonlyArray<TransferExtra>
}

export class TransferStore extends Context.Service<
  TransferStore,
  {
    list<S extends Standard>(
      query: TransfersQuery<S>,
    ): Effect.Effect<Snapshot<Rows<TransferRecords[S], FeedKey>>, StoreError>
  }
>()("cowry/TransferStore") {}
