/** Lines of the log about requests that failed: of each kind one a minute, with its stack; of more only the number. */
import { Cause, Effect } from "effect"
import { makeRareLines } from "../../../model/time/rareLines.ts"

export type FailureLog = ReturnType<typeof makeFailureLog>

export const makeFailureLog = () => {
  const rarely = makeRareLines({ quietMs: 60_000, longestQuietMs: 60_000 })
  return {
    /** What is needed does not answer. `kind` begins the line where no path does. */
    warn: <E>(kind: string, line: string, cause: Cause.Cause<E>) =>
      rarely(`${kind} ${namesOf(Cause.squash(cause))}`, (more) => Effect.logWarning(line + more, cause)),
    /** A kind of refusal that is not the caller's doing, or not alone: its words say all. */
    refused: (kind: string, line: string) => rarely(`refused ${kind}`, (more) => Effect.logWarning(line + more)),
    /** The service is wrong: kinds are told apart by the place in the code as well. */
    error: <E>(line: string, cause: Cause.Cause<E>) => {
      const thrown = Cause.squash(cause)
      return rarely(`${namesOf(thrown)} ${placeOf(thrown)}`, (more) => Effect.logError(line + more, cause))
    },
  }
}

/** Names and codes of an error and of what caused it. Nothing of a message: callers have words in it. */
const namesOf = (thrown: unknown, depth = 0): string => {
  if (!(thrown instanceof Error) || depth === 4) return typeof thrown
  const { name, code, cause } = thrown as Error & { readonly code?: unknown }
  return `${name} ${code}${cause === undefined ? "" : ` ${namesOf(cause, depth + 1)}`}`
}

/** The line of the code that threw it. */
const placeOf = (thrown: unknown): string => {
  const { message = "", stack = "" } = thrown instanceof Error ? thrown : {}
  return /^\s+at .*$/mu.exec(stack.slice(stack.indexOf(message) + message.length))?.[0] ?? ""
}
