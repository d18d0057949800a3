/** Which figures of a token are looked at again the next time. Pure. */
import { type AuditSample, mostDiffering, type WatchedFigure } from "../../../ports/AuditStore.ts"
import { type Answered, findSame, questionsOf } from "./figures.ts"

/** Figures that differed last time, are in the ledger still, and nobody answers. */
export const unseenOf = (sample: AuditSample, answered: ReadonlyArray<Answered>): ReadonlyArray<WatchedFigure> =>
  (sample.last?.watched ?? []).filter(
    (was) =>
      was.node !== undefined &&
      was.node !== was.ledger &&
      findSame(questionsOf(sample), was) !== undefined &&
      findSame(answered, was) === undefined,
  )

const mostWitnesses = 6

/** Those that differ, of old first; and balances that nothing has touched for longest: they show a rebase. */
export const watchedOf = (
  sample: AuditSample,
  answered: ReadonlyArray<Answered>,
  differing: ReadonlyArray<Answered>,
): ReadonlyArray<WatchedFigure> => {
  const known = sample.last?.watched ?? []
  const isKnown = (figure: Answered) => findSame(known, figure) !== undefined
  const wrong = [
    ...unseenOf(sample, answered),
    ...differing.filter(isKnown),
    ...differing.filter((figure) => !isKnown(figure)),
  ].slice(0, mostDiffering)
  const witnesses = answered
    .filter(({ of, ledger }) => (of === "balance" || of === "unit") && ledger > 0n)
    .filter((figure) => !wrong.includes(figure))
    .toSorted((a, b) => a.touched - b.touched)
  return [...wrong, ...witnesses.slice(0, mostWitnesses)]
}
