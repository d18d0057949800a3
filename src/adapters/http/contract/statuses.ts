/** How each fault is answered: the only file with HTTP statuses, for both styles. */
import { Schema } from "effect"
import { InvalidParameter } from "../../../model/errors.ts"
import type { Endpoint, Style } from "./endpoint.ts"
import type { Fault, FaultKind } from "./faults.ts"

export const statuses = { ok: 200, noContent: 204, notModified: 304, notReady: 503 } as const

export interface Problem {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** `Internal` is a bug, `Gone` a request that was given up. Neither says more than that. */
export type Kind = FaultKind | "Internal" | "Gone"

interface Row {
  readonly status: number
  readonly code: string
  /** Where the compatibility endpoint says it in the envelope alone, with HTTP 200. */
  readonly compatIsOk?: true
}

/** The body of a native refusal. */
export const NativeProblem = Schema.Struct({
  statusCode: Schema.Finite.annotate({ description: "The HTTP status" }),
  code: Schema.String.annotate({ description: "A stable word for programs" }),
  error: Schema.String.annotate({ description: "The status's reason phrase" }),
  message: Schema.String.annotate({ description: "What was expected and what was given, for people" }),
}).annotate({ identifier: "NativeProblem" })

/** The status and the code of every kind of refusal, for both styles. */
export const problems: Readonly<Record<Kind, Row>> = {
  UnknownPath: { status: 404, code: "NOT_FOUND" },
  MethodNotAllowed: { status: 405, code: "METHOD_NOT_ALLOWED" },
  Unauthorized: { status: 401, code: "UNAUTHORIZED", compatIsOk: true },
  RateLimited: { status: 429, code: "RATE_LIMITED" },
  Overloaded: { status: 503, code: "UNAVAILABLE" },
  ChainSyncing: { status: 503, code: "CHAIN_SYNCING", compatIsOk: true },
  BehindMinBlock: { status: 503, code: "BEHIND_MIN_BLOCK" },
  NotServedHere: { status: 503, code: "UNAVAILABLE" },
  ChainNotSupported: { status: 400, code: "CHAIN_NOT_SUPPORTED", compatIsOk: true },
  EventsGone: { status: 410, code: "EVENTS_GONE" },
  InvalidParameter: { status: 400, code: "INVALID_PARAMETER", compatIsOk: true },
  InvalidCursor: { status: 400, code: "INVALID_CURSOR", compatIsOk: true },
  HistoryNotAvailable: { status: 400, code: "HISTORY_NOT_AVAILABLE", compatIsOk: true },
  BlockUnknown: { status: 503, code: "UNAVAILABLE" },
  TokenNotFound: { status: 404, code: "TOKEN_NOT_FOUND" },
  ApprovalsNotKept: { status: 404, code: "APPROVALS_NOT_KEPT" },
  SupplyNotConfigured: { status: 404, code: "SUPPLY_NOT_CONFIGURED" },
  SupplyUnavailable: { status: 503, code: "UNAVAILABLE" },
  CompatFault: { status: 400, code: "INVALID_PARAMETER", compatIsOk: true },
  StoreUnavailable: { status: 503, code: "UNAVAILABLE" },
  QueryTooSlow: { status: 504, code: "TIMEOUT" },
  Internal: { status: 500, code: "INTERNAL" },
  Gone: { status: 503, code: "UNAVAILABLE" },
}

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  410: "Gone",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
  504: "Gateway Timeout",
}

/** After which a client may try an unreachable store again. */
const retryUnavailableSeconds = 5

/** The same of a ledger that is older than was wanted. */
const retryBehindSeconds = 1

/** The answer to a fault. */
export const problemOf = (style: Style, fault: Fault): Problem => {
  const { _tag: kind, message: text } = fault
  switch (fault._tag) {
    case "MethodNotAllowed":
      return problem(style, kind, { text, result: "Method not allowed", headers: { allow: fault.allowed.join(", ") } })
    case "Unauthorized":
      return problem(style, kind, { text, result: "Invalid API Key" })
    case "RateLimited":
      return problem(style, kind, {
        text,
        result: "Max rate limit reached",
        headers: retryAfter(style, fault.retryAfter),
      })
    case "Overloaded":
    case "ChainSyncing":
      return unavailable(style, kind, text, fault.retryAfter)
    case "ChainNotSupported":
      return problem(style, kind, { text, result: null, compatMessage: "chain not supported" })
    case "CompatFault":
      return problem(style, kind, { text, result: fault.result, compatMessage: text })
    case "StoreUnavailable":
      return unavailable(style, kind, fault.reason ?? "the store cannot be reached at the moment, try again shortly")
    case "BehindMinBlock":
      return unavailable(style, kind, text, retryBehindSeconds)
    case "NotServedHere":
    case "SupplyUnavailable":
    case "BlockUnknown":
      return unavailable(style, kind, text)
    default:
      return problem(style, kind, { text })
  }
}

/** The answer where the service itself is wrong: the log has the cause, the caller has not. */
export const internalProblem = (style: Style): Problem =>
  problem(style, "Internal", { text: "the service failed to answer, its log has the cause", result: "Internal error" })

/** The answer to a request whose work was stopped. */
export const goneProblem = (style: Style): Problem =>
  unavailable(style, "Gone", "the request was given up, try again shortly")

/** The same as the row's clients read it. */
export const inShapeOf = (endpoint: Endpoint | undefined, problem: Problem): Problem => {
  if (endpoint?.foreign === undefined) return problem
  const { message } = problem.body as typeof NativeProblem.Type
  return { ...problem, body: endpoint.foreign.refusal({ status: problem.status, message }) }
}

/** A parameter fault that shows the value at a safe length. */
export const invalidParameter = (parameter: string, value: string, wanted: string): InvalidParameter =>
  new InvalidParameter({ parameter, value: value.length > 64 ? `${cut(value)}…` : value, wanted })

/** Never between the halves of a character: strict readers of JSON refuse one. */
const cut = (text: string): string => text.slice(0, 64).replace(/[\ud800-\udbff]$/, "")

const unavailable = (style: Style, kind: Kind, text: string, seconds = retryUnavailableSeconds): Problem =>
  problem(style, kind, { text, headers: retryAfter(style, seconds) })

/** Native only: one popular client of the compatibility endpoint reads the header as milliseconds. */
const retryAfter = (style: Style, seconds: number): Readonly<Record<string, string>> =>
  style === "native" ? { "retry-after": String(seconds) } : {}

/** What is said of a fault. */
interface Words {
  readonly text: string
  /** In the envelope; absent = the text. */
  readonly result?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly compatMessage?: string
}

const problem = (
  style: Style,
  kind: Kind,
  { text, result = text, headers = {}, compatMessage = "NOTOK" }: Words,
): Problem => {
  const { status, code, compatIsOk } = problems[kind]
  return style === "native"
    ? { status, headers, body: { statusCode: status, code, error: reasons[status], message: text } }
    : {
        status: compatIsOk === true ? statuses.ok : status,
        headers,
        body: { status: "0", message: compatMessage, result },
      }
}
