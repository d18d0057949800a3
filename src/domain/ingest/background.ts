/** Asks what may be learned later, beside the ledger: slowly, again and again, never in its way. */
import { Clock, Effect, Latch, Result } from "effect"
import type { SourceUnavailable } from "../../ports/ChainSource.ts"
import type { LedgerUnavailable } from "../../ports/Ledger.ts"
import type { Following } from "./following.ts"
import { backoff } from "./patience.ts"
import { makePutOff } from "./putOff.ts"

/** One kind of question: which things it is open for, who is asked, and where the answer goes. */
export interface Errand<Item, Answer> {
  /** Things asked about at once. */
  readonly batchSize: number
  /** Rest after each batch, in milliseconds. */
  readonly restMs: number
  /** What nobody has recorded an answer for; those to be asked first come first. */
  list(limit: number): Effect.Effect<ReadonlyArray<Item>, LedgerUnavailable>
  keyOf(item: Item): string
  /** Items of a group fail for the same reason: once one has, the others of the batch are not tried alone. */
  groupOf(item: Item): string
  /** In order; undefined = no answer about this one now. Fails where one item spoils the batch, or the node is down. */
  ask(items: ReadonlyArray<Item>): Effect.Effect<ReadonlyArray<Answer | undefined>, SourceUnavailable>
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

  const ask = (items: ReadonlyArray<Item>) => Effect.result(errand.ask(items))

  /** A batch fails for one bad item. So each is asked alone, if it is not the node that fails: then nothing is known. */
  const askEach = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
    const answers: Array<Answer | undefined> = []
    if (lastKnown !== undefined && Result.isFailure(yield* ask([lastKnown]))) return undefined
    const spoilt = new Set<string>()
    for (const item of items) {
      const answer = spoilt.has(groupOf(item)) ? undefined : yield* ask([item])
      if (answer !== undefined && Result.isFailure(answer)) spoilt.add(groupOf(item))
      answers.push(answer !== undefined && Result.isSuccess(answer) ? answer.success[0] : undefined)
    }
    return answers
  })

  /** True = something was learned, there may be more. */
  const turn = Effect.fnUntraced(function* () {
    const now = yield* Clock.currentTimeMillis
    const pending = yield* errand.list(batchSize + putOff.size(now))
    const items = pending.filter((item) => putOff.isDue(keyOf(item), now)).slice(0, batchSize)
    if (items.length === 0) return false
    const together = yield* ask(items)
    const answers = Result.isSuccess(together) ? together.success : yield* askEach(items)
    if (answers === undefined) {
      failures++
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
    for (const { item } of learned) putOff.delete(keyOf(item))
    failures = 0
    return learned.length > 0
  })

  while (true) {
    news.closeUnsafe()
    const learned = yield* turn().pipe(
      Effect.catchDefect(Effect.fail),
      Effect.catch(() => Effect.sync(() => void failures++)),
    )
    if (learned === true) yield* Effect.sleep(restMs)
    else if (failures > 0) yield* backoff(failures)
    else
      yield* Effect.raceFirst(news.await, Effect.sleep(putOff.size(yield* Clock.currentTimeMillis) > 0 ? 2000 : 30_000))
  }
})
