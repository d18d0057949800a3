/** The way of every request: identify → path → method → key → limit → turn → answer → headers. Faults are found in this order. */
import { Duration, Effect } from "effect"
import { QueryTooSlow } from "../../../model/errors.ts"
import { ApiKeys } from "../../../ports/ApiKeys.ts"
import { Networks } from "../../../ports/Networks.ts"
import type { Call, TextChunks } from "../contract/call.ts"
import { type Cost, isOfStore } from "../contract/cost.ts"
import { type Endpoint, methods } from "../contract/endpoint.ts"
import { Overloaded } from "../contract/faults.ts"
import { wantedMediaType } from "../contract/mediaType.ts"
import { pathParameters } from "../contract/path.ts"
import { makeRateLimit, type RateLimits } from "../contract/rateLimit.ts"
import { invalidParameter, statuses } from "../contract/statuses.ts"
import type { Ticket } from "../turns/shares.ts"
import { makeTurns, type Shares } from "../turns/turns.ts"
import { makeAuditReader } from "./auditState.ts"
import { admit, type Caller, callerAt, identify } from "./caller.ts"
import { cacheHeaders } from "./etag.ts"
import { makeFailureLog } from "./failureLog.ts"
import { explain, unknownPath, unreadableForm, wrongMethod } from "./faultReply.ts"
import { makeDresser } from "./finishResponse.ts"
import { fixedHeaders, preflightHeaders, rateHeaders } from "./headers.ts"
import { checkStrict } from "./ignored.ts"
import { refuseWhileLoading } from "./loading.ts"
import { namedChains } from "./namedChains.ts"
import { replyOf, telling } from "./replyOf.ts"
import type { Incoming, Reply } from "./requestResponse.ts"
import { makeReuse } from "./reuse.ts"

export interface PipelineSettings extends RateLimits {
  /** What a request may take; default 30,000. */
  readonly requestTimeoutMs?: number
  /** Bytes of answers that are kept; absent = none are. */
  readonly answerCacheBytes?: number
  /** What differs from the usual turns. */
  readonly shares?: Shares
}

/** What a request holds until its answer has gone. */
interface Held {
  ticket?: Ticket
  chunks?: TextChunks
}

