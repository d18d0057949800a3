/** The way of every request: identify → path → method → key → limit → answer → headers. Faults are found in this order. */
import { Cause, Duration, Effect, Exit, Option } from "effect"
import type { AsOf } from "../../../model/block.ts"
import { QueryTooSlow } from "../../../model/errors.ts"
import { SyncStatus } from "../../../ports/SyncStatus.ts"
import { type Answer, type Call, type Endpoint, pathParameters, type TextChunks } from "../contract/endpoint.ts"
import { type Fault, MethodNotAllowed, UnknownPath } from "../contract/faults.ts"
import { wantedMediaType } from "../contract/mediaType.ts"
import { goneProblem, internalProblem, type Problem, problemOf, statuses } from "../contract/problem.ts"
import type { Query } from "../contract/query.ts"
import { makeRateLimit, type RateLimits } from "../contract/rateLimit.ts"
import { makeAsOfReader } from "./asOf.ts"
import { auditHeader, makeAuditReader } from "./auditState.ts"
import { admit, type Caller, callerAt, identify } from "./caller.ts"
import { asOfHeaders, corsHeaders, jsonHeaders, preflightHeaders, rateHeaders } from "./headers.ts"
import { cacheHeaders, etagOf, namesTag } from "./validator.ts"

/** A request as plain data. */
export interface Incoming {
  readonly method: string
  /** As it stood in the URL. */
  readonly path: string
  readonly query: Query
  /** The API key as sent. */
  readonly key: string | undefined
  /** The header `Accept` as sent. */
  readonly accept?: string | undefined
  /** The header `If-None-Match` as sent. */
  readonly ifNoneMatch?: string | undefined
  /** The caller's IP address. */
  readonly address: string
}

export interface Outgoing {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Absent = no body, or one in pieces. */
  readonly text?: string
  /** Whoever sends them closes them. */
  readonly chunks?: TextChunks
}

export interface PipelineSettings extends RateLimits {
  /** Milliseconds a request may take; default 30,000. */
  readonly requestTimeout?: number
}

/** Faults found before anything is read: their answers must cost nothing either. */
const cheapFaults: ReadonlySet<Fault["_tag"]> = new Set([
  "UnknownPath",
  "MethodNotAllowed",
  "Unauthorized",
  "RateLimited",
])

interface Reply extends Pick<Outgoing, "status" | "headers" | "text" | "chunks"> {
  readonly asOf: ReadonlyArray<AsOf>
  readonly cheap?: boolean
  /** Whether the text has a tag of its own. */
  readonly validated?: boolean
}

/** `endpoint` is undefined for a path that no row of the table has. */
export const makePipeline = (settings: PipelineSettings) => {
  const rateLimit = makeRateLimit(settings)
  const asOfReader = makeAsOfReader()
  const readAudit = makeAuditReader()
  const timeout = Duration.millis(settings.requestTimeout ?? 30_000)

  const answer = Effect.fnUntraced(function* (endpoint: Endpoint | undefined, request: Incoming, caller: Caller) {
    if (request.method === "OPTIONS") return preflight
    if (endpoint === undefined) return yield* unknownPath(request)
    if (request.method !== "GET" && request.method !== "HEAD") return yield* wrongMethod(request)
    if (endpoint.open !== true) {
      yield* admit(caller)
      yield* Effect.fromResult(rateLimit.take(caller.name))
    }
    const parameters = pathParameters(endpoint.path, request.path)
    const { path, query } = request
    const call: Call = {
      path,
      query,
      media: wantedMediaType(request.accept),
      param: (name) => parameters.get(name) ?? "",
      rate: () => rateLimit.state(caller.name),
    }
    const contract = yield* readAudit(endpoint, call)
    const known = contract?.auditStatus === undefined ? call : { ...call, auditStatus: contract.auditStatus }
    return yield* endpoint.answer(known).pipe(
      Effect.timeoutOrElse({ duration: timeout, orElse: () => tooSlow }),
      Effect.map((answer) =>
        replyOf({ ...answer, headers: { ...auditHeader(contract, answer.ofBlock), ...answer.headers } }),
      ),
    )
  })

  const run = Effect.fnUntraced(function* (endpoint: Endpoint | undefined, request: Incoming) {
    const caller = yield* identify(request.key, request.address)
    const reply = yield* answer(endpoint, request, caller).pipe(
      Effect.catchCause((cause) => explain(endpoint, request, cause)),
    )
    return yield* dress(request, caller, reply).pipe(
      Effect.onExit((exit) => (Exit.isFailure(exit) && reply.chunks !== undefined ? reply.chunks.close : Effect.void)),
    )
  })

  /** The headers, and whether the caller has the text already. */
  const dress = Effect.fnUntraced(function* (request: Incoming, caller: Caller, reply: Reply) {
    const readAsOf = reply.cheap === true ? asOfReader.recent : asOfReader.read
    const asOf = reply.asOf.length > 0 ? reply.asOf : yield* readAsOf(request.path)
    const etag = reply.validated === true ? etagOf(request, { ...reply, asOf }) : undefined
    const { status, headers, text } = namesTag(request.ifNoneMatch, etag) ? notModified(reply) : reply
    const outgoing: Outgoing = {
      status,
      headers: {
        ...corsHeaders,
        ...cacheHeaders(etag),
        ...headers,
        ...asOfHeaders(asOf, yield* SyncStatus),
        ...rateHeaders(rateLimit.state(caller.name)),
      },
      ...(text === undefined ? {} : { text }),
      ...(reply.chunks === undefined ? {} : { chunks: reply.chunks }),
    }
    return outgoing
  })
  return {
    run,
    /** What every answer carries, for one that is made where the pipeline itself failed. */
    commonHeaders: (address: string) => ({
      ...corsHeaders,
      ...cacheHeaders(undefined),
      ...rateHeaders(rateLimit.state(callerAt(address).name)),
    }),
  }
}

