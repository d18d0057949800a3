/** Faults as replies: as the table of problems says. Anything else is a bug: the log has it all, the caller nothing. */
import { Cause, Effect, Option } from "effect"
import { type Endpoint, methods } from "../contract/endpoint.ts"
import {
  CompatFault,
  type Fault,
  type FaultKind,
  MethodNotAllowed,
  Overloaded,
  UnknownPath,
} from "../contract/faults.ts"
import { areTooMany, mostPairs } from "../contract/query.ts"
import {
  goneProblem,
  inShapeOf,
  internalProblem,
  invalidParameter,
  type Kind,
  type Problem,
  problemOf,
  problems,
  statuses,
} from "../contract/statuses.ts"
import type { FailureLog } from "./failureLog.ts"
import { jsonHeaders, preflightHeaders } from "./headers.ts"
import { bodyPatienceMs, type Incoming, type Reply } from "./requestResponse.ts"

/** Faults found before anything is read: the as-of of their answers may be a second old, and costs no statement of their own. */
const cheapFaults: ReadonlySet<FaultKind> = new Set([
  "UnknownPath",
  "MethodNotAllowed",
  "Unauthorized",
  "RateLimited",
  "Overloaded",
  "ChainSyncing",
  "ChainNotSupported",
  "InvalidParameter",
  "InvalidCursor",
  "CompatFault",
])

export const explain = Effect.fnUntraced(function* (
  log: FailureLog,
  endpoint: Endpoint | undefined,
  { path }: Incoming,
  cause: Cause.Cause<Fault>,
) {
  const style = endpoint?.style ?? "native"
  // Another service's paths may have a key in them.
  const place = shown(endpoint?.foreign === undefined ? path : endpoint.path)
  const replyTo = (kind: Kind, problem: Problem, cheap: boolean) => ({
    ...problemReply(inShapeOf(endpoint, problem), cheap),
    fault: kind,
  })
  const fault = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (fault !== undefined) {
    const { _tag: kind, message } = fault
    const problem = problemOf(style, fault)
    if (kind === "StoreUnavailable") yield* log.warn("read", `${place}: the store is unavailable`, cause)
    else if (isFailure(problem)) yield* log.refused(kind, `${place}: ${problems[kind].code}: ${shown(message)}`)
    const asOf = "asOf" in fault ? fault.asOf : undefined
    return { ...replyTo(kind, problem, cheapFaults.has(kind)), ...(asOf && { asOf, isRead: true }) }
  }
  if (Cause.hasInterruptsOnly(cause)) return replyTo("Gone", goneProblem(style), true)
  yield* log.error(`${place}: failed to answer`, cause)
  return replyTo("Internal", internalProblem(style), false)
})

/** Of the service, not of what was asked. The compatibility endpoint says some of these with HTTP 200. */
const isFailure = ({ status }: Problem): boolean => status >= problems.Internal.status

const problemReply = ({ status, headers, body }: Problem, cheap: boolean): Reply => ({
  status,
  headers: { ...jsonHeaders, ...headers },
  text: JSON.stringify(body),
  asOf: [],
  cheap,
})

const shown = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text)

/** The refusal of a path that nothing is at. */
export const unknownPath = ({ path }: Pick<Incoming, "path">) =>
  new UnknownPath({ message: `path: expected one of the documented endpoints, got ${shown(path)}` })

/** The refusal of a method that a path has not. */
export const wrongMethod = (allowed: ReadonlyArray<string>, { method }: Incoming) =>
  new MethodNotAllowed({ message: `method: expected ${oneOf(allowed)}, got ${shown(method)}`, allowed })

/** The refusal of parameters or a body that cannot be read; undefined where they can. Forms come on compatibility paths alone. */
export const unreadable = (
  { style }: Endpoint,
  { query, hasNoRoom, bodyProblem, formProblem }: Incoming,
): Fault | undefined => {
  if (hasNoRoom === true) return fullOfBodies()
  if (areTooMany(query)) {
    return style === "compat"
      ? unreadableForm(`expected at most ${mostPairs} parameters, got more`)
      : invalidParameter("parameters", "more", `at most ${mostPairs}`)
  }
  if (bodyProblem !== undefined) return invalidParameter("body", ...bodyProblem)
  return formProblem === undefined ? undefined : unreadableForm(formProblem)
}

/** Half of what the slowest body may take. */
const retryBodySeconds = bodyPatienceMs / 2000

const fullOfBodies = () =>
  new Overloaded({
    message: `so many large bodies are being read: try again in ${retryBodySeconds} seconds`,
    retryAfter: retryBodySeconds,
  })

const unreadableForm = (problem: string) => new CompatFault({ message: "NOTOK", result: `Error! ${problem}` })

const oneOf = (words: ReadonlyArray<string>): string => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

/** Of a path that nothing is at: those that most have. */
export const methodsOf = (endpoint: Endpoint | undefined): ReadonlyArray<string> =>
  endpoint?.methods ?? methods[endpoint?.style ?? "native"]

export const preflight = (allowed: ReadonlyArray<string>): Reply => ({
  status: statuses.noContent,
  headers: preflightHeaders(allowed),
  asOf: [],
  cheap: true,
})
