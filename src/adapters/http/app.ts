/** The service as one function from request to response: Elysia finds the row of the endpoint table, the pipeline answers. */
import { Cause, type Context, Effect, Exit, type ManagedRuntime } from "effect"
import { Elysia } from "elysia"
import { WebStandardAdapter } from "elysia/adapter/web-standard"
import { type Answered, logAnswer } from "./answerLog.ts"
import type { Client } from "./contract/call.ts"
import type { Endpoint } from "./contract/endpoint.ts"
import type { Ports } from "./contract/ports.ts"
import { parseQuery } from "./contract/query.ts"
import { goneProblem, inShapeOf, internalProblem, type Problem, problems } from "./contract/statuses.ts"
import { makeCompressor } from "./encoding/compress.ts"
import { endpoints } from "./endpoints.ts"
import { type EventSettings, makeEvents } from "./events/events.ts"
import { headersInNameOf } from "./inNameOf.ts"
import { llmsOf } from "./llms.ts"
import { type McpSettings, mcpEndpoints } from "./mcp/endpoint.ts"
import type { Family } from "./metrics/exposition.ts"
import { familiesOf, metricsOf } from "./metrics/metrics.ts"
import { makeTraffic } from "./metrics/traffic.ts"
import { pagesOf } from "./openapi/pages.ts"
import { pageEndpoints } from "./page/endpoints.ts"
import { addressOfCaller, keyOf, keySent } from "./pipeline/caller.ts"
import { jsonHeaders } from "./pipeline/headers.ts"
import { makePipeline, type PipelineSettings } from "./pipeline/pipeline.ts"
import type { Incoming } from "./pipeline/requestResponse.ts"
import type { Run, StreamLimits } from "./pipeline/streaming.ts"
import { makeRequestIds, requestIdHeader, withRequestId } from "./requestId.ts"
import { openSpan, type RequestSpan, tellAtHand } from "./requestSpan.ts"
import { toResponse, withoutBody } from "./response.ts"
import { readSent } from "./sent.ts"
import { type ShapeName, shapesOf } from "./shapes/shapes.ts"
import { originOf, pathAndQueryOf, routableRequest, targetOf } from "./target.ts"

export interface HttpSettings extends PipelineSettings, EventSettings, McpSettings {
  /** Services whose paths are answered here too; absent = none. */
  readonly compatShapes?: ReadonlyArray<ShapeName>
  /** Whether `X-Forwarded-For` is a proxy's word. */
  readonly trustProxy?: boolean
  /** Whether the page at `/` is there; absent = it is. */
  readonly ui?: boolean
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
  const compressor = makeCompressor((settings.answerCacheBytes ?? 0) * compressedShare)
  const peers = new WeakMap<Request, Peer>()
  const requestIdOf = makeRequestIds()
  const addressOf = (request: Request): string =>
    addressOfCaller(request.headers, peers.get(request)?.ip, settings.trustProxy === true)
  const clientOf = (request: Request, key: string | undefined): Client => ({
    header: (name) => request.headers.get(name),
    ask: (target) => {
      const headers = headersInNameOf(request.headers, key, peers.get(request)?.id ?? "")
      return fetch(new Request(`http://localhost${target}`, { headers, signal: request.signal }), addressOf(request))
    },
  })

  const handle =
    (endpoint?: Endpoint) =>
    async ({ request }: { readonly request: Request }): Promise<Response> => {
      const target = targetOf(request.url)
      const [path, query] = pathAndQueryOf(target)
      const read = readSent(peers.get(request)?.sent ?? request, endpoint)
      const { pairs: ofForm, ...sent } = read instanceof Promise ? await read : read
      const pairs = ofForm.length > 0 ? [...parseQuery(query), ...ofForm] : parseQuery(query)
      const key = keySent(endpoint, request.headers, path, pairs)
      const incoming: Incoming = {
        method: request.method,
        target,
        path,
        query: pairs,
        ...sent,
        key,
        origin: () =>
          originOf(
            peers.get(request)?.sent.url ?? request.url,
            settings.trustProxy === true ? request.headers.get("x-forwarded-proto") : undefined,
          ),
        accept: request.headers.get("accept") ?? undefined,
        acceptEncoding: request.headers.get("accept-encoding") ?? undefined,
        ifNoneMatch: request.headers.get("if-none-match") ?? undefined,
        lastEventId: request.headers.get("last-event-id") ?? undefined,
        minBlock: request.headers.get("x-min-block") ?? undefined,
        address: addressOf(request),
        client: clientOf(request, key),
      }
      const started = performance.now()
      const requestId = peers.get(request)?.id ?? ""
      let span: RequestSpan<Ports> | undefined
      const counted = (status: number | undefined) => {
        note({ requestId, endpoint: endpoint?.id, status, tookMs: performance.now() - started })
        span?.end(status)
      }
      try {
        context ??= await runtime.context()
        span = openSpan(withRequestId(context, requestId), endpoint, request, requestId)
        const outgoing = await pipeline.run(endpoint, incoming, span.context, request.signal)
        counted(outgoing?.status)
        // A client that leaves takes its query with it.
        if (outgoing === undefined) return bare(inShapeOf(endpoint, goneProblem(endpoint?.style ?? "native")), request)
        return toResponse(outgoing, request.method, run, compressor, settings.streams)
      } catch (cause) {
        counted(problems.Internal.status)
        return failed(cause, request, endpoint)
      }
    }

