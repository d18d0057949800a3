/** What a batch of answers comes to: what is recorded now, and what is asked again later. */
import type { Asked } from "./asker.ts"
import type { Job, Learned } from "./job.ts"
import type { RetrySchedule } from "./retrySchedule.ts"

/** Times that nothing is said before it is believed. */
const triesOfNothing = 3

interface Batch<Item, Answer> {
  readonly items: ReadonlyArray<Item>
  readonly asked: Asked<Answer>
  /** Steady milliseconds. */
  readonly now: number
}

export interface Sorted<Item, Answer> {
  /** To be recorded, in the order of the items. */
  readonly learned: ReadonlyArray<Learned<Item, Answer>>
  /** The last of the items that was answered. */
  readonly answered: Item | undefined
}

/** What is not to be recorded yet is put into the schedule. */
export const sortAnswers = <Item, Answer>(
  { keyOf, isFinal, saysNothing, giveUp }: Job<Item, Answer>,
  schedule: RetrySchedule,
  { items, asked: { answers, nodeAnswers }, now }: Batch<Item, Answer>,
): Sorted<Item, Answer> => {
  const learned: Array<Learned<Item, Answer>> = []
  let answered: Item | undefined
  for (const [place, item] of items.entries()) {
    const answer = answers[place]
    const key = keyOf(item)
    if (answer !== undefined) {
      const isBelieved = isFinal(item) || !saysNothing(answer) || schedule.tries(key) + 1 >= triesOfNothing
      if (isBelieved) {
        learned.push({ item, answer })
        answered = item
      } else schedule.postpone(key, now, false)
    } else if (giveUp !== undefined && isFinal(item) && nodeAnswers && schedule.refusals(key) + 1 >= giveUp.tries) {
      learned.push({ item, answer: giveUp.answer })
    } else schedule.postpone(key, now, nodeAnswers)
  }
  return { learned, answered }
}