const replyOf = ({ asOf, body, chunks, status = statuses.ok, headers, fleeting }: Answer): Reply => ({
  status,
  headers: { ...jsonHeaders, ...headers },
  ...(chunks === undefined ? { text: textOf(body, headers) } : { chunks }),
  asOf,
  validated: status === statuses.ok && fleeting !== true && chunks === undefined,
})

const textOf = (body: unknown, headers: Answer["headers"]): string =>
  typeof body === "string" && headers?.["content-type"] !== undefined ? body : JSON.stringify(body)

/** The answer to a caller that has the text already: its headers without those of the text. */
const notModified = ({
  headers: { "content-type": _, ...headers },
}: Reply): Pick<Reply, "status" | "headers" | "text"> => ({
  status: statuses.notModified,
  headers,
})

const preflight: Reply = { status: statuses.noContent, headers: preflightHeaders, asOf: [], cheap: true }

const shown = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text)

/** The refusal of a path that nothing is at. */
export const unknownPath = ({ path }: Pick<Incoming, "path">) =>
  new UnknownPath({ message: `path: expected one of the documented endpoints, got ${shown(path)}` })

const wrongMethod = ({ method }: Incoming) =>
  new MethodNotAllowed({ message: `method: expected GET, HEAD or OPTIONS, got ${shown(method)}` })

const tooSlow = Effect.fail(
  new QueryTooSlow({ message: "the answer takes too long: ask for less, by a smaller limit or a narrower filter" }),
)

/** A fault is answered as the table of problems says; anything else is a bug: the log has it all, the caller nothing. */
const explain = Effect.fnUntraced(function* (
  endpoint: Endpoint | undefined,
  request: Incoming,
  cause: Cause.Cause<Fault>,
) {
  const style = endpoint?.style ?? "native"
  const fault = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (fault !== undefined) {
    if (fault._tag === "StoreUnavailable") yield* Effect.logWarning(`${request.path}: the store is unavailable`, cause)
    const asOf = "asOf" in fault ? fault.asOf : undefined
    return { ...problemReply(problemOf(style, fault), cheapFaults.has(fault._tag)), ...(asOf && { asOf }) }
  }
  if (Cause.hasInterruptsOnly(cause)) return problemReply(goneProblem(style), true)
  yield* Effect.logError(`${request.path}: failed to answer`, cause)
  return problemReply(internalProblem(style), false)
})

const problemReply = ({ status, headers, body }: Problem, cheap: boolean): Reply => ({
  status,
  headers: { ...jsonHeaders, ...headers },
  text: JSON.stringify(body),
  asOf: [],
  cheap,
})
