/** Answers at hand as requests meet them: which of them may be kept and given, and to whom. */
import { Context, Effect, Exit, References, Result } from "effect"
import type { StoreError } from "../../../model/errors.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { ApiKeys } from "../../../ports/ApiKeys.ts"
import { Freshness } from "../../../ports/Freshness.ts"
import { Networks } from "../../../ports/Networks.ts"
import { SyncStatus } from "../../../ports/SyncStatus.ts"
import { isManyChains } from "../contract/cost.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import type { Overloaded } from "../contract/faults.ts"
import { wantedMediaType } from "../contract/mediaType.ts"
import type { Ports } from "../contract/ports.ts"
import type { RateLimit } from "../contract/rateLimit.ts"
import { statuses } from "../contract/statuses.ts"
import { type Found, type Making, makeAtHand } from "../kept/atHand.ts"
import { digestOf, tagAt } from "../kept/etag.ts"
import { makeKeptAnswers } from "../kept/keptAnswers.ts"
import { makeNewestPoints, type NewestPoints } from "../kept/newestPoints.ts"
import { placesOf } from "../kept/unmoved.ts"
import { meets, readMinBlocks } from "../newEnough/minBlock.ts"
import { longAtOnce, makeGivingTurns, shortAtOnce, shortLength } from "../turns/giving.ts"
import type { Served } from "../turns/held.ts"
import { type Patience, whileWaited } from "../turns/patience.ts"
import { after, ending, type Soon } from "../turns/soon.ts"
import { callerOf } from "./caller.ts"
import { outgoingOf } from "./finishResponse.ts"
import type { Incoming, Outgoing, Reply } from "./requestResponse.ts"

/** A request as it stands in HTTP, before anything of it is read. */
export type Asking = Pick<
  Incoming,
  "method" | "target" | "key" | "accept" | "acceptEncoding" | "ifNoneMatch" | "minBlock" | "address"
>

export interface AtHandReply {
  /** The path of the endpoint's row. */
  readonly endpoint: string
  readonly outgoing: Outgoing
}

export interface Reuse {
  readonly seen: NewestPoints["seen"]
  /** Whether an answer is kept, true or not: without one nothing need be looked for. */
  readonly has: (target: string) => boolean
  /** undefined, or a promise of it: the answer must be made. Never rejects. */
  readonly find: (asking: Asking) => Promise<AtHandReply | undefined> | undefined
  /** An answer in its turn: made, unless it came to hand while the request waited; at hand for others while it is made, and after. */
  readonly making: <E>(asked: ToMake, make: () => Soon<Exit.Exit<Reply, E>>) => Soon<Exit.Exit<Reply, E | Overloaded>>
}

/** What is to be made, and for whom. */
export interface ToMake {
  readonly endpoint: Endpoint
  readonly request: Incoming
  /** Those that the request names. */
  readonly chains: ReadonlyArray<ChainId>
  /** Where the request waited for its turn the answer may be at hand by now. It has none while somebody else makes the answer, but where very many wait so. */
  readonly served: Served
  readonly context: Context.Context<Ports>
  readonly patience: Patience
}

/** One body for every caller. */
const isPlain = ({ method, target, accept }: Asking): boolean =>
  method === "GET" && wantedMediaType(accept) === "json" && !hasKey(target)

/** Under whatever letters its name is written. */
const hasKey = (target: string): boolean => {
  if (!target.includes("%")) return /apikey/i.test(target)
  try {
    return /apikey/i.test(decodeURIComponent(target))
  } catch {
    return true
  }
}

