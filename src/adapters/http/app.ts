/** The service as one function from request to response: Elysia finds the row of the endpoint table, the pipeline answers. */
import { Cause, Effect, Exit, type ManagedRuntime } from "effect"
import { Elysia } from "elysia"
import { WebStandardAdapter } from "elysia/adapter/web-standard"
import type { Endpoint, Ports, Style } from "./contract/endpoint.ts"
import { goneProblem, internalProblem, type Problem, problems, statuses } from "./contract/problem.ts"
import { parseQuery } from "./contract/query.ts"
import { endpoints } from "./endpoints.ts"
import { metricsOf } from "./metrics/metrics.ts"
import { makeTraffic } from "./metrics/traffic.ts"
import { pages } from "./openapi/pages.ts"
import { addressOfCaller, keyOf } from "./pipeline/caller.ts"
import { jsonHeaders } from "./pipeline/headers.ts"
import { makePipeline, type Outgoing, type PipelineSettings } from "./pipeline/pipeline.ts"
import { type Run, streamOf } from "./pipeline/streaming.ts"

export interface HttpSettings extends PipelineSettings {
  /** Whether `X-Forwarded-For` is a proxy's word. */
  readonly trustProxy?: boolean
}

export interface App {
  /** `ip` is the address of the peer. Never rejects. */
  readonly fetch: (request: Request, ip?: string) => Promise<Response>
}

type Runtime = Pick<ManagedRuntime.ManagedRuntime<Ports, unknown>, "runPromiseExit">

export const makeApp = (runtime: Runtime, settings: HttpSettings): App => {
  const pipeline = makePipeline(settings)
  const traffic = makeTraffic()
  const peers = new WeakMap<Request, string>()
  const addressOf = (request: Request): string =>
    addressOfCaller(request.headers, peers.get(request), settings.trustProxy === true)

  const handle =
    (endpoint?: Endpoint) =>
    async ({ request }: { readonly request: Request }): Promise<Response> => {
      const [path, query] = split(targetOf(request.url))
      const pairs = parseQuery(query)
      const incoming = {
        method: request.method,
        path,
        query: pairs,
        key: keyOf(request.headers, pairs, endpoint?.style ?? "native"),
        accept: request.headers.get("accept") ?? undefined,
        ifNoneMatch: request.headers.get("if-none-match") ?? undefined,
        address: addressOf(request),
      }
      const started = performance.now()
      // A client that leaves takes its query with it.
      const exit = await runtime.runPromiseExit(pipeline.run(endpoint, incoming), { signal: request.signal })
      traffic.count(endpoint?.id, statusOf(exit), performance.now() - started)
      if (Exit.isSuccess(exit)) return toResponse(exit.value, request.method, run)
      const style = endpoint?.style ?? "native"
      return Cause.hasInterruptsOnly(exit.cause)
        ? bare(goneProblem(style), request)
        : failed(exit.cause, request, style)
    }

  const run: Run<Ports> = (effect) => runtime.runPromiseExit(effect)

  const failed = async (cause: unknown, request: Request, style: Style = "native"): Promise<Response> => {
    await runtime.runPromiseExit(Effect.logError("the HTTP server failed to answer", cause))
    return bare(internalProblem(style), request)
  }

  const bare = ({ status, headers, body }: Problem, request: Request): Response =>
    new Response(JSON.stringify(body), {
      status,
      headers: { ...pipeline.commonHeaders(addressOf(request)), ...jsonHeaders, ...headers },
    })

  const router = new Elysia({ adapter: WebStandardAdapter, strictPath: true })
  for (const endpoint of [...endpoints, metricsOf(traffic), ...pages])
    router.all(endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1"), handle(endpoint))
  router.all("/", handle()).all("/*", handle())
  // Elysia's own answer to an error would tell the client its message.
  router.onError(({ error, request }) => failed(error, request))

  return {
    fetch: async (request, ip) => {
      const routable = routableRequest(request)
      if (ip !== undefined) peers.set(routable, ip)
      try {
        const response = await router.fetch(routable)
        return request.method === "HEAD" ? withoutBody(response) : response
      } catch (cause) {
        return await failed(cause, routable)
      }
    },
  }
}

/** undefined = the caller left. */
const statusOf = (exit: Exit.Exit<Outgoing, unknown>): number | undefined => {
  if (Exit.isSuccess(exit)) return exit.value.status
  return Cause.hasInterruptsOnly(exit.cause) ? undefined : problems.Internal.status
}

/** Path and query as the client sent them. Without a usable Host header some servers give them alone. */
const targetOf = (url: string): string => {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3)
  return start === -1 ? "/" : (url.slice(start).split("#", 1)[0] ?? "/")
}

const split = (target: string): readonly [path: string, query: string] => {
  const mark = target.indexOf("?")
  return mark === -1 ? [target, ""] : [target.slice(0, mark), target.slice(mark + 1)]
}

/** Elysia looks for the path behind the eleventh character: a shorter host, or none, would hide it. */
const routableRequest = (request: Request): Request => {
  const target = targetOf(request.url)
  return request.url.indexOf("/", 11) === request.url.length - target.length
    ? request
    : new Request(`http://localhost${target}`, {
        method: request.method,
        headers: request.headers,
        signal: request.signal,
      })
}

/** A HEAD carries its body up to `withoutBody`: Elysia measures and strips some of them itself. One in pieces never begins. */
const toResponse = ({ status, headers, text, chunks }: Outgoing, method: string, run: Run<Ports>): Response => {
  if (chunks !== undefined) {
    if (method !== "HEAD") return new Response(streamOf(chunks, run), { status, headers })
    void run(chunks.close)
  }
  return new Response(text ?? null, {
    status,
    headers: method === "HEAD" && text !== undefined ? { ...headers, "content-length": byteLength(text) } : headers,
  })
}

const byteLength = (text: string): string => String(new TextEncoder().encode(text).byteLength)

/** Elysia says of some answers without a text that it has length 0; of a 304 that would be the length of the text not sent. */
const withoutBody = (response: Response): Response => {
  if (response.status === statuses.notModified) response.headers.delete("content-length")
  return response.body === null ? response : new Response(null, response)
}
