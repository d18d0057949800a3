/** Memory that the chains in backfill share: the fewer there are, the larger each one's segments. */
import { Effect, type Scope } from "effect"

/**
 * Movements in memory of all chains together, about 250 bytes each: half of them read ahead, half gathered or being
 * stored. A large segment folds many touches of a balance into one: see bench/README.md.
 */
const mostMovements = 500_000

let sharers = 0

/** One of the chains in backfill until the scope ends. Gives the movements of a segment, and of what is read ahead, as of now. */
export const shareRoom: Effect.Effect<() => number, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    sharers++
    return () => Math.floor(mostMovements / 2 / sharers)
  }),
  () => Effect.sync(() => void sharers--),
)
