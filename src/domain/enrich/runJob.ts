/** Asks what may be learned later, beside the ledger: slowly, again and again, never in its way. */
import { Effect, Latch, Random, Result } from "effect"
import { steadyMillis } from "../../model/steadyClock.ts"
import type { SourceUnavailable } from "../../ports/ChainSource.ts"
import type { LedgerUnavailable } from "../../ports/Ledger.ts"
import type { Following } from "../ingest/state.ts"
import { backoff } from "../ingest/status/retry.ts"
import { makePutOff } from "./retrySchedule.ts"

/** One kind of question: which things it is open for, who is asked, and where the answer goes. */
export interface Errand<Item, Answer> {
  /** Things asked about at once. */
  readonly batchSize: number
  /** Rest after each batch, in milliseconds. */
  readonly restMs: number
  /** What nobody has recorded an answer for; those to be asked first come first. */
  list(limit: number): Effect.Effect<ReadonlyArray<Item>, LedgerUnavailable>
  keyOf(item: Item): string
  /** Items of a group fail for the same reason: where some have and none has not, the others of the batch are not tried. */
  groupOf(item: Item): string
  /** In order; undefined = no answer about this one now. Fails where one item spoils the batch, or the node is down. */
  ask(items: ReadonlyArray<Item>): Effect.Effect<ReadonlyArray<Answer | undefined>, SourceUnavailable>
  /** The store may leave out what its writer is at work on: that is listed again. */
  record(learned: ReadonlyArray<Learned<Item, Answer>>): Effect.Effect<void, LedgerUnavailable>
  /** Its block is final. Of one that is not, a node may say nothing because it is behind. */
  isFinal(item: Item): boolean
  /** An answer that a node which is behind gives too: of an item that is not final it is believed only when it comes again. */
  saysNothing(answer: Answer): boolean
  /** Recorded of a final item that failed so often while others did not. Absent: it is asked for ever. */
  readonly surrender?: { readonly tries: number; readonly answer: Answer }
}

export interface Learned<Item, Answer> {
  readonly item: Item
  readonly answer: Answer
}

/** Times that nothing is said before it is believed. */
const triesOfSilence = 3
/** So many of a group that fail, before any that does not, speak for all of it. */
const enoughFailures = 3
/** So often in a row the one that was answered before is asked in vain, until it tells of the node no more. */
const enoughDoubt = 6

/** Never ends. What fails is put off, for longer each time, and the others go on. */
export const runErrand = Effect.fnUntraced(function* <Item, Answer>(
  following: Following,
  errand: Errand<Item, Answer>,
) {
  const { batchSize, restMs, keyOf, groupOf, surrender } = errand
  const news = yield* Latch.make(true)
  following.waiting.add(news)
  const putOff = makePutOff()
  let failures = 0
  /** One that was answered: it tells a bad item from a node that is down. */
  let lastKnown: Item | undefined
  /** Keys of what was recorded just before. */
  let recorded: ReadonlySet<string> = new Set()

  const ask = (items: ReadonlyArray<Item>) => Effect.result(errand.ask(items))

  /** A batch fails for one bad item. So each is asked alone, if it is not the node that fails: then nothing is known. */
  const askEach = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
    if (lastKnown !== undefined && Result.isFailure(yield* ask([lastKnown]))) return undefined
    const answers = new Array<Answer | undefined>(items.length).fill(undefined)
    const failed = new Map<string, number>()
    // In another order each time: whom others spoil it for is not always the same.
    for (const [place, item] of yield* Random.shuffle([...items.entries()])) {
      const group = groupOf(item)
      const failures = failed.get(group) ?? 0
      if (failures >= enoughFailures) continue
      const answer = yield* ask([item])
      if (Result.isSuccess(answer)) answers[place] = answer.success[0]
      failed.set(group, Result.isSuccess(answer) ? Number.NEGATIVE_INFINITY : failures + 1)
    }
    return answers
  })

  /** True = some were asked, there may be more. */
  const turn = Effect.fnUntraced(function* () {
    const now = yield* steadyMillis
    const pending = yield* errand.list(batchSize + putOff.size(now))
    for (const key of pending.map(keyOf)) if (recorded.has(key)) putOff.add(key, now, false)
    recorded = new Set()
    const items = pending.filter((item) => putOff.isDue(keyOf(item), now)).slice(0, batchSize)
    if (items.length === 0) return false
    const together = yield* ask(items)
    const answers = Result.isSuccess(together) ? together.success : yield* askEach(items)
    if (answers === undefined) {
      // It may have gone bad itself.
      if (++failures >= enoughDoubt) lastKnown = undefined
      return false
    }
    // Without a word from the node, ever, nobody can tell what it is that fails.
    const nodeAnswers = Result.isSuccess(together) || lastKnown !== undefined || answers.some((it) => it !== undefined)
    const learned: Array<Learned<Item, Answer>> = []
    items.forEach((item, place) => {
      const answer = answers[place]
      const key = keyOf(item)
      const isFinal = errand.isFinal(item)
      const isDoubtful = answer !== undefined && !isFinal && errand.saysNothing(answer)
      if (answer !== undefined && !(isDoubtful && putOff.tries(key) + 1 < triesOfSilence)) {
        learned.push({ item, answer })
        lastKnown = item
      } else if (
        answer === undefined &&
        isFinal &&
        nodeAnswers &&
        putOff.refusals(key) + 1 >= (surrender?.tries ?? Infinity)
      ) {
        learned.push({ item, answer: surrender!.answer })
      } else putOff.add(key, now, answer === undefined && nodeAnswers)
    })
    if (learned.length > 0) yield* Effect.uninterruptible(errand.record(learned))
    recorded = new Set(learned.map(({ item }) => keyOf(item)))
    for (const key of recorded) putOff.delete(key)
    failures = 0
    return true
  })

  while (true) {
    news.closeUnsafe()
    const learned = yield* turn().pipe(
      Effect.catchDefect(Effect.fail),
      Effect.catch(() => Effect.sync(() => void failures++)),
    )
    if (learned === true) yield* Effect.sleep(restMs)
    else if (failures > 0) yield* backoff(failures)
    else yield* Effect.raceFirst(news.await, Effect.sleep(putOff.size(yield* steadyMillis) > 0 ? 2000 : 30_000))
  }
})
