/** Faults as replies: as the table of problems says. Anything else is a bug: the log has it all, the caller nothing. */
import { Cause, Effect, Option } from "effect"
import type { Endpoint } from "../contract/endpoint.ts"
import { type Fault, type FaultKind, MethodNotAllowed, UnknownPath } from "../contract/faults.ts"
import { goneProblem, internalProblem, type Problem, problemOf } from "../contract/statuses.ts"
import type { FailureLog } from "./failureLog.ts"
import { jsonHeaders } from "./headers.ts"
import type { Incoming, Reply } from "./requestResponse.ts"

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
  const fault = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (fault !== undefined) {
    if (fault._tag === "StoreUnavailable") yield* log.warn("read", `${shown(path)}: the store is unavailable`, cause)
    const asOf = "asOf" in fault ? fault.asOf : undefined
    return { ...problemReply(problemOf(style, fault), cheapFaults.has(fault._tag)), ...(asOf && { asOf }) }
  }
  if (Cause.hasInterruptsOnly(cause)) return problemReply(goneProblem(style), true)
  yield* log.error(`${shown(path)}: failed to answer`, cause)
  return problemReply(internalProblem(style), false)
})

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

/** The refusal of a method that no path has. */
export const wrongMethod = ({ method }: Incoming) =>
  new MethodNotAllowed({ message: `method: expected GET, HEAD or OPTIONS, got ${shown(method)}` })
