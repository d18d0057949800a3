/** The service as one function from request to response: Elysia finds the row of the endpoint table, the pipeline answers. */
import { Cause, Context, Effect, Exit, type ManagedRuntime } from "effect"
import { Elysia } from "elysia"
import { WebStandardAdapter } from "elysia/adapter/web-standard"
import { ApiKeys } from "../../ports/ApiKeys.ts"
import { type Answered, logAnswer } from "./answerLog.ts"
import { makeBodyRoom } from "./bodyRoom.ts"
import type { Endpoint } from "./contract/endpoint.ts"
import type { Ports } from "./contract/ports.ts"
import { goneProblem, inShapeOf, internalProblem, type Kind, type Problem, problems } from "./contract/statuses.ts"
import { makeCompressor } from "./encoding/compress.ts"
import { type EventSettings, makeEvents } from "./events/events.ts"
import { incomingOf, type Peer } from "./incoming.ts"
import { clientInNameOf } from "./inNameOf.ts"
import type { Family } from "./metrics/exposition.ts"
import { familiesOf, metricsOf } from "./metrics/metrics.ts"
import { makeTraffic } from "./metrics/traffic.ts"
import { makeOpening } from "./opening.ts"
import { addressOfCaller, keyOf, senderOf } from "./pipeline/caller.ts"
import { jsonHeaders } from "./pipeline/headers.ts"
import { makePipeline, type PipelineSettings } from "./pipeline/pipeline.ts"
import type { Run, StreamLimits } from "./pipeline/streaming.ts"
import { makeRequestIds, requestIdHeader, withRequestId } from "./requestId.ts"
import { openSpan, tellAtHand } from "./requestSpan.ts"
import { type Sending, toResponse, withoutBody } from "./response.ts"
import { type RouteSettings, routesOf } from "./routes.ts"
import { makeRows } from "./rows.ts"
import { readSent, type Sent } from "./sent.ts"
import { routableRequest, targetOf } from "./target.ts"
import { type Soon, settled } from "./turns/soon.ts"

export interface HttpSettings extends PipelineSettings, EventSettings, RouteSettings {
  /** Whether `X-Forwarded-For` is a proxy's word. */
  readonly trustProxy?: boolean
  /** How long requests of a process that starts wait for its store; absent = 10,000. */
  readonly openingPatienceMs?: number
  /** What differs from the usual patience with clients that read streams. */
  readonly streams?: Partial<StreamLimits>
}

export interface App {
  /** `ip` is the address of the peer. Never rejects. */
  readonly fetch: (request: Request, ip?: string) => Promise<Response>
  /** Ends the streams that have no end of their own. */
  readonly endStreams: () => void
  /** What `/metrics` says; empty where it cannot be said. */
  readonly metrics: Effect.Effect<ReadonlyArray<Family>>
}

/** What compressed answers take beside the kept ones, of as much. */
const compressedShare = 1 / 4

type Runtime = Pick<ManagedRuntime.ManagedRuntime<Ports, unknown>, "runPromiseExit" | "context">

