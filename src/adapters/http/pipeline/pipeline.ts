/** The way of every request: identify → path → method → key → limit → turn → answer → headers. Faults are found in this order. */
import { Cause, Context, Effect, Exit, Result } from "effect"
import type { Ticket } from "../../../domain/turns/shares.ts"
import { QueryTooSlow } from "../../../model/errors.ts"
import { ApiKeys } from "../../../ports/ApiKeys.ts"
import { Networks } from "../../../ports/Networks.ts"
import { SyncStatus } from "../../../ports/SyncStatus.ts"
import type { Call, OpenStream, TextChunks } from "../contract/call.ts"
import { type Cost, costNow, isOfStore } from "../contract/cost.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { type Fault, Overloaded } from "../contract/faults.ts"
import { wantedMediaType } from "../contract/mediaType.ts"
import { pathParameters } from "../contract/path.ts"
import type { Ports } from "../contract/ports.ts"
import { makeRateLimit, type RateLimits } from "../contract/rateLimit.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { atLeast } from "../newEnough/minBlock.ts"
import { exitOf, makePatience, type Patience } from "../turns/patience.ts"
import { makeTurns, type Shares } from "../turns/turns.ts"
import { makeAuditReader } from "./auditState.ts"
import { type Caller, callerAt, callerOf, isLetIn, unauthorized } from "./caller.ts"
import { cacheHeaders } from "./etag.ts"
import { makeFailureLog } from "./failureLog.ts"
import { explain, methodsOf, preflight, unknownPath, unreadableForm, wrongMethod } from "./faultReply.ts"
import { makeDresser } from "./finishResponse.ts"
import { fixedHeaders, rateHeaders } from "./headers.ts"
import { checkStrict } from "./ignored.ts"
import { loadingRefusal } from "./loading.ts"
import { askedOf } from "./namedChains.ts"
import { replyOf, telling } from "./replyOf.ts"
import type { Incoming, Outgoing, Reply } from "./requestResponse.ts"
import { makeReuse } from "./reuse.ts"

export interface PipelineSettings extends RateLimits {
  /** What a request may take; default 30,000. */
  readonly requestTimeoutMs?: number
  /** Bytes of answers that are kept; absent = none are. */
  readonly answerCacheBytes?: number
  /** What differs from the usual turns. */
  readonly shares?: Shares
}

/** What a request has until its answer has gone. */
interface Held {
  readonly context: Context.Context<Ports>
  readonly patience: Patience
  readonly caller: Caller
  ticket?: Ticket
  chunks?: TextChunks
  stream?: OpenStream
}

type Replied = Exit.Exit<Reply, Fault>

