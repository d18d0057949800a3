/** A list without rows that still says which blocks it speaks of. */
import { Effect } from "effect"
import type { Rows, Snapshot } from "../../domain/model/page.ts"
import type { ChainId } from "../../domain/model/primitives.ts"
import type { Freshness } from "../../ports/Freshness.ts"

interface Query {
  readonly chains: ReadonlyArray<ChainId>
  readonly count: boolean
}

export const noRows = (freshness: Freshness["Service"], { chains, count }: Query) =>
  Effect.map(
    freshness.asOf(chains),
    (asOf): Snapshot<Rows<never, never>> => ({
      asOf,
      value: { items: [], keys: [], hasMore: false, ...(count ? { count: { count: 0, countType: "exact" } } : {}) },
    }),
  )