  const run: Run<Ports> = (effect) => runtime.runPromiseExit(effect)
  const failed = async (cause: unknown, request: Request, endpoint?: Endpoint): Promise<Response> => {
    const whole = Cause.isCause(cause) ? cause : Cause.die(cause)
    const said = pipeline.failures.error("the HTTP server failed to answer", whole)
    await runtime.runPromiseExit(Effect.annotateLogs(said, { requestId: peers.get(request)?.id ?? "" }))
    return bare(inShapeOf(endpoint, internalProblem(endpoint?.style ?? "native")), request)
  }

  const bare = ({ status, headers, body }: Problem, request: Request): Response =>
    new Response(JSON.stringify(body), {
      status,
      headers: { ...pipeline.commonHeaders(addressOf(request)), ...jsonHeaders, ...headers },
    })

  const sources = { traffic, ...pipeline, streams: events.streams, limits: settings.counter }
  const router = new Elysia({ adapter: WebStandardAdapter, strictPath: true })
  const served = [...endpoints, ...shapesOf(settings.compatShapes ?? [])]
  const mcp = mcpEndpoints(settings)
  const ofPage = settings.ui === false ? [] : pageEndpoints
  const shown = [...served, ...events.endpoints]
  const told = [metricsOf(sources), ...pagesOf(shown), ...mcp, llmsOf(shown, mcp.length > 0), ...ofPage]
  for (const endpoint of [...shown, ...told])
    router.all(endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1"), handle(endpoint))
  for (const path of ofPage.length === 0 ? ["/", "/*"] : ["/*"]) router.all(path, handle())
  // Elysia's own answer to an error would tell the client its message.
  router.onError(({ error, request }) => failed(error, request))

  const note = (answered: Answered, atHand?: Request): void => {
    traffic.count(answered.endpoint, answered.status, answered.tookMs)
    if (context !== undefined) logAnswer(context, answered)
    if (atHand !== undefined) tellAtHand(context, atHand, answered)
  }

  const fetchAtHand = (
    request: Request,
    ip: string | undefined,
    id: string,
  ): Promise<Response | undefined> | undefined => {
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
      address: addressOfCaller(headers, ip, settings.trustProxy === true),
    })
    return search?.then((found) => {
      if (found === undefined) return undefined
      const { endpoint, outgoing } = found
      note({ requestId: id, endpoint, status: outgoing.status, tookMs: performance.now() - started }, request)
      return toResponse(outgoing, request.method, run, compressor, settings.streams)
    })
  }

  const answerTo = async (request: Request, ip: string | undefined, id: string): Promise<Response> => {
    const routable = routableRequest(request)
    peers.set(routable, { ip, sent: request, id })
    try {
      const response = await router.fetch(routable)
      return request.method === "HEAD" ? withoutBody(response) : response
    } catch (cause) {
      return await failed(cause, routable)
    }
  }

  const fetch: App["fetch"] = async (request, ip) => {
    const id = requestIdOf(request.headers)
    const search = fetchAtHand(request, ip, id)
    const response = (search && (await search)) ?? (await answerTo(request, ip, id))
    response.headers.set(requestIdHeader, id)
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

/** Who asks, the request as it came, with its body, and what it is called. */
interface Peer {
  readonly ip: string | undefined
  readonly sent: Request
  readonly id: string
}
