/** Turn after turn of a chain whose ledger is open: a look at the head, and what follows from it. */
import { Effect, Result } from "effect"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { backfill } from "./backfill.ts"
import { advance } from "./live.ts"
import { reconcile } from "./reorg.ts"
import { type Following, windowOf } from "./state.ts"
import { backoff } from "./status/retry.ts"
import { ForeignNode, isForeign } from "./verify/identity.ts"

/** A fork below the window is believed only when the node says so again and again: it stops the chain. */
const triesOfDeepFork = 3

/** Never ends well: fails where the ledger must be opened again, or the chain stops. */
export const run = Effect.fnUntraced(function* (following: Following) {
  const { report, settings } = following
  let failures = 0
  let deepForks = 0
  while (true) {
    const turned = yield* turn(following).pipe(
      Effect.catchTag("Detached", ({ kind, message }) =>
        Effect.filterOrFail(reconcile(following), Boolean, () => new SourceUnavailable({ kind, message })),
      ),
      Effect.result,
    )
    if (Result.isSuccess(turned)) {
      if (failures > 0) report.problem(undefined)
      failures = 0
      deepForks = 0
      if (turned.success === "more") continue
      report.phase("live")
      yield* Effect.sleep(settings.pollMs)
      continue
    }
    const error = turned.failure
    if (error._tag === "ForkTooDeep" ? ++deepForks >= triesOfDeepFork : error._tag !== "SourceUnavailable") {
      return yield* error
    }
    yield* error._tag === "SourceUnavailable" ? report.refused(error) : report.doubted(error.message)
    // Until the node is of this chain again it is as good as none; or the ledger becomes one of the node's chain.
    if (error._tag === "SourceUnavailable" && isForeign(error))
      return yield* new ForeignNode({ message: error.message })
    yield* backoff(failures++)
  }
})

/** One look at the head, and what follows from it. "more" = there is more to do at once. */
const turn = Effect.fnUntraced(function* (following: Following) {
  const { source, report, settings, checkpoint } = following
  const head = yield* source.head
  following.nodeHead = head.number
  report.head(head.number)
  if (head.number < settings.startBlock) {
    return yield* new SourceUnavailable({
      kind: "behind",
      message: `the node is at block ${head.number}, START_BLOCK_${settings.chainId} is ${settings.startBlock}`,
    })
  }
  if (checkpoint.nextBlock <= head.number - windowOf(settings)) {
    yield* backfill(following)
    return "more"
  }
  return yield* advance(following, head)
})
