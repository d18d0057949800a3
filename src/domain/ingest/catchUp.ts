/** Follows a chain only as long as it takes to reach the node's head. */
import { Effect, Fiber } from "effect"
import { steadyMillis } from "../../model/steadyClock.ts"
import { SyncStatus } from "../../ports/SyncStatus.ts"
import { followUntilStopped } from "./follow.ts"
import { type FollowSettings, windowOf } from "./state.ts"

const look = 100
/** Milliseconds that what is found beside the ledger may take longer than the ledger. */
const longest = 60_000

/**
 * Ends, with the number of the ledger's newest block, when that is within the reorg window of the node's newest one, and
 * the writer is closed. Fails where following would stop; what may pass is waited for, as `follow` does. `isComplete`:
 * what else should be so by then; it is not waited for without end.
 */
export const catchUp = Effect.fn("catchUp")(function* <E, R>(
  given: FollowSettings,
  isComplete: Effect.Effect<boolean, E, R>,
) {
  // The audit reads the ledger that answers, which need not be the one that is written here.
  const { auditSeconds: _, ...settings } = given
  const status = yield* SyncStatus
  const reached = Effect.gen(function* () {
    let since: number | undefined
    while (true) {
      const { phase, indexedBlock, headBlock } = status.find(settings.chainId) ?? {}
      const isNear = headBlock !== undefined && (indexedBlock ?? -1) >= headBlock - windowOf(settings)
      if (phase === "live" && indexedBlock !== undefined && isNear) {
        const now = yield* steadyMillis
        since ??= now
        if (now - since > longest || (yield* isComplete)) return indexedBlock
      }
      yield* Effect.sleep(look)
    }
  })
  const following = yield* Effect.forkChild(followUntilStopped(settings))
  const block = yield* Effect.raceFirst(Fiber.join(following), reached)
  yield* Fiber.interrupt(following)
  return block
})
