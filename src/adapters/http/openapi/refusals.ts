/** What an endpoint can be refused with, in its style: every status, its codes, and a real answer of each. */
import type { Endpoint } from "../contract/endpoint.ts"
import { problems } from "../contract/statuses.ts"
import { type Exchange, examples, shown } from "./examples.ts"
import { headersOf } from "./headers.ts"
import { type Json, mediaOf, refTo } from "./json.ts"
import type { Schemas } from "./schemas.ts"

type Kind = keyof typeof problems

/** Of every endpoint that is not open. The path's own 404 is no endpoint's. */
const ofEvery: ReadonlyArray<Kind> = [
  "Unauthorized",
  "MethodNotAllowed",
  "RateLimited",
  "Overloaded",
  "NotServedHere",
  "Internal",
  "StoreUnavailable",
  "QueryTooSlow",
]
const ofOpen: ReadonlyArray<Kind> = ["MethodNotAllowed", "Internal"]

const meanings: Readonly<Partial<Record<Kind, string>>> = {
  Unauthorized: "strict mode: no configured key was sent",
  MethodNotAllowed: "any method but those of the header `allow`",
  RateLimited: "the caller's limit of the minute or of the day is used up",
  Overloaded: "so many requests wait that this one would hardly be served in its time",
  ChainSyncing: "the chain's first sync is not done; the message says how far it is, `retry-after` when to ask again",
  BehindMinBlock: "no server has a ledger as new as `x-min-block`, or the cursor, wants it; ask again shortly",
  NotServedHere: "this process answers nothing, or not at the moment; the message says why",
  ChainNotSupported: "no such network, or no such chain in it",
  InvalidParameter: "a parameter's value is not what is wanted; the message says what is",
  HistoryNotAvailable: "a block before the indexed history",
  InvalidCursor: "a cursor that was altered or made by another query, or `next` together with `prev`",
  BlockUnknown: "which block is meant by the time or the hash cannot be told at the moment; the message says why",
  EventsGone:
    "of the position nothing exact can be told any more; the message says why, and where it can from where to go on",
  UnknownPath: "nothing has this id",
  TokenNotFound: "the ledger has no event of such a contract",
  ApprovalsNotKept: "approvals of the chain are not stored; the message names the setting",
  SupplyNotConfigured: "no source tells the supply of the native currency",
  Internal: "the service failed; its log has the cause",
  StoreUnavailable: "the store cannot be reached, or the request was given up",
  QueryTooSlow: "the query would read too much or takes too long; the message names a narrower one",
}

/** The kinds of an endpoint, those of its own first. */
const refusalsOf = ({ open, doc, about, cost }: Endpoint): ReadonlyArray<Kind> => {
  if (open === true) return ofOpen
  const readsLedger = about.kind !== "service" && cost !== undefined
  return [...doc.faults, ...(readsLedger ? (["ChainSyncing", "BehindMinBlock"] as const) : []), ...ofEvery]
}

/** OpenAPI responses by status. Of the compatibility endpoint those whose status is not 200. */
export const refusalResponses = (endpoint: Endpoint, schemas: Schemas): Json => {
  const kinds = refusalsOf(endpoint).filter((kind) => endpoint.style === "native" || !problems[kind].compatIsOk)
  const byStatus = Map.groupBy(kinds, (kind) => problems[kind].status)
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, of]) => [status, responseOf(endpoint, status, of, schemas)]),
  )
}

const responseOf = (endpoint: Endpoint, status: number, kinds: ReadonlyArray<Kind>, schemas: Schemas): Json => {
  const { style, open } = endpoint
  const codes = [...new Set(kinds.map((kind) => problems[kind].code))]
  const description = kinds.map((kind) => `- \`${problems[kind].code}\`: ${meanings[kind]}`).join("\n")
  const more = [
    ...(style === "native" && kinds.some((kind) => kind === "RateLimited" || kind === "StoreUnavailable")
      ? (["retry-after"] as const)
      : []),
    ...(kinds.includes("MethodNotAllowed") ? (["allow"] as const) : []),
  ]
  if (endpoint.foreign !== undefined) {
    return {
      description: kinds.map((kind) => meanings[kind]).join("; "),
      headers: headersOf(true, ...more),
      content: mediaOf(schemas.of(endpoint.foreign.docs.refusal), {}),
    }
  }
  return {
    description: style === "native" ? description : kinds.map((kind) => meanings[kind]).join("; "),
    headers: headersOf(open !== true, ...more),
    content: mediaOf(
      style === "native"
        ? {
            allOf: [
              refTo("schemas", "NativeProblem"),
              { type: "object", properties: { statusCode: { const: status }, code: { enum: codes } } },
            ],
          }
        : refTo("schemas", "CompatRefusal"),
      shown({ ...given(examples.common[style], codes), ...ownExamples(endpoint.id, status) }),
    ),
  }
}

/** Of no endpoint: what a path is answered that nothing is at. */
export const unknownPathResponse: Json = {
  description: "- `NOT_FOUND`: nothing is at this path",
  headers: headersOf(true),
  content: mediaOf(
    refTo("schemas", "NativeProblem"),
    shown(given(examples.common.native, [problems.UnknownPath.code])),
  ),
}

function given(exchanges: Readonly<Record<string, Exchange>>, codes: ReadonlyArray<string>) {
  return Object.fromEntries(Object.entries(exchanges).filter(([code]) => codes.includes(code)))
}

/** Those that the endpoint itself gave with a status. */
export const ownExamples = (id: string, status: number) =>
  Object.fromEntries(
    Object.entries(examples.refusals[id] ?? examples.methods[id]?.refusals ?? {}).filter(
      ([, exchange]) => exchange.status === status,
    ),
  )
