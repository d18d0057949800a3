/** Step after step of a chain whose ledger is open: a look at the head, and what follows from it. */
import { Effect } from "effect"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { backfill } from "./backfill/backfill.ts"
import { advance, type Live, makeLive } from "./live/live.ts"
import { reconcile } from "./live/reorg.ts"
import type { FollowState } from "./state/FollowState.ts"
import { retryReported } from "./status/retry.ts"
import { windowOf } from "./status/window.ts"
import { ForeignNode, isForeign } from "./verify/identity.ts"

/** A fork below the window is believed only when the node says so again and again: it stops the chain. */
const triesOfDeepFork = 3

/** Never ends well: fails where the ledger must be opened again, or the chain stops. */
export const keepStepping = Effect.fnUntraced(function* (state: FollowState) {
  const { report, settings } = state
  const live = makeLive(report)
  while (true) {
    if ((yield* stepUntilDone(state, live)) === "more") continue
    report.phase("live")
    yield* Effect.sleep(settings.pollMs)
  }
})

/** One step, tried again with growing waits where that may help. */
const stepUntilDone = (state: FollowState, live: Live) =>
  Effect.suspend(() => {
    const { report } = state
    let deepForks = 0
    const tried = step(state, live).pipe(
      Effect.catchTag("Detached", ({ kind, message }) =>
        Effect.filterOrFail(reconcile(state), Boolean, () => new SourceUnavailable({ kind, message })),
      ),
      Effect.catchTags({
        // Until the node is of this chain again it is as good as none; or the ledger becomes one of the node's chain.
        SourceUnavailable: (error) =>
          Effect.andThen(
            report.refused(error),
            Effect.fail(isForeign(error) ? new ForeignNode({ message: error.message }) : error),
          ),
        ForkTooDeep: (error) =>
          ++deepForks >= triesOfDeepFork
            ? Effect.fail(error)
            : Effect.andThen(report.forkSuspected(error.message), new SourceUnavailable({ message: error.message })),
      }),
    )
    return retryReported(report, tried)
  })

/** One look at the head, and what follows from it. "more" = there is more to do at once. */
const step = Effect.fnUntraced(function* (state: FollowState, live: Live) {
  const { source, report, settings, ledger } = state
  const head = yield* source.head
  state.nodeHead = head.number
  report.head(head.number)
  if (head.number < settings.startBlock) {
    return yield* new SourceUnavailable({
      kind: "behind",
      message: `the node is at block ${head.number}, START_BLOCK_${settings.chainId} is ${settings.startBlock}`,
    })
  }
  const isLoading = ledger.bulk?.isLoading() === true
  if (isLoading || ledger.checkpoint().nextBlock <= head.number - windowOf(settings)) {
    yield* backfill(state)
    return "more"
  }
  return yield* advance(state, live, head)
})
