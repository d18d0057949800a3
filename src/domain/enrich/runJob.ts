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
/** So many batches are listed at once: a store may go through all that was recorded before to find what is left. */
const batchesListed = 20
/**
 * Each second batch begins with what was never asked: what was put off is due again before that where failing takes long. Where
 * more than so many batches are put off each fifth does: what is given up is so after five tries at most, so no more and more waits.
 */
const batchesPutOff = 10
/** What was listed is asked about no later than this; what is wanted first may be something else by then. */
const longestListedMs = 10_000

/** Never ends. What fails is asked again later, after longer each time, and the others go on. `news`: opened when there may be more to ask. */
export const runJob = Effect.fnUntraced(function* <Item, Answer>(job: Job<Item, Answer>, news: Latch.Latch) {
  const { batchSize, recordSize, restMs, keyOf } = job
  const schedule = makeRetrySchedule()
  const asker = makeAsker(job)
  let failures = 0
  /** Keys of what was recorded since the last list. */
  const recorded = new Set<string>()
  /** Listed and not asked about yet, and since when. */
  let listed: ReadonlyArray<Item> = []
  let listedSince = 0
  let turn = 0
  /** Learned and not recorded yet, by key, and since when. */
  const held = new Map<string, Learned<Item, Answer>>()
  let heldSince = 0

  /** What cannot be recorded is forgotten: it is listed, and asked again. */
  const recordHeld = Effect.fnUntraced(function* () {
    if (held.size === 0) return false
    const learned = [...held]
    held.clear()
    for (const [key] of learned) recorded.add(key)
    yield* Effect.uninterruptible(job.record(learned.map(([, one]) => one)))
    for (const [key] of learned) schedule.remove(key)
    return true
  })

  /** The next batch, of what is open. */
  const take = Effect.fnUntraced(function* (now: number) {
    const isOpen = (item: Item) => !held.has(keyOf(item)) && schedule.isDue(keyOf(item), now)
    listed = now - listedSince < longestListedMs ? listed.filter(isOpen) : []
    if (listed.length === 0) {
      const pending = yield* job.list(batchesListed * batchSize + schedule.size(now) + held.size)
      for (const key of pending.map(keyOf)) if (recorded.has(key)) schedule.postpone(key, now, false)
      recorded.clear()
      listed = pending.filter(isOpen)
      listedSince = now
    }
    const [fresh = [], again = []] = [false, true].map((isAgain) =>
      listed.filter((item) => schedule.tries(keyOf(item)) > 0 === isAgain),
    )
    const turnsOfFresh = schedule.size(now) > batchesPutOff * batchSize ? 5 : 2
    const inTurn = turn++ % turnsOfFresh === 0 ? [...fresh, ...again] : [...again, ...fresh]
    listed = inTurn.slice(batchSize)
    return inTurn.slice(0, batchSize)
  })

  /** True = some were asked, there may be more. */
  const askBatch = Effect.fnUntraced(function* () {
    const items = yield* take(yield* steadyMillis)
    if (items.length === 0) return yield* recordHeld()
    const asked = yield* asker.ask(items)
    const now = yield* steadyMillis
    if (asked === undefined) {
      listed = []
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
          listed = []
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
