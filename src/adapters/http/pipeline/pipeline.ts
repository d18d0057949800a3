/** The way of every request: identify → path → method → key → limit → answer → headers. Faults are found in this order. */
import { Duration, Effect, Exit } from "effect"
import { QueryTooSlow } from "../../../model/errors.ts"
import type { Answer, Call, TextChunks } from "../contract/call.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { wantedMediaType } from "../contract/mediaType.ts"
import { pathParameters } from "../contract/path.ts"
import { makeRateLimit, type RateLimits } from "../contract/rateLimit.ts"
import { statuses } from "../contract/statuses.ts"
import { makeAuditReader } from "./auditState.ts"
import { admit, type Caller, callerAt, identify } from "./caller.ts"
import { cacheHeaders } from "./etag.ts"
import { type FailureLog, makeFailureLog } from "./failureLog.ts"
import { explain, unknownPath, wrongMethod } from "./faultReply.ts"
import { makeDresser } from "./finishResponse.ts"
import { fixedHeaders, jsonHeaders, preflightHeaders, rateHeaders } from "./headers.ts"
import type { Incoming, Reply } from "./requestResponse.ts"

export interface PipelineSettings extends RateLimits {
  /** What a request may take; default 30,000. */
  readonly requestTimeoutMs?: number
}

/** `endpoint` is undefined for a path that no row of the table has. */
export const makePipeline = (settings: PipelineSettings) => {
  const rateLimit = makeRateLimit(settings)
  const readAudit = makeAuditReader()
  const dress = makeDresser(rateLimit)
  const failures = makeFailureLog()
  const timeout = Duration.millis(settings.requestTimeoutMs ?? 30_000)

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
      readAudit,
      rate: () => rateLimit.state(caller.name),
    }
    return yield* endpoint.answer(call).pipe(
      Effect.timeoutOrElse({ duration: timeout, orElse: () => tooSlow }),
      Effect.map((answered) => replyOf(answered, failures)),
    )
  })

  const run = Effect.fnUntraced(function* (endpoint: Endpoint | undefined, request: Incoming) {
    const caller = yield* identify(request.key, request.address)
    const reply = yield* answer(endpoint, request, caller).pipe(
      Effect.catchCause((cause) => explain(failures, endpoint, request, cause)),
    )
    return yield* dress({ request, endpoint, caller }, reply).pipe(
      Effect.onExit((exit) => (Exit.isFailure(exit) && reply.chunks !== undefined ? reply.chunks.close : Effect.void)),
    )
  })

  return {
    run,
    failures,
    /** What every answer carries, for one that is made where the pipeline itself failed. */
    commonHeaders: (address: string) => ({
      ...fixedHeaders,
      ...cacheHeaders(undefined),
      ...rateHeaders(rateLimit.state(callerAt(address).name)),
    }),
  }
}

const preflight: Reply = { status: statuses.noContent, headers: preflightHeaders, asOf: [], cheap: true }

const tooSlow = Effect.fail(
  new QueryTooSlow({ message: "the answer takes too long: ask for less, by a smaller limit or a narrower filter" }),
)

const replyOf = ({ asOf, body, chunks, status = statuses.ok, headers, fleeting }: Answer, log: FailureLog): Reply => ({
  status,
  headers: { ...jsonHeaders, ...headers },
  ...(chunks === undefined ? { text: bodyText(body, headers) } : { chunks: logged(chunks, log) }),
  asOf,
  validated: status === statuses.ok && fleeting !== true && chunks === undefined,
})

/** The same pieces; the log says why they end before the last, unless the client left. */
const logged = ({ pull, close }: TextChunks, log: FailureLog): TextChunks => {
  let closed = false
  return {
    pull: Effect.tapCause(pull, (cause) =>
      closed ? Effect.void : log.warn("stream", "a streamed answer was broken off", cause),
    ),
    close: Effect.andThen(
      Effect.sync(() => {
        closed = true
      }),
      close,
    ),
  }
}

const bodyText = (body: unknown, headers: Answer["headers"]): string =>
  typeof body === "string" && headers?.["content-type"] !== undefined ? body : JSON.stringify(body)
