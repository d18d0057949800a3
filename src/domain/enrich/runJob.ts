/** Asks what may be learned later, beside the ledger: slowly, again and again, never in its way. */
import { Effect, type Latch } from "effect"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { backoff } from "../ingest/status/retry.ts"
import { makeAsker } from "./asker.ts"
import type { Job } from "./job.ts"
import { sortAnswers } from "./learned.ts"
import { makeRetrySchedule } from "./retrySchedule.ts"

/** So often in a row the one that was answered before is asked in vain, until it tells of the node no more. */
const mostVainTries = 6
/** Without news, where something is to be tried again, and where nothing is. */
const retryPauseMs = 2000
const idlePauseMs = 30_000

/** Never ends. What fails is asked again later, after longer each time, and the others go on. `news`: opened when there may be more to ask. */
export const runJob = Effect.fnUntraced(function* <Item, Answer>(job: Job<Item, Answer>, news: Latch.Latch) {
  const { batchSize, restMs, keyOf } = job
  const schedule = makeRetrySchedule()
  const asker = makeAsker(job)
  let failures = 0
  /** Keys of what was recorded just before. */
  let recorded: ReadonlySet<string> = new Set()

  /** True = some were asked, there may be more. */
  const askBatch = Effect.fnUntraced(function* () {
    const now = yield* steadyMillis
    const pending = yield* job.list(batchSize + schedule.size(now))
    for (const key of pending.map(keyOf)) if (recorded.has(key)) schedule.postpone(key, now, false)
    recorded = new Set()
    const items = pending.filter((item) => schedule.isDue(keyOf(item), now)).slice(0, batchSize)
    if (items.length === 0) return false
    const asked = yield* asker.ask(items)
    if (asked === undefined) {
      // It may have gone bad itself.
      if (++failures >= mostVainTries) asker.setReference(undefined)
      return false
    }
    const { learned, answered } = sortAnswers(job, schedule, { items, asked, now })
    if (answered !== undefined) asker.setReference(answered)
    if (learned.length > 0) yield* Effect.uninterruptible(job.record(learned))
    recorded = new Set(learned.map(({ item }) => keyOf(item)))
    for (const key of recorded) schedule.remove(key)
    failures = 0
    return true
  })

  while (true) {
    news.closeUnsafe()
    const isBusy = yield* askBatch().pipe(
      Effect.catchDefect(Effect.fail),
      Effect.catch(() =>
        Effect.sync(() => {
          failures++
          return false
        }),
      ),
    )
    if (isBusy) yield* Effect.sleep(restMs)
    else if (failures > 0) yield* backoff(failures)
    else {
      const pauseMs = schedule.size(yield* steadyMillis) > 0 ? retryPauseMs : idlePauseMs
      yield* Effect.raceFirst(news.await, Effect.sleep(pauseMs))
    }
  }
})
