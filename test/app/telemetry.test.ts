/** Traces and metrics as a collector gets them: of requests and of blocks, nothing where nothing is set, and no harm by a collector that is down, slow or hostile. */
import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Fiber, Layer, Logger, ManagedRuntime, References, Tracer } from "effect"
import { metricsTo, tracesTo } from "../../src/app/openTelemetry.ts"
import { telemetryOf, telemetrySettings } from "../../src/app/telemetry.ts"
import { readConfig } from "../../src/config/readConfig.ts"
import { zeroAddress } from "../../src/model/primitives.ts"
import { type Json, prefix } from "../http/support.ts"
import { gold, startWorld } from "../http/world.ts"
import { inWorld } from "../ingest/world.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { FakeNode } from "../support/nodes/fakeNode.ts"

const collectors: Array<{ readonly stop: (now: boolean) => void }> = []
afterAll(() => {
  for (const collector of collectors) collector.stop(true)
})

/** Keeps what it gets, and answers as told. */
const startCollector = (answer: (request: Request) => Response | Promise<Response> = () => new Response("{}")) => {
  const got: Array<{ readonly path: string; readonly headers: Headers; readonly body: Json }> = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      got.push({ path: new URL(request.url).pathname, headers: request.headers, body: await request.json() })
      return answer(request)
    },
  })
  collectors.push(server)
  const spans = (): ReadonlyArray<Json> =>
    got.filter(({ path }) => path === "/v1/traces").flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans)
  const metrics = (): ReadonlyArray<Json> =>
    got.filter(({ path }) => path === "/v1/metrics").at(-1)?.body.resourceMetrics[0].scopeMetrics[0].metrics ?? []
  return { endpoint: `http://127.0.0.1:${server.port}`, got, spans, metrics }
}
const settingsOf = (endpoint: string, patienceMs = 20_000) => ({
  endpoint,
  headers: { "x-collector-key": "secret" },
  serviceName: "cowry-test",
  everyMs: 50,
  patienceMs,
})
/** Of who must not be held up by a collector that says nothing. */
const impatientMs = 300
const until = async (isSo: () => boolean) => {
  for (let look = 0; look < 500 && !isSo(); look++) await Bun.sleep(20)
  expect(isSo()).toBe(true)
}
const attributesOf = (span: Json) =>
  Object.fromEntries(
    span.attributes.map(({ key, value }: Json) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  )

/** A runtime whose tracer it is, for as long as the test lasts. */
const tracing = async (endpoint: string, patienceMs?: number) => {
  const runtime = ManagedRuntime.make(tracesTo(settingsOf(endpoint, patienceMs)))
  const tracer = await runtime.runPromise(Effect.service(Tracer.Tracer))
  return { runtime, layer: Layer.succeed(Tracer.Tracer, tracer) }
}

describe("a collector gets", () => {
  test("a span of each request, by its route, in its caller's trace, with what it is called", async () => {
    const collector = startCollector()
    const { runtime, layer } = await tracing(collector.endpoint)
    const world = await startWorld({ replace: layer })
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
    const secret = `${prefix("43114")}/erc20?limit=2&apikey=my-secret`
    await world.fetch(secret, { headers: { traceparent, "x-request-id": "asked-1" } })
    await world.fetch("/nowhere/my-secret", { headers: { traceparent: "00-zz-01" } })
    await world.fetch(`${prefix("43114")}/erc20`, { headers: { traceparent: traceparent.replace(/01$/, "00") } })
    await until(() => collector.spans().length >= 2)
    await runtime.dispose()
    await world.close()
    const [first, second, ...others] = collector.spans().filter(({ kind }) => kind === 2)
    expect(first).toMatchObject({ traceId, parentSpanId: "00f067aa0ba902b7", status: { code: 1 } })
    expect(first.name).toBe("GET /v2/network/{networkId}/evm/{chainId}/erc20")
    expect(attributesOf(first)).toMatchObject({ "http.response.status_code": 200, "cowry.request_id": "asked-1" })
    expect(second.name).toBe("GET no such path")
    expect(second.traceId).toMatch(/^[0-9a-f]{32}$/)
    // Whose caller's trace is not kept, is not sent either.
    expect(others).toEqual([])
    expect(JSON.stringify(collector.got.map(({ body }) => body))).not.toContain("my-secret")
    const [{ headers, body }] = collector.got as [(typeof collector.got)[number]]
    expect(headers.get("x-collector-key")).toBe("secret")
    expect(JSON.stringify(body.resourceSpans[0].resource)).toContain("cowry-test")
  })

  test("an answer that was at hand has a span too, in its caller's trace, of the time that it took", async () => {
    const collector = startCollector()
    const { runtime, layer } = await tracing(collector.endpoint)
    const world = await startWorld({ replace: layer, answerCacheBytes: 1_000_000 })
    const traceId = "5bf92f3577b34da6a3ce929d0e0e4736"
    const path = `${prefix("43114")}/erc20?limit=2`
    // One that is made where nothing was read before is not kept.
    for (const id of ["first", "made", "at-hand"]) {
      const headers = { "x-request-id": id, traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
      expect((await world.fetch(path, { headers })).status).toBe(200)
    }
    const of = (id: string) =>
      collector
        .spans()
        .map((span) => ({ ...span, attributes: attributesOf(span) }))
        .find(({ attributes }) => attributes["cowry.request_id"] === id)
    await until(() => of("made") !== undefined && of("at-hand") !== undefined)
    await runtime.dispose()
    await world.close()
    const [made, atHand] = [of("made"), of("at-hand")]
    expect(made.attributes["cowry.at_hand"]).toBeUndefined()
    expect(atHand).toMatchObject({ traceId, parentSpanId: "00f067aa0ba902b7", name: made.name, status: { code: 1 } })
    expect(atHand.attributes).toMatchObject({
      "cowry.at_hand": true,
      "cowry.request_id": "at-hand",
      "http.response.status_code": 200,
    })
    const tookNanos = BigInt(atHand.endTimeUnixNano) - BigInt(atHand.startTimeUnixNano)
    expect(tookNanos >= 0n && tookNanos < 5_000_000_000n).toBe(true)
  })

  test("an answer that was at hand is told by its own path, of several that answer alike", async () => {
    const collector = startCollector()
    const { runtime, layer } = await tracing(collector.endpoint)
    const world = await startWorld({ replace: layer, answerCacheBytes: 1_000_000 })
    const query = `module=stats&action=tokensupply&contractaddress=${gold}`
    const routes = {
      "/v2/api": `/v2/api?chainid=43114&${query}`,
      "/{chainId}/api": `/43114/api?${query}`,
      "/v2/network/{networkId}/evm/{chainId}/etherscan/api": `${prefix("43114")}/etherscan/api?${query}`,
    }
    // One that is made where nothing was read before is not kept.
    for (const path of Object.values(routes))
      for (let time = 0; time < 3; time++) await (await world.fetch(path)).text()
    const told = () =>
      collector
        .spans()
        .map((span) => attributesOf(span))
        .filter((attributes) => attributes["cowry.at_hand"] === true)
        .map((attributes) => attributes["http.route"])
    await until(() => told().length >= 3)
    await runtime.dispose()
    const metrics = await (await world.fetch("/metrics")).text()
    await world.close()
    expect([...new Set(told())].sort()).toEqual(Object.keys(routes).sort())
    expect(metrics).toMatch(/cowry_http_requests_total\{endpoint="compat",status="2xx"\} 9/)
  })

  test("a trace of blocks that are taken in: headers, logs, rows and the append, one trace after the other", async () => {
    const collector = startCollector()
    const { runtime, layer } = await tracing(collector.endpoint)
    const chain = new TestChain()
    for (let made = 0; made < 3; made++) chain.block([transfer(address(0x70), zeroAddress, address(0xa), 1n)])
    const story = inWorld({ node: new FakeNode(chain), tracer: layer }, (world) =>
      Effect.gen(function* () {
        yield* world.caughtUp(chain)
        chain.block([transfer(address(0x70), zeroAddress, address(0xa), 1n)])
        yield* world.caughtUp(chain)
      }),
    )
    await story
    await until(() => collector.spans().filter(({ name }) => name === "blocks").length >= 2)
    await runtime.dispose()
    const spans = collector.spans()
    const roots = spans.filter(({ name }) => name === "blocks")
    expect(new Set(roots.map((root) => root.traceId)).size).toBe(roots.length)
    const last = roots.at(-1)
    expect(attributesOf(last)).toMatchObject({ first: chain.nextBlock - 1, last: chain.nextBlock - 1 })
    const parts = spans.filter(({ traceId, spanId }) => traceId === last.traceId && spanId !== last.spanId)
    const names = parts.filter(({ parentSpanId }) => parentSpanId === last.spanId).map(({ name }) => name)
    expect(names.filter((name) => name.startsWith("blocks."))).toEqual([
      "blocks.headers",
      "blocks.logs",
      "blocks.rows",
      "blocks.append",
    ])
  })

  test("the metrics of /metrics, by the same names, labels and figures", async () => {
    const collector = startCollector()
    const world = await startWorld()
    await world.fetch(`${prefix("43114")}/erc20`)
    const sending = Effect.runFork(metricsTo(settingsOf(collector.endpoint), world.app.metrics))
    await until(() => collector.metrics().length > 0)
    const page = await (await world.fetch("/metrics")).text()
    await Effect.runPromise(Fiber.interrupt(sending))
    await world.close()
    const families = [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`)
    const kindOf = (metric: Json) => (metric.gauge ? "gauge" : metric.histogram ? "histogram" : "counter")
    expect(
      collector
        .metrics()
        .map((metric) => `${metric.name} ${kindOf(metric)}`)
        .sort(),
    ).toEqual(families.sort())
    const transfers = collector.metrics().find(({ name }) => name === "cowry_ledger_transfers")
    const told = transfers.gauge.dataPoints.map((point: Json) => [attributesOf(point), point.asDouble])
    expect(told).toContainEqual([{ chain: "43114", standard: "erc20" }, 5])
    const durations = collector.metrics().find(({ name }) => name === "cowry_http_request_duration_seconds")
    const [point] = durations.histogram.dataPoints
    expect([point.count, point.bucketCounts.length]).toEqual([1, point.explicitBounds.length + 1])
  })
})

describe("nothing is harmed by a collector that", () => {
  const never = new Promise<Response>(() => {})
  const endless = () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) }))
  const cases: ReadonlyArray<readonly [string, (() => Response | Promise<Response>) | undefined]> = [
    ["is down", undefined],
    ["never answers", () => never],
    ["answers without an end", endless],
    [
      "wants to be asked again in a thousand years",
      () => new Response("", { status: 429, headers: { "retry-after": "31536000000" } }),
    ],
    ["sends the requests elsewhere", () => Response.redirect("http://127.0.0.1:1/", 307)],
  ]
  test.each(cases)("%s", async (_, answer) => {
    const collector = answer === undefined ? { endpoint: "http://127.0.0.1:1", got: [] } : startCollector(answer)
    const { endpoint, got } = collector
    const { runtime, layer } = await tracing(endpoint, impatientMs)
    const world = await startWorld({ replace: layer })
    const sending = Effect.runFork(metricsTo(settingsOf(endpoint, impatientMs), world.app.metrics))
    const answers = []
    for (let asked = 0; asked < 100; asked++) {
      answers.push((await world.fetch(`${prefix("43114")}/erc20?limit=${(asked % 50) + 1}`)).status)
      if (asked % 20 === 0) await Bun.sleep(60)
    }
    expect(new Set(answers)).toEqual(new Set([200]))
    const began = performance.now()
    await Promise.all([runtime.dispose(), Effect.runPromise(Fiber.interrupt(sending)), world.close()])
    // It is left alone for a minute by each of the two exporters, and asked once more at the end by those that it did not fail.
    if (answer !== endless) expect(got.length).toBeLessThanOrEqual(4)
    // The end waits for it a second, and a bit on a busy machine.
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})

test("a collector that takes nothing is told of, with its reason and without its key", async () => {
  const refusing = startCollector(() => new Response("my-secret", { status: 403 }))
  const told: Array<string> = []
  const log = Logger.layer([Logger.make(({ message, logLevel }) => void told.push(`${logLevel} ${message}`))])
  const runtimes = ["http://127.0.0.1:1", refusing.endpoint].map((endpoint) =>
    ManagedRuntime.make(tracesTo(settingsOf(endpoint)).pipe(Layer.provideMerge(log))),
  )
  for (const runtime of runtimes) {
    const before = told.length
    await runtime.runPromise(Effect.useSpan("asked", { root: true }, () => Effect.void))
    await until(() => told.length > before)
    await runtime.dispose()
  }
  const [down, refused, ...others] = told
  expect(down).toMatch(
    /^Warn the collector at 127\.0\.0\.1:1 does not take \/v1\/traces: it cannot be reached \(\w+\); /,
  )
  expect(refused).toContain("does not take /v1/traces: it answers 403; ")
  expect(others).toEqual([])
})

describe("the settings", () => {
  const base = { RPC_URL_1: "http://node.example" }
  const configOf = (more: Record<string, string>) => {
    const config = readConfig({ ...base, ...more })
    if ("problems" in config) throw new Error(config.problems.join("; "))
    return config
  }

  test("make no span where no endpoint is set", async () => {
    expect(telemetrySettings(configOf({}))).toBeUndefined()
    const isOn = Effect.service(References.TracerEnabled)
    expect(await Effect.runPromise(Effect.provide(isOn, telemetryOf(configOf({}))))).toBe(false)
  })

  test("are those of OpenTelemetry; no header is shown where one is wrong", () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = "https://otel.example:4318"
    const given = {
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20my-secret,x-team=a",
    }
    expect(telemetrySettings(configOf(given))).toEqual({
      endpoint: OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: { authorization: "Bearer my-secret", "x-team": "a" },
      serviceName: "cowry",
    })
    for (const wrong of ["my-secret", "a b=my-secret", "x=my-secret%0d%0aevil:1", "x=my-secret%zz"]) {
      const { problems } = readConfig({ ...base, OTEL_EXPORTER_OTLP_HEADERS: wrong }) as {
        problems: ReadonlyArray<string>
      }
      expect(problems).toHaveLength(1)
      expect(problems.join()).not.toContain("my-secret")
    }
  })
})
