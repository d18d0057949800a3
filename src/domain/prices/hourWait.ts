/** How long past hours wait for a price source that does not answer: counted once a chain, whichever hours and tokens it is about. */
import { Effect } from "effect"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import type { PriceKeeping } from "./keeping.ts"

/** Beside swaps, whose prices wait with it; and where nothing else has a price. */
export const longestHourWaitMs = { besideSwaps: 3_600_000, alone: 86_400_000 }

/** Of a chain. */
export interface HourWait {
  /** The first silence of those that are waited for, steady milliseconds; absent = none. */
  since?: number | undefined
  /** That it is over was said. */
  isOver?: boolean
}

/** Of an hour about whose tokens a source was silent: whether it waits. */
export const isAwaited = Effect.fnUntraced(function* ({ chainId, measures }: PriceKeeping, wait: HourWait) {
  const now = yield* steadyMillis
  const silent = `chain ${chainId}: a source of prices does not answer`
  if (wait.since === undefined) yield* Effect.logWarning(`${silent}: past hours wait for it`)
  wait.since ??= now
  const longestMs = measures ? longestHourWaitMs.besideSwaps : longestHourWaitMs.alone
  if (now - wait.since <= longestMs) return true
  if (wait.isOver !== true)
    yield* Effect.logWarning(`${silent}, for ${longestMs / 3_600_000} hours: such hours are recorded without it`)
  wait.isOver = true
  return false
})

/** A whole hour was answered: the next silence is waited for anew. */
export const endWait = (wait: HourWait): void => {
  wait.since = undefined
  wait.isOver = false
}
