/** What logs come to: movements, swaps in pools that are known, and how many logs are left out. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { movementsOf, sortLogs } from "../decode/sorting.ts"
import type { FollowState } from "./FollowState.ts"

/** `at`: the block whose state pools are asked about; absent = the newest. */
export const readRows = Effect.fnUntraced(function* (
  { contracts, pools }: Pick<FollowState, "contracts" | "pools">,
  {
    logs,
    timeOf,
    at,
  }: { readonly logs: ReadonlyArray<Log>; readonly timeOf: (log: Log) => number; readonly at?: number | undefined },
) {
  const sorted = sortLogs(logs, contracts)
  const rows = movementsOf(sorted, contracts, timeOf)
  const { unknownPool, ...traded } = yield* pools.find(rows.swaps, sorted.initialized, at)
  return { ...rows, ...traded, counts: { malformed: sorted.malformed, unknownPool } }
})
