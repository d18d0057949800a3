/** Every question that the read ports can be asked, of hot and of ordinary tokens and holders, near and far. */
import type { Depths, Question } from "./question.ts"
import { feeds, walks } from "./questions.feeds.ts"
import { asOfBlock, holders, lists, nfts, points } from "./questions.lists.ts"
import type { Subjects } from "./subjects.ts"

export const questionsOf = (subjects: Subjects, depths: Depths): ReadonlyArray<Question> => [
  ...feeds(subjects, depths),
  ...walks(subjects, depths),
  ...lists(subjects, depths),
  ...holders(subjects, depths),
  ...nfts(subjects, depths),
  ...points(subjects),
  ...asOfBlock(subjects, depths),
]
