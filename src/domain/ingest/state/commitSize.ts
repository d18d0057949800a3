/** How much a commit of a backfill may hold, where the store was once too slow for what it held. */
import { Effect } from "effect"
import type { ChainId } from "../../../model/primitives.ts"

export interface CommitSize {
  /** Movements; at most so many as are usual. */
  readonly most: (usual: number) => number
  /** The store gave an append up that held so many: the next ones hold half of it at most. The log says so once. */
  readonly tooMany: (movements: number) => Effect.Effect<void>
  /** One of so many was stored within so long. */
  readonly stored: (movements: number, tookMs: number) => void
}

/** With fewer no store is too slow for their number. */
const fewest = 1000
/** A store that is done within this time has room for twice as many: it gives up after several times that. */
const quickMs = 60_000

/** For as long as a chain is followed, however often its ledger is opened meanwhile. */
export const makeCommitSize = (chainId: ChainId): CommitSize => {
  let bound = Number.POSITIVE_INFINITY
  let isTold = false
  return {
    most: (usual) => Math.min(usual, bound),
    tooMany: (movements) =>
      Effect.suspend(() => {
        bound = Math.min(bound, Math.max(fewest, Math.floor(movements / 2)))
        if (isTold) return Effect.void
        isTold = true
        return Effect.logWarning(
          `chain ${chainId}: the store gave up an append of ${movements.toLocaleString("en-US")} rows, which took it too long: fewer are stored at a time, until it is faster`,
        )
      }),
    stored: (movements, tookMs) => {
      // A small one says nothing of a large one.
      if (tookMs < quickMs && 2 * movements >= bound) bound *= 2
    },
  }
}
