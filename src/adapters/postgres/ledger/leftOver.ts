/** The replaced ledger that a command left where it was killed, or failed, just after its swap: rubbish that holds nobody up. */
import { Duration, Effect, Result } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { removeLeftOver } from "../database/schemas.ts"

const againAfter = Duration.minutes(1)

/** Where it cannot be removed now, or a command is about to, it is tried again, beside all else, until the scope ends. */
export const clearLeftOver = Effect.fnUntraced(function* (
  database: DatabaseShape,
  chainId: ChainId,
  pause = againAfter,
) {
  const remove = Effect.tryPromise({
    try: () => removeLeftOver(database, chainId),
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause)),
  })
  const first = yield* Effect.result(remove)
  if (Result.isSuccess(first) && first.success) return
  if (Result.isFailure(first))
    yield* Effect.logWarning(
      `chain ${chainId}: the ledger that a resync replaced cannot be removed yet, and takes its room until then: ${first.failure}`,
    )
  const isRemoved = Effect.orElseSucceed(Effect.delay(remove, pause), () => false)
  const removed = Effect.logInfo(`chain ${chainId}: the ledger that a resync replaced is removed`)
  yield* Effect.forkScoped(Effect.andThen(Effect.repeat(isRemoved, { until: (it) => it }), removed))
})
