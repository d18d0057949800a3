/** Step after step of a chain whose ledger is open: a look at the head, and what follows from it. */
import { Effect } from "effect"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { backfill, checkGoal } from "./backfill/backfill.ts"
import { advance, type Live, makeLive } from "./live/live.ts"
import { reconcile } from "./live/reorg.ts"
import { makeStandingNode } from "./live/standingNode.ts"
import { type FollowState, hearHead } from "./state/FollowState.ts"
import { type ForkTooDeep, isHeldByAny } from "./state/forkErrors.ts"
import { retryReported } from "./status/retry.ts"
import { windowOf } from "./status/window.ts"
import { ForeignNode, isForeign, readBeginning } from "./verify/identity.ts"

/** A fork below the window is believed only when nodes say so again and again, and none has the stored block: it stops the chain. */
const triesOfDeepFork = 3

/** A ledger that nothing was written to for so long is looked at: another may have taken its place. */
const idleMs = 5000

/** Never ends well: fails where the ledger must be opened again, or the chain stops. */
export const keepStepping = Effect.fnUntraced(function* (state: FollowState) {
  const { report } = state
  const live = makeLive(report)
  const standing = yield* makeStandingNode(state)
  let confirmedAt = yield* steadyMillis
  while (true) {
    const began = yield* steadyMillis
    const before = state.ledger.checkpoint()
    const { outcome, isAtHead } = yield* stepUntilDone(state, live)
    if (isAtHead) report.phase("live")
    if (outcome === "more") continue
    const isIdle = state.ledger.checkpoint() === before
    yield* isIdle ? standing.look : standing.moved
    const now = yield* steadyMillis
    const isDue = now - confirmedAt >= idleMs
    if (isIdle && isDue) yield* state.ledger.confirm
    if (!isIdle || isDue) confirmedAt = now
    const tookMs = isIdle ? 0 : now - began
    yield* Effect.sleep(Math.max(0, state.pace.intervalMs() - tookMs))
  }
})

/** What comes next was announced just now, however many blocks it is below the head: some chains make a hundred a second. */
const isNear = ({ ledger, pace }: FollowState) =>
  Effect.map(steadyMillis, (now) => pace.isNear(ledger.checkpoint().nextBlock, now))

/** One step, tried again with growing waits where that may help. */
const stepUntilDone = (state: FollowState, live: Live) =>
  Effect.suspend(() => {
    const { report, source } = state
    let deepForks = 0
    const believe = Effect.fnUntraced(function* (error: ForkTooDeep) {
      const isLast = ++deepForks >= triesOfDeepFork
      if (isLast && !(yield* Effect.tapError(isHeldByAny(error, source.verifier.node), report.refused))) {
        return yield* error
      }
      yield* report.forkSuspected(error.message)
      // Another one may be on the ledger's fork.
      if (!isLast) yield* source.failover
      return yield* new SourceUnavailable({ message: error.message })
    })
    const tried = step(state, live).pipe(
      Effect.catchTag("Detached", ({ kind, message }) =>
        reconcile(state).pipe(
          Effect.filterOrFail(Boolean, () => new SourceUnavailable({ kind, message })),
          Effect.as(takenBack),
        ),
      ),
      Effect.catchTags({
        // Until the node is of this chain again it is as good as none; or the ledger becomes one of the node's chain.
        SourceUnavailable: (error) =>
          Effect.andThen(
            report.refused(error),
            Effect.fail(isForeign(error) ? new ForeignNode({ message: error.message }) : error),
          ),
        ForkTooDeep: believe,
      }),
    )
    return retryReported(report, tried)
  })

/** `isAtHead`: it read the newest blocks there are, or some that were announced just now. "more" = there is more to do at once. */
interface Step {
  readonly outcome: "more" | "reached" | "taken back"
  readonly isAtHead: boolean
}
const takenBack: Step = { outcome: "taken back", isAtHead: false }

/** One look at the head, and what follows from it. */
const step = Effect.fnUntraced(function* (state: FollowState, live: Live) {
  const { source, settings, ledger } = state
  const head = yield* source.head
  state.nodeHead = head.number
  const isTold = yield* hearHead(state, head)
  if (head.number < settings.startBlock) {
    return yield* new SourceUnavailable({
      kind: "behind",
      message: `the node is at block ${head.number}, START_BLOCK_${settings.chainId} is ${settings.startBlock}`,
    })
  }
  // At each step, for each may be another node's: only the ledger's very first block hangs on it.
  if (ledger.checkpoint().nextBlock === 0) {
    const { node, traits } = source.verifier
    traits.lacksBlockZero = (yield* readBeginning(node)).number > 0
  }
  const { bulk } = ledger
  const isLoading = bulk?.isLoading() === true
  const isFar = ledger.checkpoint().nextBlock <= head.number - windowOf(settings)
  if (isLoading || (isFar && !(yield* isNear(state)))) {
    // What is copied already is derived whatever the node says.
    const isCopied = isLoading && !bulk.takesRows()
    if (isCopied || (yield* checkGoal(state))) {
      yield* backfill(state)
      return { outcome: "more", isAtHead: false } satisfies Step as Step
    }
  }
  const outcome = yield* advance(state, live, head)
  return { outcome, isAtHead: isTold && (outcome === "reached" || (yield* isNear(state))) } satisfies Step as Step
})
