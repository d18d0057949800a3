/** `/metrics`: the whole text on a fixed world, read by a strict reader of the format; few series whatever is asked; no secret. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { Effect, Layer } from "effect"
import { expositionOf, type Family } from "../../../src/adapters/http/metrics/exposition.ts"
import { makeTraffic } from "../../../src/adapters/http/metrics/traffic.ts"
import { version } from "../../../src/adapters/http/openapi/info.ts"
import { QueryTooSlow, StoreUnavailable } from "../../../src/model/errors.ts"
import type { FaultCounts } from "../../../src/model/fault.ts"
import { steadyMillis } from "../../../src/model/time/steadyClock.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { Networks } from "../../../src/ports/Networks.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { always } from "../../support/always.ts"
import { chains, prefix, type ServiceOptions, startService, syncStatus, type TestService } from "../support.ts"
import { gold, startWorld } from "../world.ts"
import { type ReadFamily, readExposition } from "./expositionJudge.ts"

const avax = prefix("43114")

const metricsOf = async (service: TestService): Promise<ReadonlyMap<string, ReadFamily>> => {
  const { status, headers, ...response } = await scrape(service)
  expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
    "no-store",
  ])
  return readExposition(response.text)
}
const scrape = async (service: TestService) => {
  const response = await service.fetch("/metrics")
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const valuesOf = (families: ReadonlyMap<string, ReadFamily>, name: string) =>
  Object.fromEntries(families.get(name)?.samples ?? [])

const steadyNow = () => Effect.runSync(steadyMillis)

/** Whatever kinds there are is shown. */
const faults = (counts: Readonly<Record<string, number>>) => ({ faults: counts as FaultCounts })
const statusesOfWorld = [
  syncStatus("1", {
    ...faults({ call: 0 }),
    phase: "stopped",
    problem: "https://user:secret@node.example says no",
    firstBlock: 20,
  }),
  syncStatus("10", { ...faults({}), heardAt: steadyNow(), pollMs: 3_600_000 }),
  // Followed elsewhere, whose node was silent for longer than that one was.
  syncStatus("43113", { ...faults({}), elsewhere: true, toldAt: steadyNow(), heardAt: steadyNow() - 600_000 }),
  syncStatus("43114", {
    headBlock: 9,
    indexedBlock: 4,
    finalizedBlock: 2,
    logs: 17,
    skipped: { malformed: 3, unknownPool: 1 },
    reorgs: { count: 2, blocks: 5, deepest: 4 },
    history: {
      source: "https://portal.example",
      isUsed: true,
      logs: { history: 15, node: 2 },
      blocks: { history: 3, node: 1 },
      bytes: 9000,
      compared: 2,
    },
    ...faults({ behind: 7, call: 1 }),
  }),
]

/** What differs from one run to the next. */
const varying =
  /^((?:cowry_uptime_seconds|cowry_(?:node|writer)_silence_seconds\{.*\}|process_\w+|cowry_http_request_duration_seconds_(?:bucket|sum)\{.*\}) )(?:\d\S*)$/gm
const build = `version="${version}",runtime="bun ${Bun.version}"`
const whole = readFileSync(new URL("metrics.txt", import.meta.url), "utf8")

