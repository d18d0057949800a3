/** A ledger that is followed, as those see it who work beside it: for as long as it is open, and again when it is opened again. */
import { Cause, Effect, Exit, Fiber, type Latch, type Scope, Stream, SubscriptionRef } from "effect"
import type { Checkpoint } from "../../../model/event.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { LedgerLearning, LedgerWriter } from "../../../ports/Ledger.ts"
import type { LostTokens } from "./LostTokens.ts"
import type { Pace } from "./pace.ts"

export interface FollowedLedger {
  readonly writer: LedgerLearning & Pick<LedgerWriter, "heal" | "letZeroAddressHold">
  /** Where the stored ledger stands now. */
  readonly checkpoint: () => Checkpoint
  /** Which making of the ledger it is. */
  readonly birth: () => string
  /** The newest block that the node announced last; -1 = none yet. */
  readonly nodeHead: () => number
  /** The time of that block, seconds; undefined = none yet. */
  readonly nodeTime: () => number | undefined
  /** How fast that moves. */
  readonly pace: Pick<Pace, "blockMs" | "isNear">
  /** Tokens of which it may lack logs. */
  readonly lost: LostTokens
  /** Opened when tokens or ids may have come that nobody has asked about yet. Each who waits has one of his own. */
  readonly news: () => Latch.Latch
}

/** A chain's ledger, which is opened, lost and opened again. */
export interface Followed {
  /** It is open until the scope ends. All work beside it has ended by then. */
  readonly publish: (ledger: FollowedLedger) => Effect.Effect<void, never, Scope.Scope>
  /**
   * Never ends. Does this work beside each ledger that is opened: it begins when that is, and ends with it at the latest.
   * A defect ends it too, until a ledger is opened again, and nothing else.
   */
  readonly whileOpen: <R>(
    work: (ledger: FollowedLedger) => Effect.Effect<unknown, never, R>,
  ) => Effect.Effect<void, never, R>
}

interface Opened {
  readonly ledger: FollowedLedger
  readonly scope: Scope.Scope
}

export const makeFollowed = Effect.fnUntraced(function* (chainId: ChainId) {
  const opened = yield* SubscriptionRef.make<Opened | undefined>(undefined)
  const workBeside = Effect.fnUntraced(function* <R>(
    { ledger, scope }: Opened,
    work: (ledger: FollowedLedger) => Effect.Effect<unknown, never, R>,
  ) {
    // Of the ledger's scope, which waits for its end before it closes the writer.
    const fork = Effect.forkIn(
      Effect.suspend(() => work(ledger)),
      scope,
    )
    const exit = yield* Effect.acquireUseRelease(fork, Fiber.await, Fiber.interrupt)
    if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return
    yield* Effect.logError(`chain ${chainId}: what is done beside its ledger ended`, exit.cause)
  })
  return {
    publish: Effect.fnUntraced(function* (ledger) {
      const scope = yield* Effect.scope
      yield* Effect.acquireRelease(SubscriptionRef.set(opened, { ledger, scope }), () =>
        SubscriptionRef.set(opened, undefined),
      )
    }),
    whileOpen: (work) =>
      Stream.runForEach(SubscriptionRef.changes(opened), (open) =>
        open === undefined ? Effect.void : workBeside(open, work),
      ),
  } satisfies Followed as Followed
})
