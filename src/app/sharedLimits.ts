/** Tells other processes what callers spent here, and hears what they spent there: every second, and at once where a caller's part is half spent. */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { SharedRateLimit } from "../adapters/http/contract/sharedRateLimit.ts"
import { makeRareLines } from "../model/time/rareLines.ts"
import { steadyMillis } from "../model/time/steadyClock.ts"
import { SharedLimits } from "../ports/SharedLimits.ts"

const lookMs = 50
const patience = "3 seconds"

/** Never ends and never fails. */
export const shareLimits = Effect.fnUntraced(function* (limits: SharedRateLimit, everyMs = 1000) {
  const shared = yield* SharedLimits
  const process = randomUUID()
  const rarely = makeRareLines({ quietMs: 60_000, longestQuietMs: 3_600_000 })
  while (true) {
    const began = yield* steadyMillis
    const uses = limits.collect()
    yield* shared.exchange(process, uses).pipe(
      Effect.timeout(patience),
      Effect.matchCauseEffect({
        onSuccess: (told) => Effect.sync(() => limits.settle(uses, told)),
        onFailure: (cause) =>
          Effect.andThen(
            Effect.sync(() => limits.settle(uses, undefined)),
            rarely("away", (more) =>
              Effect.logWarning(`limits cannot be counted with other processes: each spends its share${more}`, cause),
            ),
          ),
      }),
    )
    do yield* Effect.sleep(lookMs)
    while (!limits.isPressing() && (yield* steadyMillis) - began < everyMs)
  }
})
