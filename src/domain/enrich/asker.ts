/** Asks about a batch of things; where that fails, about each, if it is not the node that fails. */
import { Effect, Random, Result } from "effect"
import type { Job } from "./job.ts"

/** So many of a group that fail, before any that does not, speak for all of it. */
const enoughFailures = 3

export interface Asked<Answer> {
  /** In the order of the items; undefined = none about this one. */
  readonly answers: ReadonlyArray<Answer | undefined>
  /** Whether the node is known to answer at all: else nobody can tell what it is that fails. */
  readonly nodeAnswers: boolean
}

export interface Asker<Item, Answer> {
  /** Undefined = the node fails: nothing is known of any item. */
  readonly ask: (items: ReadonlyArray<Item>) => Effect.Effect<Asked<Answer> | undefined>
  /** One that was answered: asked again, it tells a bad item from a node that is down. Undefined = there is none. */
  readonly setReference: (item: Item | undefined) => void
}

export const makeAsker = <Item, Answer>({
  ask,
  groupOf,
}: Pick<Job<Item, Answer>, "ask" | "groupOf">): Asker<Item, Answer> => {
  let reference: Item | undefined

  const askEach = Effect.fnUntraced(function* (items: ReadonlyArray<Item>) {
    const answers = new Array<Answer | undefined>(items.length).fill(undefined)
    const failed = new Map<string, number>()
    // In another order each time: whom others spoil it for is not always the same.
    for (const [place, item] of yield* Random.shuffle([...items.entries()])) {
      const group = groupOf(item)
      const failures = failed.get(group) ?? 0
      if (failures >= enoughFailures) continue
      const answer = yield* Effect.result(ask([item]))
      if (Result.isSuccess(answer)) answers[place] = answer.success[0]
      failed.set(group, Result.isSuccess(answer) ? Number.NEGATIVE_INFINITY : failures + 1)
    }
    return answers
  })

  return {
    ask: Effect.fnUntraced(function* (items) {
      const together = yield* Effect.result(ask(items))
      if (Result.isSuccess(together)) return { answers: together.success, nodeAnswers: true }
      if (reference !== undefined && Result.isFailure(yield* Effect.result(ask([reference])))) return undefined
      const answers = yield* askEach(items)
      return { answers, nodeAnswers: reference !== undefined || answers.some((it) => it !== undefined) }
    }),
    setReference: (item) => {
      reference = item
    },
  }
}