/** `endpoint` is undefined for a path that no row of the table has. */
export const makePipeline = (settings: PipelineSettings) => {
  const rateLimit = makeRateLimit(settings)
  const reuse = makeReuse(rateLimit, settings.answerCacheBytes ?? 0)
  const readAudit = makeAuditReader(reuse.seen)
  const dress = makeDresser(rateLimit)
  const failures = makeFailureLog()
  const { requestTimeoutMs = 30_000 } = settings
  const timeout = Duration.millis(requestTimeoutMs)
  // Who is served at last has as long again for its answer.
  const turns = makeTurns(requestTimeoutMs / 2, settings.shares)

  /** Holds a turn while the answer is made; a stream's until it is closed. */
  const inTurn = Effect.fnUntraced(function* <E, R>(
    cost: Cost,
    caller: Caller,
    held: Held,
    answer: (waited: boolean) => Effect.Effect<Reply, E, R>,
  ) {
    const ticket = turns.join(cost, caller.name)
    if (ticket instanceof Overloaded) return yield* ticket
    held.ticket = ticket
    const waited = yield* turns.wait(cost, caller.name, ticket)
    const { chunks, ...made } = yield* answer(waited)
    if (chunks === undefined) {
      ticket.leave()
      return made
    }
    const { mustYield, leave } = ticket
    held.chunks = { ...chunks, mustYield, close: Effect.ensuring(chunks.close, Effect.sync(leave)) }
    return { ...made, chunks: held.chunks }
  })

  const answer = Effect.fnUntraced(function* (
    endpoint: Endpoint | undefined,
    request: Incoming,
    caller: Caller,
    held: Held,
  ) {
    const style = endpoint?.style ?? "native"
    const allowed = endpoint?.methods ?? methods[style]
    if (request.method === "OPTIONS") return preflight(allowed)
    if (endpoint === undefined) return yield* unknownPath(request)
    if (!allowed.includes(request.method)) return yield* wrongMethod(allowed, request)
    if (endpoint.open !== true) {
      yield* admit(caller)
      yield* Effect.fromResult(rateLimit.take(caller.name))
    }
    if (request.bodyProblem !== undefined) return yield* invalidParameter("body", "another", request.bodyProblem)
    if (request.formProblem !== undefined) return yield* unreadableForm(request.formProblem)
    yield* Effect.fromResult(checkStrict(endpoint, request.query))
    const parameters = pathParameters(endpoint.path, request.path)
    const { path, query, origin = "" } = request
    const call: Call = {
      path,
      origin,
      query,
      media: wantedMediaType(request.accept),
      param: (name) => parameters.get(name) ?? "",
      caller: caller.name,
      method: request.method,
      ...(request.body === undefined ? {} : { body: request.body }),
      mayManage: request.key !== undefined && (yield* ApiKeys).mayManage(request.key),
      ...(request.lastEventId === undefined ? {} : { lastEventId: request.lastEventId }),
      readAudit,
      rate: () => rateLimit.state(caller.name),
    }
    const cost = endpoint.cost === undefined ? undefined : yield* endpoint.cost(call)
    // What costs reads the ledger; the compatibility endpoint knows by the action.
    if (cost !== undefined && endpoint.style === "native") {
      yield* refuseWhileLoading(namedChains(endpoint, request, yield* Networks))
    }
    // What answers a form is nothing to keep: a URL alone names what is kept.
    const isForm = request.method === "POST"
    const answered = Effect.map(endpoint.answer(call), (made) =>
      telling(endpoint, request, replyOf(isForm ? { ...made, fleeting: true } : made, failures)),
    )
    const replied =
      cost === undefined
        ? answered
        : inTurn(cost, caller, held, (waited) =>
            // Who waits for another's answer from outside would wait twice.
            isOfStore(cost) ? reuse.making(endpoint, request, waited, answered) : answered,
          )
    return yield* Effect.timeoutOrElse(replied, { duration: timeout, orElse: () => tooSlow })
  })

  const reply = Effect.fnUntraced(function* (endpoint: Endpoint | undefined, request: Incoming, held: Held) {
    const caller = yield* identify(request.key, request.address)
    const reply = yield* answer(endpoint, request, caller, held).pipe(
      Effect.onError(() => letGo(held)),
      Effect.catchCause((cause) =>
        Effect.map(explain(failures, endpoint, request, cause), (refusal) => telling(endpoint, request, refusal)),
      ),
    )
    return yield* dress({ request, endpoint, caller }, reply)
  })

  const run = (endpoint: Endpoint | undefined, request: Incoming) =>
    Effect.suspend(() => {
      const held: Held = {}
      return Effect.onError(reply(endpoint, request, held), () => letGo(held))
    })

  return {
    run,
    /** An answer that was made already. */
    findAtHand: reuse.find,
    failures,
    /** How many reads of each cost go on, wait, and were refused. */
    turns: turns.counts,
    /** What every answer carries, for one that is made where the pipeline itself failed. */
    commonHeaders: (address: string) => ({
      ...fixedHeaders,
      ...cacheHeaders(undefined),
      ...rateHeaders(rateLimit.state(callerAt(address).name)),
    }),
  }
}

/** Whatever a request holds, of which nothing will be sent. */
const letGo = ({ ticket, chunks }: Held) =>
  Effect.andThen(
    chunks?.close ?? Effect.void,
    Effect.sync(() => ticket?.leave()),
  )

const preflight = (allowed: ReadonlyArray<string>): Reply => ({
  status: statuses.noContent,
  headers: preflightHeaders(allowed),
  asOf: [],
  cheap: true,
})

const tooSlow = Effect.fail(
  new QueryTooSlow({ message: "the answer takes too long: ask for less, by a smaller limit or a narrower filter" }),
)
