/** The way of every request: identify → path → method → key → limit → turn → answer → headers. Faults are found in this order. */
import { Cause, Context, Effect, Exit, Result } from "effect"
import { QueryTooSlow } from "../../../model/errors.ts"
import { ApiKeys } from "../../../ports/ApiKeys.ts"
import { Networks } from "../../../ports/Networks.ts"
import { ReadFor } from "../../../ports/ReadFor.ts"
import { SyncStatus } from "../../../ports/SyncStatus.ts"
import type { Answer, Call } from "../contract/call.ts"
import { costNow, isOfStore } from "../contract/cost.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import type { Fault } from "../contract/faults.ts"
import { wantedMediaType } from "../contract/mediaType.ts"
import { pathParameters } from "../contract/path.ts"
import type { Ports } from "../contract/ports.ts"
import { makeRateLimit, type RateLimits } from "../contract/rateLimit.ts"
import { cacheHeaders } from "../kept/etag.ts"
import { atLeast } from "../newEnough/minBlock.ts"
import { type Held, inTurn, inTurnOfNode, letGo } from "../turns/held.ts"
import { exitOf, makePatience, timesOf } from "../turns/patience.ts"
import { after, type Soon, settled } from "../turns/soon.ts"
import { makeTurns, type Shares } from "../turns/turns.ts"
import { makeAuditReader } from "./auditState.ts"
import { type Caller, callerAt, callerOf, isLetIn, unauthorized } from "./caller.ts"
import { makeFailureLog } from "./failureLog.ts"
import { explain, methodsOf, preflight, unknownPath, unreadable, wrongMethod } from "./faultReply.ts"
import { makeDresser } from "./finishResponse.ts"
import { fixedHeaders, rateHeaders } from "./headers.ts"
import { checkStrict } from "./ignored.ts"
import { isOfLedger, loadingRefusal, unlessLoaded } from "./loading.ts"
import { askedOf } from "./namedChains.ts"
import { forOthers, replyOf, telling } from "./replyOf.ts"
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

type Replied = Exit.Exit<Reply, Fault>

/** What was asked, where, by whom, and what it holds by now. */
interface Asked extends Held {
  readonly endpoint: Endpoint | undefined
  readonly request: Incoming
  readonly context: Context.Context<Ports>
  readonly caller: Caller
  /** What the audit says could not be read for its answer. */
  isUnaudited?: boolean
}