export const makeApp = (runtime: Runtime, settings: HttpSettings): App => {
  const pipeline = makePipeline(settings)
  const traffic = makeTraffic()
  const events = makeEvents(settings)
  let context: Context.Context<Ports> | undefined
  const opening = makeOpening(() => runtime.context(), settings.openingPatienceMs)
  const compressor = makeCompressor((settings.answerCacheBytes ?? 0) * compressedShare)
  const peers = new WeakMap<Request, Peer>()
  const [requestIdOf, rows] = [makeRequestIds(), makeRows()]
  const trustProxy = settings.trustProxy === true
  const addressOf = (request: Request, ip: string | undefined): string =>
    addressOfCaller(request.headers, ip, trustProxy)
  const clientOf = (request: Request, { ip, id }: Peer) =>
    clientInNameOf(request, id, (question) => fetch(question, addressOf(request, ip)))
  const room = makeBodyRoom()
  const placeOf = ({ sent, ip }: Peer) => {
    const keys = context && Context.get(context, ApiKeys)
    return room.open(senderOf(keys, sent.headers, addressOf(sent, ip)).name)
  }

  /** Never rejects. */
  const answer = (
    services: Context.Context<Ports>,
    endpoint: Endpoint | undefined,
    request: Request,
    peer: Peer,
    sent: Sent,
  ): Soon<Response> => {
    const started = performance.now()
    const { id: requestId } = peer
    const span = openSpan(withRequestId(services, requestId), endpoint, request, requestId)
    const counted = (status: number | undefined, fault?: Kind) => {
      note({ requestId, endpoint, status, fault, tookMs: performance.now() - started })
      span.end(status)
    }
    return settled(
      () => {
        const incoming = incomingOf(endpoint, request, peer, sent, trustProxy, clientOf(request, peer))
        return pipeline.run(endpoint, incoming, span.context, () => request.signal)
      },
      (outgoing) => {
        counted(outgoing?.status, outgoing?.fault)
        // A client that leaves takes its query with it.
        const gone = () => bare(inShapeOf(endpoint, goneProblem(endpoint?.style ?? "native")), request, peer)
        return outgoing === undefined ? gone() : toResponse(outgoing, request.method, peer, sending)
      },
      (cause) => {
        counted(problems.Internal.status, "Internal")
        return failed(cause, request, peer, endpoint)
      },
    )
  }

  const answerAs = (endpoint: Endpoint | undefined, request: Request, peer: Peer): Soon<Response> => {
    const [read, started] = [readSent(peer.sent, endpoint, () => placeOf(peer)), performance.now()]
    if (context !== undefined && !(read instanceof Promise)) return answer(context, endpoint, request, peer, read)
    const services = context ?? opening.services(endpoint, request.method).then((it) => (context ??= it))
    return Promise.all([services, read]).then(([known, sent]) =>
      known === undefined
        ? notYet(endpoint, request, peer, performance.now() - started)
        : answer(known, endpoint, request, peer, sent),
    )
  }

  /** Of a process that still starts. */
  const notYet = (endpoint: Endpoint | undefined, request: Request, peer: Peer, tookMs: number): Response => {
    const problem = opening.problem(endpoint, request.method)
    note({ requestId: peer.id, endpoint, status: problem.status, fault: "StoreUnavailable", tookMs })
    return bare(problem, request, peer)
  }

  const handle =
    (endpoint?: Endpoint) =>
    ({ request }: { readonly request: Request }): Soon<Response> => {
      if (endpoint !== undefined) rows.keep(request, endpoint)
      return answerAs(endpoint, request, peers.get(request) ?? { ip: undefined, sent: request, id: "" })
    }

  const run: Run<Ports> = (effect) => runtime.runPromiseExit(effect)
  const sending: Sending = { run, compressor, ...(settings.streams && { limits: settings.streams }) }
  const failed = async (cause: unknown, request: Request, peer?: Peer, endpoint?: Endpoint): Promise<Response> => {
    const whole = Cause.isCause(cause) ? cause : Cause.die(cause)
    const said = pipeline.failures.error("the HTTP server failed to answer", whole)
    await runtime.runPromiseExit(Effect.annotateLogs(said, { requestId: peer?.id ?? "" }))
    return bare(inShapeOf(endpoint, internalProblem(endpoint?.style ?? "native")), request, peer)
  }

  const bare = ({ status, headers, body }: Problem, request: Request, peer: Peer | undefined): Response =>
    new Response(JSON.stringify(body), {
      status,
      headers: { ...pipeline.commonHeaders(addressOf(request, peer?.ip)), ...jsonHeaders, ...headers },
    })

  const sources = { traffic, ...pipeline, streams: events.streams, limits: settings.counter }
  const router = new Elysia({ adapter: WebStandardAdapter, strictPath: true })
  const routes = routesOf(settings, { streams: events.endpoints, own: [metricsOf(sources)] })
  for (const [path, endpoint] of routes) router.all(path, handle(endpoint))
  const rowByPath = new Map(routes.map(([, endpoint]) => [endpoint?.path, endpoint]))
  // Elysia's own answer to an error would tell the client its message.
  router.onError(({ error, request }) => failed(error, request, peers.get(request)))

  const note = (answered: Answered, atHand?: Request): void => {
    traffic.count(answered.endpoint?.id, answered.status, answered.tookMs, answered.fault)
    if (context !== undefined) logAnswer(context, answered)
    if (atHand !== undefined) tellAtHand(context, atHand, answered)
  }

  const fetchAtHand = (request: Request, peer: Peer): Promise<Response | undefined> | undefined => {
    const target = targetOf(request.url)
    if (!pipeline.mayBeAtHand(target)) return undefined
    const [headers, started] = [request.headers, performance.now()]
    const search = pipeline.findAtHand({
      method: request.method,
      target,
      key: keyOf(headers, [], "native"),
      accept: headers.get("accept") ?? undefined,
      acceptEncoding: headers.get("accept-encoding") ?? undefined,
      ifNoneMatch: headers.get("if-none-match") ?? undefined,
      minBlock: headers.get("x-min-block") ?? undefined,
      address: addressOf(request, peer.ip),
    })
    return search?.then((found) => {
      if (found === undefined) return undefined
      const [endpoint, { outgoing }] = [rowByPath.get(found.endpoint), found]
      note({ requestId: peer.id, endpoint, status: outgoing.status, tookMs: performance.now() - started }, request)
      return toResponse(outgoing, request.method, peer, sending)
    })
  }

  const answerTo = (request: Request, peer: Peer): Soon<Response> => {
    const row = rows.find(request)
    const routed = (): Soon<Response> => {
      if (row !== undefined) return answerAs(row, request, peer)
      const routable = routableRequest(request)
      peers.set(routable, peer)
      return router.fetch(routable)
    }
    return settled(
      routed,
      (response) => (request.method === "HEAD" ? withoutBody(response) : response),
      (cause) => failed(cause, request, peer),
    )
  }

  const fetch: App["fetch"] = async (request, ip) => {
    const peer: Peer = { ip, sent: request, id: requestIdOf(request.headers) }
    const search = fetchAtHand(request, peer)
    const response = (search && (await search)) ?? (await answerTo(request, peer))
    // What the program itself did not make.
    if (peer.isNamed !== true) response.headers.set(requestIdHeader, peer.id)
    return response
  }

  return {
    endStreams: events.endAll,
    metrics: Effect.promise(async () => {
      const exit = await runtime.runPromiseExit(familiesOf(sources))
      return Exit.isSuccess(exit) ? exit.value : []
    }),
    fetch,
  }
}
