/** Answers that were given already: what a contract said after a block it will always have said. */
import { Effect, Semaphore } from "effect"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { TokenQuestion } from "../../../ports/TokenViews.ts"
import type { BlockPin } from "./pinned.ts"

type Ask = (
  questions: ReadonlyArray<TokenQuestion>,
  at: BlockPin,
) => Effect.Effect<ReadonlyArray<bigint | undefined>, SourceUnavailable>

/** Answers kept, and lists of questions that are on their way at once: ingestion asks the same nodes. */
const mostKept = 10_000
const atOnce = 2

/** The same, each question about a block once. The oldest answers are forgotten. */
export const remembered = (ask: Ask): Ask => {
  const kept = new Map<string, bigint | undefined>()
  const turns = Semaphore.makeUnsafe(atOnce)
  const keep = (key: string, answer: bigint | undefined): void => {
    kept.set(key, answer)
    const [oldest] = kept.keys()
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
  }
  return Effect.fnUntraced(function* (questions, at) {
    const keys = questions.map((question) => keyOf(question, at))
    const answers = new Map(keys.flatMap((key) => (kept.has(key) ? [[key, kept.get(key)] as const] : [])))
    const open = [...keys.keys()].filter((index) => !answers.has(keys[index]!))
    if (open.length > 0) {
      const found = yield* turns.withPermit(
        ask(
          open.map((index) => questions[index]!),
          at,
        ),
      )
      open.forEach((index, place) => {
        answers.set(keys[index]!, found[place])
        keep(keys[index]!, found[place])
      })
    }
    return keys.map((key) => answers.get(key))
  })
}

const keyOf = (question: TokenQuestion, { hash }: BlockPin): string =>
  [
    hash,
    question.token,
    question.of,
    "holder" in question ? question.holder : "",
    "tokenId" in question ? question.tokenId : "",
  ].join()
