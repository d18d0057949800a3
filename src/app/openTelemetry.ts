/** Traces and metrics to a collector of OpenTelemetry, by Effect's exporters. A collector that is down, slow or hostile costs a few megabytes at most, and nothing waits for it. */
import { ConfigProvider, Effect, Layer, Metric, Option, Tracer } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import { layerFlusher } from "effect/observability/OtlpExporter"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import { layerJson } from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import type { Family, Sample } from "../adapters/http/metrics/exposition.ts"
import { version } from "../adapters/http/openapi/info.ts"
import { makePerSecond } from "../model/time/perSecond.ts"

export interface TelemetrySettings {
  /** `/v1/traces` and `/v1/metrics` are put behind it. */
  readonly endpoint: string
  /** May hold secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** Between two exports; default 10 seconds. */
  readonly everyMs?: number
  /** Until a collector must have taken one; default 10 seconds. */
  readonly patienceMs?: number
}

/** Spans that are exported: of more in a second the traces that begin then are left out. */
const mostPerSecond = 500
const shutdownTimeout = 1000

const optionsOf = ({ endpoint, headers, serviceName, everyMs = 10_000 }: TelemetrySettings, path: string) => ({
  url: `${endpoint.replace(/\/+$/, "")}${path}`,
  headers,
  resource: { serviceName, serviceVersion: version },
  exportInterval: everyMs,
  shutdownTimeout,
})

/**
 * One try, and nothing of the answer but its status is read. Whatever fails is a refusal for good: then the exporter throws
 * away what it has and is quiet for a minute. It would keep all of it meanwhile if it were to try again.
 */
const clientOf = ({ patienceMs = 10_000 }: TelemetrySettings) => {
  /** Why the collector took nothing the last time. */
  let fault: string | undefined
  return HttpClient.make((request, url, signal) =>
    Effect.gen(function* () {
      const { body, headers, method } = request
      const answer = yield* Effect.promise(() =>
        fetch(url, {
          method,
          headers: { ...headers },
          ...(body._tag === "Uint8Array" && { body: body.body as Uint8Array<ArrayBuffer> }),
          redirect: "manual",
          signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
        }).catch((cause) => reasonOf(cause)),
      )
      if (typeof answer !== "string") yield* Effect.promise(async () => answer.body?.cancel().catch(() => {}))
      const now = typeof answer === "string" ? answer : answer.ok ? undefined : `it answers ${answer.status}`
      // Told once, and once more when it is over: not each minute.
      if (now !== undefined && fault === undefined && !signal.aborted)
        yield* Effect.logWarning(
          `the collector at ${url.host} does not take ${url.pathname}: ${now}; it is left out meanwhile`,
        )
      if (now === undefined && fault !== undefined)
        yield* Effect.logInfo(`the collector at ${url.host} takes ${url.pathname} again`)
      fault = now
      return HttpClientResponse.fromWeb(request, new Response(null, { status: now === undefined ? 200 : 400 }))
    }),
  )
}

/** In a word of the runtime: nothing of an address or a header. */
const reasonOf = (cause: unknown): string => {
  const { code, name } = Object(cause) as { readonly code?: unknown; readonly name?: unknown }
  return `it cannot be reached (${typeof code === "string" ? code : String(name ?? "unknown")})`
}

/** The exporters would read more of the environment, and fail where that is malformed. */
const ground = (settings: TelemetrySettings) =>
  Layer.mergeAll(
    layerFlusher,
    layerJson,
    Layer.succeed(HttpClient.HttpClient, clientOf(settings)),
    ConfigProvider.layer(ConfigProvider.fromUnknown({})),
  )

/** The tracer of the service. Only what says that it is a root begins a trace: what never ends would hold all others as its parts. */
export const tracesTo = (settings: TelemetrySettings) =>
  Layer.effect(
    Tracer.Tracer,
    Effect.map(OtlpTracer.make(optionsOf(settings, "/v1/traces")), (tracer) => {
      const budget = makePerSecond(mostPerSecond)
      return Tracer.make({
        span: (options) => {
          const belongs = options.root || Option.exists(options.parent, ({ sampled }) => sampled)
          return tracer.span({ ...options, sampled: options.sampled && belongs && budget() })
        },
      })
    }),
  ).pipe(Layer.provide(ground(settings)))

/** Never ends. The very metrics of `/metrics`, by the same names. */
export const metricsTo = Effect.fnUntraced(function* (
  settings: TelemetrySettings,
  families: Effect.Effect<ReadonlyArray<Family>>,
) {
  const { everyMs = 10_000 } = settings
  const registry: Map<string, Metric.Metric.Metadata<never, never>> = new Map()
  const look = Effect.map(families, (found) => {
    registry.clear()
    for (const family of found) for (const [key, metric] of metricsOf(family)) registry.set(key, metric)
  })
  yield* look
  const exporting = OtlpMetrics.make(optionsOf(settings, "/v1/metrics")).pipe(
    Effect.provideService(Metric.MetricRegistry, registry as never),
    Effect.provide(ground(settings)),
  )
  yield* Effect.scoped(Effect.andThen(exporting, Effect.forever(Effect.delay(look, everyMs / 2))))
})

/** What the exporter reads of a metric. */
const metricsOf = ({ name, type, help, samples }: Family) => {
  const metric = (labels: Sample["labels"] = {}, kind: string, state: unknown) =>
    [
      `${name} ${JSON.stringify(labels)}`,
      { id: name, type: kind, description: help, attributes: labels, hooks: { get: () => state } } as never,
    ] as const
  if (type === "histogram")
    return histogramsOf(samples).map(({ labels, ...state }) => metric(labels, "Histogram", state))
  return samples.flatMap(({ labels, value }) => {
    if (value === undefined) return []
    return type === "counter"
      ? [metric(labels, "Counter", { count: value, incremental: true })]
      : [metric(labels, "Gauge", { value })]
  })
}

/** Buckets, sum and count of the same labels together. */
const histogramsOf = (samples: ReadonlyArray<Sample>) => {
  const found = new Map<
    string,
    { labels: Record<string, string>; buckets: Array<[number, number]>; sum: number; count: number }
  >()
  for (const { suffix, labels = {}, value = 0 } of samples) {
    const { le, ...others } = labels
    const key = JSON.stringify(others)
    const own = found.get(key) ?? { labels: others, buckets: [], sum: 0, count: 0 }
    found.set(key, own)
    if (suffix === "_sum") own.sum = value
    else if (suffix === "_count") own.count = value
    else own.buckets.push([le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le), value])
  }
  return [...found.values()]
}