/** `endpoint` is undefined for a path that no row of the table has. */
export const makePipeline = (settings: PipelineSettings) => {
  const rateLimit = makeRateLimit(settings)
  const reuse = makeReuse(rateLimit, settings.answerCacheBytes ?? 0, () => audits.forget())
  const audits = makeAuditReader(reuse.seen)
  const dress = makeDresser(rateLimit)
  const failures = makeFailureLog()
  const { requestTimeoutMs = 30_000 } = settings
  const times = timesOf(requestTimeoutMs)
  // Who is served at last has as long again for its answer.
  const turns = makeTurns(requestTimeoutMs / 2, settings.shares)

  /** What is refused before anything is read, or answered so: in this order. Undefined: it is to be answered. */
  const refusalOf = (endpoint: Endpoint, request: Incoming, { context, caller }: Asked): Fault | undefined => {
    const allowed = methodsOf(endpoint)
    if (!allowed.includes(request.method)) return wrongMethod(allowed, request)
    if (endpoint.open !== true) {
      const refused = unauthorized(Context.get(context, ApiKeys), caller)
      if (refused !== undefined) return refused
      const taken = rateLimit.take(caller.name)
      if (Result.isFailure(taken)) return taken.failure
    }
    const unread = unreadable(endpoint, request)
    if (unread !== undefined) return unread
    const strict = checkStrict(endpoint, request.query)
    return Result.isFailure(strict) ? strict.failure : undefined
  }

  const callOf = (endpoint: Endpoint, request: Incoming, asked: Asked): Call => {
    const { context, caller } = asked
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
      readAudit: (contract) => audits.read(contract, () => (asked.isUnaudited = true)),
      turnOfNode: inTurnOfNode(turns, caller.name, asked),
      rate: () => rateLimit.state(caller.name),
    }
  }

  const answer = (asked: Asked): Soon<Replied> => {
    const { endpoint, request, context, caller, patience } = asked
    if (request.method === "OPTIONS") return Exit.succeed(preflight(methodsOf(endpoint)))
    if (endpoint === undefined) return Exit.fail(unknownPath(request))
    const refusal = refusalOf(endpoint, request, asked)
    if (refusal !== undefined) return Exit.fail(refusal)
    const call = callOf(endpoint, request, asked)
    const cost = endpoint.cost && costNow(endpoint.cost(call), context)
    const about = askedOf(endpoint, request, Context.get(context, Networks), cost !== undefined)
    if (Result.isFailure(about)) return Exit.fail(about.failure)
    const { chains, minBlocks, isHeldBefore = false } = about.success
    // What costs reads the ledger; the compatibility endpoint knows by the action.
    if (cost !== undefined && endpoint.style === "native") {
      const loading = loadingRefusal(chains, Context.get(context, SyncStatus))
      if (loading !== undefined) return Exit.fail(loading)
    }
    const made = (exit: Exit.Exit<Answer, Fault>): Replied => {
      if (Exit.isFailure(exit)) return Exit.failCause(exit.cause)
      const { value } = exit
      const reply = replyOf(forOthers(value, request, asked.isUnaudited === true), failures)
      return Exit.succeed(
        telling(endpoint, request, isOfLedger(endpoint, cost, value) ? { ...reply, isRead: true } : reply),
      )
    }
    const own = Context.add(context, ReadFor, { caller: caller.name, isCostly: cost === "costly" })
    const make = () =>
      unlessLoaded(
        () => after(exitOf(atLeast(minBlocks, endpoint.answer(call), { isHeldBefore }), own, patience), made),
        chains,
        context,
      )
    patience.limit(times)
    if (cost === undefined) return make()
    return inTurn(turns, cost, caller.name, asked, (served) =>
      // Who waits for another's answer from outside would wait twice.
      isOfStore(cost) && minBlocks.size === 0
        ? reuse.making({ endpoint, request, chains, served, context, patience }, make)
        : make(),
    )
  }

  /** Of a request whose time is over. */
  const inTime = (exit: Replied, { patience }: Asked): Replied =>
    patience.stopped() === "late" && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      ? Exit.fail(tooSlow())
      : exit

  /** Whatever came of it. */
  const close = async (asked: Asked, replied: Replied): Promise<Outgoing | undefined> => {
    const { endpoint, request, context, patience } = asked
    const within = Effect.runPromiseWith(context)
    let isWhole = false
    patience.listen()
    try {
      const exit = inTime(replied, asked)
      if (Exit.isSuccess(exit) && exit.value.stream !== undefined) asked.stream = exit.value.stream
      if (patience.stopped() === "gone") return undefined
      if (Exit.isFailure(exit)) await within(letGo(asked))
      const reply = Exit.isSuccess(exit)
        ? exit.value
        : telling(endpoint, request, await within(explain(failures, endpoint, request, exit.cause)))
      const dressed = dress(asked, reply, Context.get(context, SyncStatus))
      const outgoing = Effect.isEffect(dressed) ? await within(dressed) : dressed
      isWhole = patience.stopped() !== "gone"
      if (!isWhole) return undefined
      return reply.fault === undefined ? outgoing : { ...outgoing, fault: reply.fault }
    } finally {
      patience.end()
      if (!isWhole) await within(letGo(asked))
    }
  }

  /** Most answers are whole texts, of blocks that are known: nothing is held any more, and nothing waited for. */
  const closeSoon = (asked: Asked, replied: Replied): Soon<Outgoing | undefined> => {
    const { patience, context } = asked
    const reply = Exit.isSuccess(replied) ? replied.value : undefined
    const isPlain = reply?.text !== undefined && reply.asOf.length > 0 && patience.stopped() === undefined
    if (!isPlain) return close(asked, replied)
    patience.end()
    return dress(asked, reply, Context.get(context, SyncStatus)) as Outgoing
  }

  const run = (
    endpoint: Endpoint | undefined,
    request: Incoming,
    context: Context.Context<Ports>,
    signal?: () => AbortSignal,
  ): Soon<Outgoing | undefined> => {
    const caller = callerOf(Context.get(context, ApiKeys), request.key, request.address)
    const asked: Asked = { endpoint, request, context, caller, patience: makePatience(signal) }
    return settled(
      () => answer(asked),
      (replied) => closeSoon(asked, replied),
      (cause) => close(asked, Exit.die(cause)),
    )
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

const tooSlow = () =>
  new QueryTooSlow({ message: "the answer takes too long: ask for less, by a smaller limit or a narrower filter" })
