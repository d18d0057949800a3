/** The service as one function from request to response: Elysia finds the row of the endpoint table, the pipeline answers. */
import { Cause, type Context, type ManagedRuntime } from "effect"
import { Elysia } from "elysia"
import { WebStandardAdapter } from "elysia/adapter/web-standard"
import type { Client } from "./contract/call.ts"
import type { Endpoint } from "./contract/endpoint.ts"
import type { Ports } from "./contract/ports.ts"
import { parseQuery } from "./contract/query.ts"
import { goneProblem, inShapeOf, internalProblem, type Problem, problems } from "./contract/statuses.ts"
import { makeCompressor } from "./encoding/compress.ts"
import { endpoints } from "./endpoints.ts"
import { type EventSettings, makeEvents } from "./events/events.ts"
import { webhooks } from "./events/webhooks.ts"
import { type Form, readForm, readText } from "./form.ts"
import { llmsOf } from "./llms.ts"
import { type McpSettings, mcpEndpoints } from "./mcp/endpoint.ts"
import { metricsOf } from "./metrics/metrics.ts"
import { makeTraffic } from "./metrics/traffic.ts"
import { pagesOf } from "./openapi/pages.ts"
import { pageEndpoints } from "./page/endpoints.ts"
import { addressOfCaller, keyOf, keySent } from "./pipeline/caller.ts"
import { jsonHeaders } from "./pipeline/headers.ts"
import { makePipeline, type PipelineSettings } from "./pipeline/pipeline.ts"
import type { Incoming } from "./pipeline/requestResponse.ts"
import type { Run, StreamLimits } from "./pipeline/streaming.ts"
import { toResponse, withoutBody } from "./response.ts"
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
  const addressOf = (request: Request): string =>
    addressOfCaller(request.headers, peers.get(request)?.ip, settings.trustProxy === true)
  const formOf = (request: Request, endpoint: Endpoint | undefined) =>
    request.method === "POST" && endpoint?.style === "compat"
      ? readForm(peers.get(request)?.sent ?? request)
      : undefined

  const bodyOf = (request: Request, endpoint: Endpoint | undefined) =>
    ["POST", "PATCH"].includes(request.method) && endpoint?.methods?.includes(request.method) === true
      ? readText(peers.get(request)?.sent ?? request)
      : undefined

  const clientOf = (request: Request, key: string | undefined): Client => ({
    header: (name) => request.headers.get(name),
    ask: (target) => {
      const headers = { ...(key === undefined ? {} : { apikey: key }) }
      const asked = new Request(`http://localhost${target}`, { headers, signal: request.signal })
      return answerTo(asked, addressOf(request))
    },
  })

  const handle =
    (endpoint?: Endpoint) =>
    async ({ request }: { readonly request: Request }): Promise<Response> => {
      const { headers } = request
      const target = targetOf(request.url)
      const [path, query] = pathAndQueryOf(target)
      const sent = formOf(request, endpoint)
      const form = sent === undefined ? noForm : await sent
      const written = bodyOf(request, endpoint)
      const body = written && (await written)
      const inUrl = parseQuery(query)
      const pairs = "pairs" in form && form.pairs.length > 0 ? [...inUrl, ...form.pairs] : inUrl
      const key = keySent(endpoint, headers, path, pairs)
      const incoming: Incoming = {
        method: request.method,
        target,
        path,
        query: pairs,
        ...("problem" in form ? { formProblem: form.problem } : {}),
        ...(body !== undefined && "problem" in body ? { bodyProblem: body.problem } : {}),
        ...(body !== undefined && "text" in body ? { body: body.text } : {}),
        key,
        origin: () =>
          originOf(
            peers.get(request)?.sent.url ?? request.url,
            settings.trustProxy === true ? request.headers.get("x-forwarded-proto") : undefined,
          ),
        accept: headers.get("accept") ?? undefined,
        acceptEncoding: headers.get("accept-encoding") ?? undefined,
        ifNoneMatch: headers.get("if-none-match") ?? undefined,
        lastEventId: headers.get("last-event-id") ?? undefined,
        minBlock: headers.get("x-min-block") ?? undefined,
        address: addressOf(request),
        client: clientOf(request, key),
      }
      const started = performance.now()
      // A client that leaves takes its query with it.
      const style = endpoint?.style ?? "native"
      const counted = (status: number | undefined) => traffic.count(endpoint?.id, status, performance.now() - started)
      try {
        context ??= await runtime.context()
        const outgoing = await pipeline.run(endpoint, incoming, context, request.signal)
        counted(outgoing?.status)
        if (outgoing === undefined) return bare(inShapeOf(endpoint, goneProblem(style)), request)
        return toResponse(outgoing, request.method, run, compressor, settings.streams)
      } catch (cause) {
        counted(problems.Internal.status)
        return failed(cause, request, endpoint)
      }
    }

  const run: Run<Ports> = (effect) => runtime.runPromiseExit(effect)

  const failed = async (cause: unknown, request: Request, endpoint?: Endpoint): Promise<Response> => {
    const whole = Cause.isCause(cause) ? cause : Cause.die(cause)
    await runtime.runPromiseExit(pipeline.failures.error("the HTTP server failed to answer", whole))
    return bare(inShapeOf(endpoint, internalProblem(endpoint?.style ?? "native")), request)
  }

  const bare = ({ status, headers, body }: Problem, request: Request): Response =>
    new Response(JSON.stringify(body), {
      status,
      headers: { ...pipeline.commonHeaders(addressOf(request)), ...jsonHeaders, ...headers },
    })

  const router = new Elysia({ adapter: WebStandardAdapter, strictPath: true })
  const served = [...endpoints, ...shapesOf(settings.compatShapes ?? [])]
  const mcp = mcpEndpoints(settings)
  const ofPage = settings.ui === false ? [] : pageEndpoints
  for (const endpoint of [
    ...served,
    events.endpoint,
    ...webhooks,
    metricsOf({ traffic, ...pipeline, streams: events.streams }),
    ...pagesOf(served),
    ...mcp,
    llmsOf(served, mcp.length > 0),
    ...ofPage,
  ])
    router.all(endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1"), handle(endpoint))
  if (ofPage.length === 0) router.all("/", handle())
  router.all("/*", handle())
  // Elysia's own answer to an error would tell the client its message.
  router.onError(({ error, request }) => failed(error, request))

  const fetchAtHand = (request: Request, ip: string | undefined): Promise<Response | undefined> | undefined => {
    const target = targetOf(request.url)
    if (!pipeline.mayBeAtHand(target)) return undefined
    const { headers } = request
    const started = performance.now()
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
      traffic.count(found.endpoint, found.outgoing.status, performance.now() - started)
      return toResponse(found.outgoing, request.method, run, compressor, settings.streams)
    })
  }

  const answerTo: App["fetch"] = async (request, ip) => {
    const search = fetchAtHand(request, ip)
    const atHand = search && (await search)
    if (atHand !== undefined) return atHand
    const routable = routableRequest(request)
    peers.set(routable, { ip, sent: request })
    try {
      const response = await router.fetch(routable)
      return request.method === "HEAD" ? withoutBody(response) : response
    } catch (cause) {
      return await failed(cause, routable)
    }
  }

  return { endStreams: events.endAll, fetch: answerTo }
}

/** Who asks, and the request as it came: with its body. */
interface Peer {
  readonly ip: string | undefined
  readonly sent: Request
}

const noForm: Form = { pairs: [] }
