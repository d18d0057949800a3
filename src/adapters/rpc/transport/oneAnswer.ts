/** Answers that count only where what proves them came in the same answer of a node: what came apart is asked again, in fewer calls. */
import { Array as Arr, Effect } from "effect"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"

interface Told<Answer> {
  readonly answers: ReadonlyArray<Answer>
  /** Places of those that came apart from their proof. */
  readonly apart: ReadonlyArray<number>
}

/** `ask` asks for all of a part at once. `alone`: of one that comes apart by itself, since the node takes no batches. */
export const inOneAnswer = <Item, Answer>(
  items: ReadonlyArray<Item>,
  ask: (part: ReadonlyArray<Item>) => Effect.Effect<Told<Answer>, SourceUnavailable>,
  alone: (item: Item, answer: Answer) => Effect.Effect<Answer, SourceUnavailable>,
): Effect.Effect<ReadonlyArray<Answer>, SourceUnavailable> =>
  Effect.gen(function* () {
    const told = yield* ask(items)
    const { apart } = told
    if (apart.length === 0) return told.answers
    if (items.length === 1) return [yield* alone(items[0]!, told.answers[0]!)]
    const answers = [...told.answers]
    // All of them together may be more than the node takes at once.
    const parts = apart.length < items.length ? [apart] : Arr.chunksOf(apart, Math.ceil(apart.length / 2))
    for (const part of parts) {
      const again = yield* inOneAnswer(
        part.map((place) => items[place]!),
        ask,
        alone,
      )
      part.forEach((place, index) => {
        answers[place] = again[index]!
      })
    }
    return answers
  })
