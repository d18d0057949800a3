/** What commands left beside a ledger: one that they replaced, which is rubbish, and one that they began, which may be worth days. */
import { Duration, Effect } from "effect"
import { messageOf } from "../../../model/outside/cause.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { isNextLeft, removeLeftOver } from "../database/schemas.ts"

const againAfter = Duration.minutes(1)

/** Where it cannot be removed now, or a command is about to, it is tried again, beside all else, until the scope ends. */
export const clearLeftOver = Effect.fnUntraced(function* (
  database: DatabaseShape,
  chainId: ChainId,
  pause = againAfter,
) {
  let isWarned = false
  const warn = (cause: string) => {
    if (isWarned) return Effect.void
    isWarned = true
    return Effect.logWarning(
      `chain ${chainId}: the ledger that a resync replaced cannot be removed yet, and takes its room until then: ${cause}`,
    )
  }
  const isRemoved = Effect.tryPromise({
    try: () => removeLeftOver(database, chainId),
    catch: messageOf,
  }).pipe(Effect.catch((cause) => Effect.as(warn(cause), false)))
  if (yield* isRemoved) return
  const removed = Effect.logInfo(`chain ${chainId}: the ledger that a resync replaced is removed`)
  yield* Effect.forkScoped(
    Effect.andThen(Effect.repeat(Effect.delay(isRemoved, pause), { until: (it) => it }), removed),
  )
})

/** Nobody but the operator knows whether the command is to go on: it is told of, once while `told` lasts, and left. */
export const tellOfNext = Effect.fnUntraced(function* (database: DatabaseShape, chainId: ChainId, told: Set<ChainId>) {
  if (told.has(chainId)) return
  // Where the question fails, whatever is asked next fails too, and says so.
  const isLeft = yield* Effect.orElseSucceed(
    Effect.tryPromise(() => isNextLeft(database, chainId)),
    () => false,
  )
  if (!isLeft) return
  told.add(chainId)
  yield* Effect.logInfo(
    `chain ${chainId}: a ledger that a resync or an addition began lies beside it, and nobody is at work on it: run that command again to go on, or remove it by: cowry drop ${chainId} --next`,
  )
})
