/** Answers at hand as requests meet them: which of them may be kept and given, and to whom. */
import { Context, Effect, Result } from "effect"
import { type ChainId, chainIdOf } from "../../../model/primitives.ts"
import { ApiKeys } from "../../../ports/ApiKeys.ts"
import { Freshness } from "../../../ports/Freshness.ts"
import { SyncStatus } from "../../../ports/SyncStatus.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { wantedMediaType } from "../contract/mediaType.ts"
import { pathParameters } from "../contract/path.ts"
import type { Ports } from "../contract/ports.ts"
import type { RateLimit } from "../contract/rateLimit.ts"
import { makeAtHand } from "./atHand.ts"
import { callerOf } from "./caller.ts"
import { type Keep, outgoingOf } from "./finishResponse.ts"
import { makeNewestPoints, type NewestPoints } from "./newestPoints.ts"
import type { Incoming, Outgoing } from "./requestResponse.ts"

/** A request as it stands in HTTP, before anything of it is read. */
export type Asking = Pick<Incoming, "method" | "target" | "key" | "accept" | "ifNoneMatch" | "address">

export interface AtHandReply {
  /** Of the endpoint's row. */
  readonly endpoint: string
  readonly outgoing: Outgoing
}

export interface Reuse {
  readonly seen: NewestPoints["seen"]
  /** undefined, or a promise of it: the answer must be made. Never rejects. */
  readonly find: (asking: Asking) => Promise<AtHandReply | undefined> | undefined
  /** Around the making of an answer that others may be given; `services` as it has them. */
  readonly making: <A, E, R>(
    endpoint: Endpoint | undefined,
    request: Incoming,
    make: (keep?: Keep) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<A, E, R | Ports>
}

/** A body of its own for each caller, or none. */
const isPlain = ({ method, target, accept }: Asking): boolean =>
  method === "GET" && wantedMediaType(accept) === "json" && !/apikey/i.test(target)

export const makeReuse = (rateLimit: RateLimit, mostBytes: number): Reuse => {
  let services: Context.Context<Ports> | undefined
  const points = makeNewestPoints((chainId) =>
    services === undefined
      ? Promise.resolve(undefined)
      : Effect.runPromiseWith(services)(Freshness.use((freshness) => freshness.newest(chainId))),
  )
  const atHand = makeAtHand(points, mostBytes)

  const give = async (
    asking: Asking,
    search: NonNullable<ReturnType<typeof atHand.find>>,
    known: Context.Context<Ports>,
  ): Promise<AtHandReply | undefined> => {
    const keys = Context.get(known, ApiKeys)
    const caller = callerOf(keys, asking.key, asking.address)
    if (keys.strict && !caller.hasKey) return undefined
    const found = await search
    // Whoever has no call left is refused where all are.
    if (found === undefined || Result.isFailure(rateLimit.take(caller.name))) return undefined
    const { answer, point } = found
    const outgoing = outgoingOf({ status: 200, ...answer }, answer.etag, {
      ifNoneMatch: asking.ifNoneMatch,
      asOf: [point],
      syncStatus: Context.get(known, SyncStatus),
      rate: rateLimit.state(caller.name),
    })
    return { endpoint: answer.endpoint, outgoing }
  }

  return {
    seen: points.seen,
    find: (asking) => {
      if (services === undefined || !isPlain(asking)) return undefined
      const search = atHand.find(asking.target)
      return search && give(asking, search, services)
    },
    making: (endpoint, request, make) => {
      const chainId = endpoint?.ofLedger === true && isPlain(request) ? chainOf(endpoint, request) : undefined
      if (endpoint === undefined || chainId === undefined) return make()
      return Effect.contextWith((context: Context.Context<Ports>) => {
        services ??= context
        const { made, end } = atHand.begin(request.target, chainId)
        // What a node said is of its own moment.
        const keep: Keep = (answer) => {
          if (answer.headers["x-balance-source"] === undefined) made({ endpoint: endpoint.id, ...answer })
        }
        return Effect.ensuring(make(keep), Effect.sync(end))
      })
    },
  }
}

const chainOf = (endpoint: Endpoint, { path }: Incoming): ChainId | undefined =>
  chainIdOf(pathParameters(endpoint.path, path).get("chainId") ?? "")
