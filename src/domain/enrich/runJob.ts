/** Asks what may be learned later, beside the ledger: slowly, again and again, never in its way. */
import { Effect, type Latch } from "effect"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { backoff } from "../ingest/status/retry.ts"
import { makeAsker } from "./asker.ts"
import type { Job, Learned } from "./job.ts"
import { sortAnswers } from "./learned.ts"
import { makeRetrySchedule } from "./retrySchedule.ts"

/** So often in a row the one that was answered before is asked in vain, until it tells of the node no more. */
const mostVainTries = 6
/** Without news, where something is to be tried again, and where nothing is. */
const retryPauseMs = 2000
const idlePauseMs = 30_000
/** What was learned waits no longer for more of its kind before it is recorded. */
const longestHeldMs = 10_000

/** Never ends. What fails is asked again later, after longer each time, and the others go on. `news`: opened when there may be more to ask. */
export const runJob = Effect.fnUntraced(function* <Item, Answer>(job: Job<Item, Answer>, news: Latch.Latch) {
  const { batchSize, recordSize, restMs, keyOf } = job
  const schedule = makeRetrySchedule()
  const asker = makeAsker(job)
  let failures = 0
  /** Keys of what was recorded just before. */
  let recorded: ReadonlySet<string> = new Set()
  /** Learned and not recorded yet, by key, and since when. */
  const held = new Map<string, Learned<Item, Answer>>()
  let heldSince = 0

  /** What cannot be recorded is forgotten: it is listed, and asked again. */
  const recordHeld = Effect.fnUntraced(function* () {
    if (held.size === 0) return false
    const learned = [...held.values()]
    recorded = new Set(held.keys())
    held.clear()
    yield* Effect.uninterruptible(job.record(learned))
    for (const key of recorded) schedule.remove(key)
    return true
  })

  /** True = some were asked, there may be more. */
  const askBatch = Effect.fnUntraced(function* () {
    const now = yield* steadyMillis
    const pending = yield* job.list(batchSize + schedule.size(now) + held.size)
    for (const key of pending.map(keyOf)) if (recorded.has(key)) schedule.postpone(key, now, false)
    recorded = new Set()
    const isOpen = (key: string) => !held.has(key) && schedule.isDue(key, now)
    const items = pending.filter((item) => isOpen(keyOf(item))).slice(0, batchSize)
    if (items.length === 0) return yield* recordHeld()
    const asked = yield* asker.ask(items)
    if (asked === undefined) {
      // It may have gone bad itself.
      if (++failures >= mostVainTries) asker.setReference(undefined)
      yield* recordHeld()
      return false
    }
    const { learned, answered } = sortAnswers(job, schedule, { items, asked, now })
    if (answered !== undefined) asker.setReference(answered)
    if (held.size === 0) heldSince = now
    for (const one of learned) held.set(keyOf(one.item), one)
    const isMore = items.length === batchSize && held.size < recordSize && now - heldSince < longestHeldMs
    if (!isMore) yield* recordHeld()
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
