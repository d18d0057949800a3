/** What logs come to: movements, swaps in pools that are known, and how many logs are left out. */
import { Effect } from "effect"
import type { BlockHeader, Log } from "../../../model/block.ts"
import { movementsOf, sortLogs } from "../decode/sorting.ts"
import type { FollowState } from "./FollowState.ts"

/** Nodes keep the states of their newest blocks, of 128 mostly. */
const keptStates = 32

interface Told {
  readonly logs: ReadonlyArray<Log>
  readonly timeOf: (log: Log) => number
  /** The newest of their blocks. */
  readonly head: Pick<BlockHeader, "number" | "hash">
}

export const readRows = Effect.fnUntraced(function* (
  { contracts, pools, nodeHead }: Pick<FollowState, "contracts" | "pools" | "nodeHead">,
  { logs, timeOf, head }: Told,
) {
  const sorted = sortLogs(logs, contracts)
  const rows = movementsOf(sorted, contracts, timeOf)
  // Who tells of pools has their blocks: of a fresh one another node behind the same address knows nothing.
  const { number: block, hash } = head
  const at = nodeHead - block < keptStates ? { block, hash } : { block }
  const { unknownPool, ...traded } = yield* pools.find(rows.swaps, sorted.initialized, at)
  return { ...rows, ...traded, counts: { malformed: sorted.malformed, unknownPool } }
})