describe("the page", () => {
  test("tells all of a fixed world, whole", async () => {
    const service = await startWorld({ status: statusesOfWorld })
    await service.fetch(`${avax}/erc20`)
    await service.fetch(`${avax}/erc20?limit=x`)
    await service.fetch("/nowhere")
    const { text } = await scrape(service)
    await service.close()
    readExposition(text)
    expect(text.replaceAll(varying, "$1*").replace(build, "*")).toBe(whole)
  })

  test("has what docs/operations.md says, and nothing else", async () => {
    const service = await startWorld({ status: statusesOfWorld })
    await service.fetch("/health")
    const families = await metricsOf(service)
    await service.close()
    const docs = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8")
    const rows = docs.split("\n").filter((line) => /^\| `(?:cowry|process)_/.test(line))
    const documented = rows.flatMap((row) => row.split(" | ")[0]!.match(/\w{8,}/g) ?? [])
    expect([...families.keys()].sort()).toEqual([...documented].sort())
  })

  test("is open: no key is needed, no limit counts it, and it says nothing of a chain's block in headers", async () => {
    const service = await startService({ strictKeys: true, rateLimitRpm: 1 })
    for (let call = 0; call < 3; call++) {
      const { status, headers } = await scrape(service)
      expect([status, headers.get("x-ratelimit-rpm-remaining"), headers.get("x-as-of-block")]).toEqual([200, "1", null])
    }
    await service.close()
  })

  test("holds no word of what is wrong, no key and no URL", async () => {
    const service = await startWorld({ status: statusesOfWorld, strictKeys: true })
    await service.fetch(`${avax}/erc20?apikey=secret-key`)
    await service.fetch("/secret-path")
    const { text } = await scrape(service)
    expect(text).not.toMatch(/secret|node\.example|:\/\//)
    await service.close()
  })
})

describe("chains", () => {
  const read = async (options: ServiceOptions) => {
    const service = await startWorld(options)
    const families = await metricsOf(service)
    await service.close()
    return families
  }

  test("that nothing is known of have what is known, and no made-up numbers", async () => {
    const families = await read({ status: [syncStatus("10", { phase: "waiting" })] })
    const ofChain = [...families].filter(([, { samples }]) =>
      [...samples.keys()].some((key) => key.includes('chain="10"')),
    )
    expect(ofChain.map(([name]) => name)).toEqual([
      "cowry_chain_ready",
      "cowry_chain_phase",
      "cowry_chain_problem",
      "cowry_chain_standby",
      "cowry_chain_first_block",
      "cowry_chain_max_lag_blocks",
      "cowry_chain_logs_total",
      "cowry_chain_skipped_logs_total",
      "cowry_chain_reorgs_total",
      "cowry_chain_reorged_blocks_total",
      "cowry_chain_deepest_reorg_blocks",
      "cowry_chain_healed_logs_total",
      "cowry_node_faults_total",
    ])
  })

  test("whose node is silent say for how long, and are not ready", async () => {
    const heardAt = steadyNow() - 90_000
    const families = await read({ status: [syncStatus("43114", { headBlock: 4, indexedBlock: 4, heardAt })] })
    const silence = families.get("cowry_node_silence_seconds")?.samples.get('cowry_node_silence_seconds{chain="43114"}')
    expect(silence).toBeGreaterThanOrEqual(90)
    expect(valuesOf(families, "cowry_chain_ready")).toEqual({ 'cowry_chain_ready{chain="43114"}': 0 })
    expect(valuesOf(families, "cowry_chain_problem")).toEqual({ 'cowry_chain_problem{chain="43114"}': 1 })
  })

  test("that stand by have no problem while another process tells that it follows them, and have one where none does", async () => {
    const waits = {
      phase: "waiting",
      headBlock: 9_000_000,
      indexedBlock: 4,
      awaitsLedger: true,
      problem: "waiting for the ledger: another instance writes it, or the database has no connection left",
    } as const
    const now = steadyNow()
    const families = await read({
      status: [
        syncStatus("1", { ...waits, toldAt: now - 2000 }),
        // Nobody tells, or not any more: nobody may follow it.
        syncStatus("10", waits),
        syncStatus("43113", { ...waits, toldAt: now - 90_000 }),
        // Its own node is silent, whoever follows the chain.
        syncStatus("43114", { ...waits, toldAt: now - 2000, heardAt: now - 90_000 }),
      ],
    })
    const ofChains = (name: string) =>
      ["1", "10", "43113", "43114"].map((chain) => families.get(name)?.samples.get(`${name}{chain="${chain}"}`))
    expect(ofChains("cowry_chain_standby")).toEqual([1, 0, 0, 1])
    expect(ofChains("cowry_chain_problem")).toEqual([0, 1, 1, 1])
    expect(ofChains("cowry_chain_ready")).toEqual([0, 0, 0, 0])
  })

  test("that are followed elsewhere say since when they were not told of, and nothing of a node's silence", async () => {
    const [toldAt, heardAt] = [steadyNow() - 90_000, steadyNow() - 600_000]
    const families = await read({
      status: [syncStatus("1", { heardAt }), syncStatus("43114", { elsewhere: true, toldAt, heardAt })],
    })
    const silent = (of: string) => Object.entries(valuesOf(families, `cowry_${of}_silence_seconds`))
    expect(silent("node").map(([name]) => name)).toEqual(['cowry_node_silence_seconds{chain="1"}'])
    expect(silent("writer")).toEqual([['cowry_writer_silence_seconds{chain="43114"}', expect.any(Number)]])
    const [[, seconds = 0] = []] = silent("writer")
    expect(seconds).toBeGreaterThanOrEqual(90)
    expect(seconds).toBeLessThan(500)
  })

  test("are told by the process alone while the store does not answer", async () => {
    const down = Effect.fail(new StoreUnavailable({ cause: new Error("down") }))
    const families = await read({
      status: statusesOfWorld,
      replace: Layer.succeed(Freshness, { asOf: () => down, newest: () => down, touched: () => down }),
    })
    expect(valuesOf(families, "cowry_store_up")).toEqual({ cowry_store_up: 0 })
    expect(valuesOf(families, "cowry_chain_indexed_block")).toEqual({ 'cowry_chain_indexed_block{chain="43114"}': 4 })
    expect(families.has("cowry_chain_indexed_block_timestamp_seconds")).toBe(false)
    expect(families.has("cowry_writer_silence_seconds")).toBe(false)
  })

  test("need not be there for the verdict of /ready", async () => {
    const ready = async (problem: string | undefined) => {
      const networks = { chains: [], role: "reader", problem: () => problem } as const
      const families = await read({ replace: Layer.succeed(Networks, networks) })
      return [valuesOf(families, "cowry_store_up").cowry_store_up, valuesOf(families, "cowry_ready").cowry_ready]
    }
    expect(await ready(undefined)).toEqual([1, 1])
    expect(await ready("no process has told of a chain that it follows")).toEqual([1, 0])
  })

  test("are left out where telling of them fails; the rest stands", async () => {
    const service = await startWorld({
      replace: Layer.succeed(Freshness, {
        newest: () => Effect.undefined,
        touched: () => Effect.undefined,
        asOf: () => Effect.succeed(undefined as never),
      }),
      status: [{ ...syncStatus("1"), skipped: undefined as never }],
    })
    const families = await metricsOf(service)
    expect([families.has("cowry_chain_ready"), families.has("process_resident_memory_bytes")]).toEqual([false, true])
    expect(service.logs.join("\n")).toContain("/metrics: a section is left out")
    await service.close()
  })
})

describe("requests", () => {
  test("are counted by endpoint and class of status, whatever the path's words are", async () => {
    const service = await startWorld({
      rateLimitRpm: 100,
      replace: Layer.succeed(TokenStore, always(Effect.die("a bug"))),
    })
    const etag = (await service.fetch(`${avax}/erc20-transfers`)).headers.get("etag")!
    for (let index = 0; index < 20; index++) {
      await service.fetch(`/made/up/${index}`)
      await service.fetch(`${prefix(String(1000 + index))}/erc20-transfers`)
    }
    await service.fetch(`${avax}/erc20-transfers`, { headers: { "if-none-match": etag } })
    await service.fetch(`${avax}/erc20`)
    await service.fetch(`${avax}/erc20`, { method: "HEAD" })
    await service.fetch(`${avax}/etherscan/api/?module=none`)
    await service.fetch(`${avax}/compat/api`, { method: "PUT" })
    await service.fetch("/ready")
    await service.fetch("/metrics")
    const families = await metricsOf(service)
    expect(valuesOf(families, "cowry_http_requests_total")).toEqual({
      'cowry_http_requests_total{endpoint="erc20-transfers",status="2xx"}': 1,
      'cowry_http_requests_total{endpoint="erc20-transfers",status="4xx"}': 20,
      'cowry_http_requests_total{endpoint="erc20-transfers",status="3xx"}': 1,
      'cowry_http_requests_total{endpoint="none",status="4xx"}': 20,
      'cowry_http_requests_total{endpoint="erc20",status="5xx",kind="internal"}': 2,
      'cowry_http_requests_total{endpoint="compat",status="2xx"}': 1,
      'cowry_http_requests_total{endpoint="compat",status="4xx"}': 1,
      'cowry_http_requests_total{endpoint="ready",status="2xx"}': 1,
      'cowry_http_requests_total{endpoint="metrics",status="2xx"}': 1,
    })
    const durations = valuesOf(families, "cowry_http_request_duration_seconds")
    expect(durations['cowry_http_request_duration_seconds_count{endpoint="erc20-transfers"}']).toBe(22)
    await service.close()
  })

  test("that fail are counted by why, and each kind has a line of the log; a status of 200 is no failure", async () => {
    const faults = [
      new QueryTooSlow({ message: "too wide" }),
      new StoreUnavailable({ cause: new Error("gone") }),
      new QueryTooSlow({ message: "too wide again" }),
    ]
    const loading = { phase: "copying", headBlock: 9 } as const
    const service = await startWorld({
      status: [syncStatus("43114"), syncStatus("10", loading)],
      replace: Layer.mergeAll(
        Layer.succeed(TokenStore, always(Effect.suspend(() => Effect.fail(faults.pop()!)))),
        Layer.succeed(Networks, {
          chains,
          refusal: (asked: ReadonlyArray<string>) => (asked.includes("1") ? "not here" : undefined),
        }),
      ),
    })
    for (let times = 0; times < 3; times++) await service.fetch(`${avax}/erc20?limit=${times + 1}`)
    await service.fetch(`${avax}/erc721-transfers`, { headers: { "x-min-block": "43114:9999999" } })
    await service.fetch(`${prefix("10")}/erc20`)
    await service.fetch(`${prefix("10")}/compat/api?module=stats&action=tokensupply&contractaddress=${gold}`)
    await service.fetch(`${prefix("1")}/erc20`)
    const failed = Object.entries(valuesOf(await metricsOf(service), "cowry_http_requests_total")).flatMap(
      ([name, count]) => (name.includes("5xx") ? [`${/kind="(\w+)"/.exec(name)?.[1]} ${count}`] : []),
    )
    expect(failed.sort()).toEqual([
      "behind_min_block 1",
      "chain_syncing 1",
      "not_served_here 1",
      "query_too_slow 2",
      "store_unavailable 1",
    ])
    const lines = service.logs.map((line) => /erc\S+: (\w+): /.exec(line)?.[1] ?? "the store's")
    expect(lines.sort()).toEqual(["BEHIND_MIN_BLOCK", "CHAIN_SYNCING", "TIMEOUT", "UNAVAILABLE", "the store's"])
    await service.close()
  })

  test("that are refused by a limit are counted", async () => {
    const service = await startWorld({ rateLimitRpm: 2 })
    for (let call = 0; call < 5; call++) await service.fetch(`${avax}/erc20`)
    expect(valuesOf(await metricsOf(service), "cowry_http_rate_limited_total")).toEqual({
      cowry_http_rate_limited_total: 3,
    })
    await service.close()
  })

  test("that their caller left are neither answered nor a fault of the service", async () => {
    const asked = Promise.withResolvers<void>()
    const never = Effect.andThen(
      Effect.sync(() => asked.resolve()),
      Effect.never,
    )
    const service = await startWorld({ replace: Layer.succeed(TokenStore, always(never)) })
    const leaving = new AbortController()
    const answer = service.fetch(`${avax}/erc20`, { signal: leaving.signal })
    await asked.promise
    leaving.abort()
    await answer
    expect(valuesOf(await metricsOf(service), "cowry_http_requests_total")).toEqual({
      'cowry_http_requests_total{endpoint="erc20",status="gone"}': 1,
    })
    await service.close()
  })

  test("of two services in one process are counted apart", async () => {
    const [one, two] = [await startService(), await startService()]
    await one.fetch("/health")
    expect([
      valuesOf(await metricsOf(one), "cowry_http_requests_total"),
      (await metricsOf(two)).has("cowry_http_requests_total"),
    ]).toEqual([{ 'cowry_http_requests_total{endpoint="health",status="2xx"}': 1 }, false])
    await one.close()
    await two.close()
  })

  test("lie in the bucket of their duration, bounds included", () => {
    const traffic = makeTraffic()
    for (const milliseconds of [0, 5, 5.001, 100, 2500, 10_000, 10_001, 60_000])
      traffic.count("erc20", 200, milliseconds)
    const family = readExposition(expositionOf(traffic.families())).get("cowry_http_request_duration_seconds")!
    const bucket = (le: string) => `cowry_http_request_duration_seconds_bucket{endpoint="erc20",le="${le}"}`
    expect(Object.fromEntries(family.samples)).toEqual({
      [bucket("0.005")]: 2,
      [bucket("0.025")]: 3,
      [bucket("0.1")]: 4,
      [bucket("0.5")]: 4,
      [bucket("2.5")]: 5,
      [bucket("10")]: 6,
      [bucket("+Inf")]: 8,
      'cowry_http_request_duration_seconds_sum{endpoint="erc20"}': 82.611001,
      'cowry_http_request_duration_seconds_count{endpoint="erc20"}': 8,
    })
  })
})

describe("the text format", () => {
  const gauge = (patch: Partial<Family>): Family => ({
    name: "a_gauge",
    type: "gauge",
    help: "Of a.",
    samples: [],
    ...patch,
  })

  test("escapes hostile label values and help", () => {
    const hostile = ['"', "\\", "\n", '\\"\n', 'x"} 1\nevil{a="b', "ü\u0000€", "", "\\n"]
    const family = gauge({
      help: "One\nTwo \\ three",
      samples: hostile.map((kind, value) => ({ labels: { kind }, value })),
    })
    const read = readExposition(expositionOf([family])).get("a_gauge")!
    expect(read.help).toBe("One\nTwo \\ three")
    expect([...read.samples]).toEqual(hostile.map((kind, value) => [`a_gauge{kind=${JSON.stringify(kind)}}`, value]))
  })

  test("writes numbers as Go reads them, and leaves out what is not known", () => {
    const values = [0, -0, 1.5, 1e21, 1e-9, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, undefined]
    const samples = values.map((value, index) => ({ labels: { index: String(index) }, value }))
    expect(expositionOf([gauge({ samples }), gauge({ name: "b", samples: [{ value: undefined }] })])).toBe(
      [
        "# HELP a_gauge Of a.",
        "# TYPE a_gauge gauge",
        ...["0", "0", "1.5", "1e+21", "1e-9", "NaN", "+Inf", "-Inf"].map(
          (text, index) => `a_gauge{index="${index}"} ${text}`,
        ),
        "",
      ].join("\n"),
    )
  })

  test.each([
    ["a line without an end", "# HELP a x\n# TYPE a gauge\na 1"],
    ["a sample without a family", "a 1\n"],
    ["a type without help", "# TYPE a gauge\na 1\n"],
    ["a family twice", "# HELP a x\n# TYPE a gauge\na 1\n# HELP a x\n# TYPE a gauge\na 2\n"],
    ["a sample twice", "# HELP a x\n# TYPE a gauge\na 1\na 1\n"],
    ["an unescaped quote", '# HELP a x\n# TYPE a gauge\na{b="c"d"} 1\n'],
    ["an unknown escape", '# HELP a x\n# TYPE a gauge\na{b="\\t"} 1\n'],
    ["a word for a number", "# HELP a x\n# TYPE a gauge\na Infinity\n"],
    ["a counter without _total", "# HELP a x\n# TYPE a counter\na 1\n"],
    [
      "buckets that do not ascend",
      '# HELP a x\n# TYPE a histogram\na_bucket{e="f",le="1"} 2\na_bucket{e="f",le="+Inf"} 1\na_sum{e="f"} 1\na_count{e="f"} 1\n',
    ],
    ["a family without samples", "# HELP a x\n# TYPE a gauge\n"],
  ])("%s is refused by the reader that judges", (_, text) => {
    expect(() => readExposition(text)).toThrow()
  })
})
