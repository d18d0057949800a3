/** Memory that the chains in backfill share: the fewer there are, the further each one reads ahead. */
import { Effect, type Scope } from "effect"

/** Movements read ahead by all chains together, about 250 bytes each: what comes while the ledger commits. */
const mostMovements = 100_000

let sharers = 0

/** One of the chains in backfill until the scope ends. Gives how many movements it may read ahead, as of now. */
export const shareRoom: Effect.Effect<() => number, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    sharers++
    return () => Math.floor(mostMovements / sharers)
  }),
  () => Effect.sync(() => void sharers--),
)