/** `endpoint` is undefined for a path that no row of the table has. */
export const makePipeline = (settings: PipelineSettings) => {
  const rateLimit = makeRateLimit(settings)
  const reuse = makeReuse(rateLimit, settings.answerCacheBytes ?? 0)
  const readAudit = makeAuditReader(reuse.seen)
  const dress = makeDresser(rateLimit)
  const failures = makeFailureLog()
  const { requestTimeoutMs = 30_000 } = settings
  // Who is served at last has as long again for its answer.
  const turns = makeTurns(requestTimeoutMs / 2, settings.shares)

  /** What is refused before anything is read, or answered so: in this order. Undefined: it is to be answered. */
  const refusalOf = (endpoint: Endpoint, request: Incoming, { context, caller }: Held): Fault | undefined => {
    const allowed = methodsOf(endpoint)
    if (!allowed.includes(request.method)) return wrongMethod(allowed, request)
    if (endpoint.open !== true) {
      const refused = unauthorized(Context.get(context, ApiKeys), caller)
      if (refused !== undefined) return refused
      const taken = rateLimit.take(caller.name)
      if (Result.isFailure(taken)) return taken.failure
    }
    if (request.bodyProblem !== undefined) return invalidParameter("body", ...request.bodyProblem)
    if (request.formProblem !== undefined) return unreadableForm(request.formProblem)
    const strict = checkStrict(endpoint, request.query)
    return Result.isFailure(strict) ? strict.failure : undefined
  }

  const callOf = (endpoint: Endpoint, request: Incoming, { context, caller }: Held): Call => {
    const { path, query, method, client, body, lastEventId } = request
    const parameters = pathParameters(endpoint.path, path)
    return {
      ...{ path, query, method, client },
      origin: request.origin ?? (() => ""),
      media: wantedMediaType(request.accept),
      param: (name) => parameters.get(name) ?? "",
      caller: caller.name,
      ...(body === undefined ? {} : { body }),
      mayManage: () => request.key !== undefined && Context.get(context, ApiKeys).mayManage(request.key),
      isLetIn: () => isLetIn(Context.get(context, ApiKeys), request),
      ...(lastEventId === undefined ? {} : { lastEventId }),
      readAudit,
      rate: () => rateLimit.state(caller.name),
    }
  }

  /** Holds a turn while the answer is made; a stream's until it is closed. */
  const inTurn = async (cost: Cost, held: Held, answer: (waited: boolean) => Promise<Replied>): Promise<Replied> => {
    const { caller, patience } = held
    const ticket = turns.join(cost, caller.name)
    if (ticket instanceof Overloaded) return Exit.fail(ticket)
    held.ticket = ticket
    const served = turns.wait(cost, caller.name, ticket, patience)
    const waited = typeof served === "boolean" ? served : await served
    if (typeof waited !== "boolean") return Exit.fail(waited)
    if (patience.stopped() !== undefined) return Exit.interrupt()
    const exit = await answer(waited)
    if (Exit.isFailure(exit)) return exit
    const { chunks } = exit.value
    if (chunks === undefined) {
      ticket.leave()
      return exit
    }
    const { mustYield, leave } = ticket
    held.chunks = { ...chunks, mustYield, close: Effect.ensuring(chunks.close, Effect.sync(leave)) }
    return Exit.succeed({ ...exit.value, chunks: held.chunks })
  }

  const answer = async (endpoint: Endpoint | undefined, request: Incoming, held: Held): Promise<Replied> => {
    if (request.method === "OPTIONS") return Exit.succeed(preflight(methodsOf(endpoint)))
    if (endpoint === undefined) return Exit.fail(unknownPath(request))
    const refusal = refusalOf(endpoint, request, held)
    if (refusal !== undefined) return Exit.fail(refusal)
    const { context, patience } = held
    const call = callOf(endpoint, request, held)
    const cost = endpoint.cost && costNow(endpoint.cost(call), context)
    const asked = askedOf(endpoint, request, Context.get(context, Networks), cost !== undefined)
    if (Result.isFailure(asked)) return Exit.fail(asked.failure)
    const { chains, minBlocks } = asked.success
    // What costs reads the ledger; the compatibility endpoint knows by the action.
    if (cost !== undefined && endpoint.style === "native") {
      const loading = loadingRefusal(chains, Context.get(context, SyncStatus))
      if (loading !== undefined) return Exit.fail(loading)
    }
    // What answers a form is nothing to keep: a URL alone names what is kept.
    const isForm = request.method === "POST"
    const make = async (): Promise<Replied> => {
      const made = await exitOf(atLeast(minBlocks, endpoint.answer(call)), context, patience)
      if (Exit.isFailure(made)) return Exit.failCause(made.cause)
      const { value } = made
      return Exit.succeed(telling(endpoint, request, replyOf(isForm ? { ...value, fleeting: true } : value, failures)))
    }
    patience.limit(requestTimeoutMs)
    if (cost === undefined) return make()
    return inTurn(cost, held, (waited) =>
      // Who waits for another's answer from outside would wait twice.
      isOfStore(cost) && minBlocks.size === 0
        ? reuse.making({ endpoint, request, chains, waited, context, patience }, make)
        : make(),
    )
  }

  /** Of a request whose time is over. */
  const inTime = (exit: Replied, { patience }: Held): Replied =>
    patience.stopped() === "late" && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      ? Exit.fail(tooSlow())
      : exit

  const run = async (
    endpoint: Endpoint | undefined,
    request: Incoming,
    context: Context.Context<Ports>,
    signal?: AbortSignal,
  ): Promise<Outgoing | undefined> => {
    const patience = makePatience(signal)
    const caller = callerOf(Context.get(context, ApiKeys), request.key, request.address)
    const held: Held = { context, patience, caller }
    const within = Effect.runPromiseWith(context)
    let isWhole = false
    try {
      const exit = inTime(await answer(endpoint, request, held).catch(Exit.die), held)
      if (patience.stopped() === "gone") return undefined
      if (Exit.isFailure(exit)) await within(letGo(held))
      const reply = Exit.isSuccess(exit)
        ? exit.value
        : telling(endpoint, request, await within(explain(failures, endpoint, request, exit.cause)))
      if (reply.stream !== undefined) held.stream = reply.stream
      const dressed = dress({ request, endpoint, caller }, reply, Context.get(context, SyncStatus))
      const outgoing = Effect.isEffect(dressed) ? await within(dressed) : dressed
      isWhole = patience.stopped() !== "gone"
      return isWhole ? outgoing : undefined
    } finally {
      patience.end()
      if (!isWhole) await within(letGo(held))
    }
  }

  return {
    /** undefined: the caller left before the answer. Rejects where the program is wrong. */
    run,
    /** An answer that was made already. */
    findAtHand: reuse.find,
    mayBeAtHand: reuse.has,
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
const letGo = ({ ticket, chunks, stream }: Held) =>
  Effect.andThen(
    chunks?.close ?? Effect.void,
    Effect.sync(() => {
      ticket?.leave()
      stream?.drop()
    }),
  )

const tooSlow = () =>
  new QueryTooSlow({ message: "the answer takes too long: ask for less, by a smaller limit or a narrower filter" })
