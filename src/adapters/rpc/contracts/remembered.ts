/** Answers that were given already: what a contract said after a block it will always have said. */
import { Effect, Semaphore } from "effect"
import { makeBatchCache } from "../../../model/time/batchCache.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { ReadFor } from "../../../ports/ReadFor.ts"
import type { ViewQuestion } from "../../../ports/TokenViews.ts"
import type { BlockPin } from "./pinnedExchange.ts"

type Ask = (
  questions: ReadonlyArray<ViewQuestion>,
  at: BlockPin,
) => Effect.Effect<ReadonlyArray<bigint | undefined>, SourceUnavailable>

/** Lists of questions that are on their way at once: ingestion asks the same nodes. Callers do not keep the audit waiting. */
const listsAtOnce = { ofCallers: 2, own: 1 }

/** The same, each question about a block once. */
export const remembered = (ask: Ask): Ask => {
  const answers = makeBatchCache<string, bigint | undefined>({ capacity: 10_000 })
  const ofCallers = Semaphore.makeUnsafe(listsAtOnce.ofCallers)
  const own = Semaphore.makeUnsafe(listsAtOnce.own)
  return (questions, at) =>
    answers.recall(
      questions,
      (question) => keyOf(question, at),
      (missing) =>
        Effect.flatMap(ReadFor, ({ caller }) => (caller === "" ? own : ofCallers).withPermit(ask(missing, at))),
    )
}

const keyOf = (question: ViewQuestion, { hash }: BlockPin): string =>
  [
    hash,
    question.token,
    question.of,
    "holder" in question ? question.holder : "",
    "tokenId" in question ? question.tokenId : "",
    "spender" in question ? question.spender : "",
  ].join()
