/** Reads feeds of swaps. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { PageRequest, Rows, Snapshot } from "../model/page.ts"
import type { ChainId } from "../model/primitives.ts"
import type { StoredSwap, SwapFilter } from "../model/swap.ts"
import type { FeedKey } from "../model/transfer.ts"

export interface SwapsQuery {
  readonly chains: ReadonlyArray<ChainId>
  readonly filter: SwapFilter
  /** `desc` = newest first, in the order of transfer feeds. `asc` is its exact reverse. */
  readonly direction: "asc" | "desc"
  readonly page: PageRequest<FeedKey>
  readonly count: boolean
}

export class SwapStore extends Context.Service<
  SwapStore,
  {
    /** No rows where swaps are not stored. `count`: exact without a filter; else exact up to `countCap`, then `lowerBound`. */
    list(query: SwapsQuery): Effect.Effect<Snapshot<Rows<StoredSwap, FeedKey>>, StoreError>
  }
>()("cowry/SwapStore") {}
