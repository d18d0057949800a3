/** Follows a chain only as long as it takes to reach the node's head. */
import { Effect, Fiber } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { ChainSource, type ChainSourceClient, SourceUnavailable } from "../../ports/ChainSource.ts"
import { SyncStatus } from "../../ports/SyncStatus.ts"
import { followUntilStopped } from "./follow.ts"
import type { FollowSettings } from "./state/settings.ts"
import type { Followed } from "./status/FollowedLedger.ts"
import { windowOf } from "./status/window.ts"

const lookMs = 100
/** What is found beside the ledger may take so much longer than the ledger. */
const longestWaitMs = 60_000

interface CatchingUp<E, R> {
  readonly followed: Followed
  /** What else should be so in the end; it is not waited for without end. */
  readonly isComplete: Effect.Effect<boolean, E, R>
  /** No block above this one is read; absent = up to the node's head. */
  readonly last?: number
}

/**
 * Ends, with the number of the ledger's newest block, when that is within the reorg window of the node's newest one (or the last one), and
 * the writer is closed. Fails where following would stop; what may pass is waited for, as `follow` does.
 */
export const catchUp = Effect.fn("catchUp")(function* <E, R>(
  settings: FollowSettings,
  { followed, isComplete, last }: CatchingUp<E, R>,
) {
  const status = yield* SyncStatus
  // Of a time before this one in the same process it may be `live` still.
  status.update(settings.chainId, { phase: "waiting" })
  const reached = Effect.gen(function* () {
    let since: number | undefined
    while (true) {
      const { phase, indexedBlock, headBlock } = status.find(settings.chainId) ?? {}
      const isNear = headBlock !== undefined && (indexedBlock ?? -1) >= headBlock - windowOf(settings)
      if (phase === "live" && indexedBlock !== undefined && isNear) {
        const now = yield* steadyMillis
        since ??= now
        if (now - since > longestWaitMs || (yield* isComplete)) return indexedBlock
      }
      yield* Effect.sleep(lookMs)
    }
  })
  const source = yield* ChainSource
  const shown = last === undefined ? source : { of: (chainId: ChainId) => upTo(source.of(chainId), last) }
  const following = yield* Effect.forkChild(
    Effect.provideService(followUntilStopped(settings, followed), ChainSource, shown),
  )
  const block = yield* Effect.raceFirst(Fiber.join(following), reached)
  yield* Fiber.interrupt(following)
  return block
})

/** The node as if its chain ended with that block, where it goes on. */
const upTo = (node: ChainSourceClient, last: number): ChainSourceClient =>
  Object.assign(Object.create(node) as ChainSourceClient, {
    head: Effect.gen(function* () {
      const head = yield* node.head
      if (head.number <= last) return head
      const [header] = yield* node.headers([last])
      if (header !== undefined) return header
      return yield* new SourceUnavailable({ kind: "behind", message: `the node has no block ${last}` })
    }),
  })