/** `wentBack`: see `makeNewestPoints`; what else was kept of the ledger is to be forgotten. */
export const makeReuse = (rateLimit: RateLimit, mostBytes: number, wentBack: () => void): Reuse => {
  let services: Context.Context<Ports> | undefined
  const kept = makeKeptAnswers(mostBytes)
  const ask = async <A>(question: (freshness: Freshness["Service"]) => Effect.Effect<A, StoreError>) =>
    services === undefined ? undefined : Effect.runPromiseWith(services)(Freshness.use(question))
  const points = makeNewestPoints({
    newest: (chainId) => ask((freshness) => freshness.newest(chainId)),
    touched: (since, shown) => ask((freshness) => freshness.touched(since, shown)),
    wentBack: () => {
      kept.forgetAll()
      wentBack()
    },
  })
  const atHand = makeAtHand(points, kept)
  let view: number | undefined
  /** Which chains there are, and what is known of them, is part of every answer: where that changed none of before is kept. */
  const viewNow = (known: Context.Context<Ports>): number | undefined => {
    const now = Context.get(known, Networks).view?.()
    if (now !== view) kept.forgetAll()
    view = now
    return now
  }
  const turns = makeGivingTurns(longAtOnce)
  const shortTurns = makeGivingTurns(shortAtOnce)

  const replyOf = (asking: Asking, found: Found, caller: string, known: Context.Context<Ports>) => {
    // Whoever has no call left is refused where all are.
    if (Result.isFailure(rateLimit.take(caller))) return undefined
    const { answer, points: asOf } = found
    const outgoing = outgoingOf({ status: statuses.ok, ...answer }, etagOf(found), {
      ifNoneMatch: asking.ifNoneMatch,
      acceptEncoding: asking.acceptEncoding,
      asOf,
      syncStatus: Context.get(known, SyncStatus),
      rate: rateLimit.state(caller),
    })
    return { endpoint: answer.endpoint, outgoing }
  }

  const give = (
    asking: Asking,
    search: NonNullable<ReturnType<typeof atHand.find>>,
    known: Context.Context<Ports>,
  ): Promise<AtHandReply | undefined> | undefined => {
    const keys = Context.get(known, ApiKeys)
    const caller = callerOf(keys, asking.key, asking.address)
    if (keys.strict && !caller.hasKey) return undefined
    return search.then((found): Soon<AtHandReply | undefined> => {
      if (found === undefined || !isNewEnough(found, asking.minBlock)) return undefined
      const given = found.answer.text.length > shortLength ? turns : shortTurns
      return given(caller.name, () => replyOf(asking, found, caller.name, known))
    })
  }

  return {
    seen: points.seen,
    has: kept.has,
    find: (asking) => {
      if (services === undefined || !isPlain(asking)) return undefined
      viewNow(services)
      const search = atHand.find(asking.target)
      return search && give(asking, search, services)
    },
    making: <E>(
      { endpoint, request, chains, served, context, patience }: ToMake,
      make: () => Soon<Exit.Exit<Reply, E>>,
    ): Soon<Exit.Exit<Reply, E | Overloaded>> => {
      if (!isReusable(endpoint, request, chains)) return make()
      const { target } = request
      // They outlive the request: its name does not belong to what is read with them.
      services ??= Context.omit(References.CurrentLogAnnotations)(context) as Context.Context<Ports>
      const begin = (): Soon<Exit.Exit<Reply, E | Overloaded>> => {
        const before = viewNow(context)
        const { made: madeThen, end } = atHand.begin(target, chains)
        const made: Making["made"] = (answer) => {
          if (viewNow(context) === before) madeThen(answer)
        }
        return ending(make, end, (exit) =>
          Exit.isSuccess(exit) ? Exit.succeed(withTag(request, endpoint, exit.value, made)) : exit,
        )
      }
      viewNow(context)
      const others = atHand.join(target)
      if (others !== undefined) served.stepAside()
      /** The answer that is found, else `next`. */
      const orElse = (
        search: ReturnType<typeof atHand.find>,
        next: () => Soon<Exit.Exit<Reply, E | Overloaded>>,
      ): Soon<Exit.Exit<Reply, E | Overloaded>> =>
        search === undefined
          ? next()
          : after(whileWaited(search, patience), (found) => {
              if (found !== undefined) return Exit.succeed(replyAtHand(found))
              return patience.stopped() === undefined ? next() : Exit.interrupt()
            })
      if (others === undefined) return orElse(served.waited ? atHand.find(target) : undefined, begin)
      return orElse(others, () =>
        after(served.again(), (refused) => {
          if (refused !== undefined) return Exit.fail(refused)
          if (patience.stopped() !== undefined) return Exit.interrupt()
          // Of many who stepped aside for one answer in vain the first ones make it for the others.
          return orElse(atHand.find(target), begin)
        }),
      )
    },
  }
}

/** What cannot be read is refused where the answer is made. */
const isNewEnough = ({ points }: Found, text: string | undefined): boolean => {
  if (text === undefined) return true
  const chains = points.map(({ chainId }) => chainId)
  return Result.match(readMinBlocks(text, chains), {
    onFailure: () => false,
    onSuccess: (minBlocks) => meets(points, minBlocks),
  })
}

const replyAtHand = (found: Found): Reply => {
  const { headers, text } = found.answer
  return { status: statuses.ok, headers, text, etag: etagOf(found), asOf: found.points }
}

const etagOf = ({ answer: { digest, figures }, points: asOf }: Found): string =>
  tagAt(digest, { asOf, isOfFigures: figures !== undefined })

/** Gives it to others where it is the same for everybody: what a node said, or was made without the audit, is of its own moment, a chain without a ledger gets one any time. */
const withTag = (request: Incoming, { path }: Endpoint, reply: Reply, made: Making["made"]): Reply => {
  const { headers, text, asOf, validated, chains, figuresOf } = reply
  if (validated !== true || text === undefined || asOf.length === 0) return reply
  const digest = digestOf(request, reply)
  if (reply.ofNode !== true && asOf.length === chains) {
    const figures = figuresOf && placesOf(figuresOf)
    made({ endpoint: path, points: asOf, headers, text, digest, figures })
  }
  return { ...reply, etag: tagAt(digest, { asOf, isOfFigures: figuresOf !== undefined }) }
}

/** Whether an answer may be kept. Of very many chains one changes all the time. */
const isReusable = (endpoint: Endpoint, request: Incoming, chains: ReadonlyArray<ChainId>): boolean =>
  endpoint.ofLedger === true && chains.length > 0 && !isManyChains(chains.length) && isPlain(request)
