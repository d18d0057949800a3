/** The service as one function from request to response: Elysia finds the row of the endpoint table, the pipeline answers. */
import { Cause, Exit, type ManagedRuntime } from "effect"
import { Elysia } from "elysia"
import { WebStandardAdapter } from "elysia/adapter/web-standard"
import type { Endpoint, Style } from "./contract/endpoint.ts"
import type { Ports } from "./contract/ports.ts"
import { parseQuery } from "./contract/query.ts"
import { goneProblem, internalProblem, type Problem, problems } from "./contract/statuses.ts"
import { endpoints } from "./endpoints.ts"
import { type Form, readForm } from "./form.ts"
import { metricsOf } from "./metrics/metrics.ts"
import { makeTraffic } from "./metrics/traffic.ts"
import { pagesOf } from "./openapi/pages.ts"
import { pageEndpoints } from "./page/endpoints.ts"
import { addressOfCaller, keyOf } from "./pipeline/caller.ts"
import { jsonHeaders } from "./pipeline/headers.ts"
import { makePipeline, type PipelineSettings } from "./pipeline/pipeline.ts"
import type { Incoming, Outgoing } from "./pipeline/requestResponse.ts"
import type { Run, StreamLimits } from "./pipeline/streaming.ts"
import { toResponse, withoutBody } from "./response.ts"
import { originOf, pathAndQueryOf, routableRequest, targetOf } from "./target.ts"

export interface HttpSettings extends PipelineSettings {
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
}

type Runtime = Pick<ManagedRuntime.ManagedRuntime<Ports, unknown>, "runPromiseExit">

export const makeApp = (runtime: Runtime, settings: HttpSettings): App => {
  const pipeline = makePipeline(settings)
  const traffic = makeTraffic()
  const peers = new WeakMap<Request, Peer>()
  const addressOf = (request: Request): string =>
    addressOfCaller(request.headers, peers.get(request)?.ip, settings.trustProxy === true)
  const formOf = (request: Request, endpoint: Endpoint | undefined) =>
    request.method === "POST" && endpoint?.style === "compat" ? readForm(peers.get(request)?.sent ?? request) : noForm

  const handle =
    (endpoint?: Endpoint) =>
    async ({ request }: { readonly request: Request }): Promise<Response> => {
      const [path, query] = pathAndQueryOf(request.url)
      const form = await formOf(request, endpoint)
      const pairs = "pairs" in form ? [...parseQuery(query), ...form.pairs] : parseQuery(query)
      const incoming: Incoming = {
        method: request.method,
        target: targetOf(request.url),
        path,
        query: pairs,
        ...("problem" in form ? { formProblem: form.problem } : {}),
        key: keyOf(request.headers, pairs, endpoint?.style ?? "native"),
        origin: originOf(
          peers.get(request)?.sent.url ?? request.url,
          settings.trustProxy === true ? request.headers.get("x-forwarded-proto") : undefined,
        ),
        accept: request.headers.get("accept") ?? undefined,
        ifNoneMatch: request.headers.get("if-none-match") ?? undefined,
        address: addressOf(request),
      }
      const started = performance.now()
      // A client that leaves takes its query with it.
      const exit = await runtime.runPromiseExit(pipeline.run(endpoint, incoming), { signal: request.signal })
      traffic.count(endpoint?.id, statusOf(exit), performance.now() - started)
      if (Exit.isSuccess(exit)) return toResponse(exit.value, request.method, run, settings.streams)
      const style = endpoint?.style ?? "native"
      return Cause.hasInterruptsOnly(exit.cause)
        ? bare(goneProblem(style), request)
        : failed(exit.cause, request, style)
    }

  const run: Run<Ports> = (effect) => runtime.runPromiseExit(effect)

  const failed = async (cause: unknown, request: Request, style: Style = "native"): Promise<Response> => {
    const whole = Cause.isCause(cause) ? cause : Cause.die(cause)
    await runtime.runPromiseExit(pipeline.failures.error("the HTTP server failed to answer", whole))
    return bare(internalProblem(style), request)
  }

  const bare = ({ status, headers, body }: Problem, request: Request): Response =>
    new Response(JSON.stringify(body), {
      status,
      headers: { ...pipeline.commonHeaders(addressOf(request)), ...jsonHeaders, ...headers },
    })

  const router = new Elysia({ adapter: WebStandardAdapter, strictPath: true })
  const ofPage = settings.ui === false ? [] : pageEndpoints
  for (const endpoint of [...endpoints, metricsOf({ traffic, ...pipeline }), ...pagesOf(endpoints), ...ofPage])
    router.all(endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1"), handle(endpoint))
  if (ofPage.length === 0) router.all("/", handle())
  router.all("/*", handle())
  // Elysia's own answer to an error would tell the client its message.
  router.onError(({ error, request }) => failed(error, request))

  const fetchAtHand = async (request: Request, ip: string | undefined): Promise<Response | undefined> => {
    const { headers } = request
    const started = performance.now()
    const found = await pipeline.findAtHand({
      method: request.method,
      target: targetOf(request.url),
      key: keyOf(headers, [], "native"),
      accept: headers.get("accept") ?? undefined,
      ifNoneMatch: headers.get("if-none-match") ?? undefined,
      address: addressOfCaller(headers, ip, settings.trustProxy === true),
    })
    if (found === undefined) return undefined
    traffic.count(found.endpoint, found.outgoing.status, performance.now() - started)
    return toResponse(found.outgoing, request.method, run, settings.streams)
  }

  return {
    fetch: async (request, ip) => {
      const atHand = await fetchAtHand(request, ip)
      if (atHand !== undefined) return atHand
      const routable = routableRequest(request)
      peers.set(routable, { ip, sent: request })
      try {
        const response = await router.fetch(routable)
        return request.method === "HEAD" ? withoutBody(response) : response
      } catch (cause) {
        return await failed(cause, routable)
      }
    },
  }
}

/** Who asks, and the request as it came: with its body. */
interface Peer {
  readonly ip: string | undefined
  readonly sent: Request
}

const noForm: Form = { pairs: [] }

/** undefined = the caller left. */
const statusOf = (exit: Exit.Exit<Outgoing, unknown>): number | undefined => {
  if (Exit.isSuccess(exit)) return exit.value.status
  return Cause.hasInterruptsOnly(exit.cause) ? undefined : problems.Internal.status
}
