/** Loops that never end: a bug that one round meets is told in the log, and the next round comes all the same. */
import { Cause, Effect } from "effect"
import { makeRareLines, quietTimes } from "./rareLines.ts"

/** `what`: the loop as the log names it. A defect of a round is told, and gives undefined. Failures and interruption pass. */
export const makeSurvive = (what: string) => {
  const rarely = makeRareLines(quietTimes)
  return <A, E, R>(round: Effect.Effect<A, E, R>): Effect.Effect<A | undefined, E, R> =>
    Effect.catchDefect(round, (defect) =>
      Effect.as(
        rarely("defect", (more) => Effect.logError(`${what}: a bug was met, it goes on${more}`, Cause.die(defect))),
        undefined,
      ),
    )
}

/** Before what ended is begun again. */
const againMs = 5000

/** Work that has its own loop, begun again where a bug ends it. */
export const keepGoing = <E, R>(what: string, work: Effect.Effect<unknown, E, R>): Effect.Effect<never, E, R> => {
  const survive = makeSurvive(what)
  return Effect.forever(Effect.andThen(survive(work), Effect.sleep(againMs)))
}
