/** What every answer carries: how fresh it is, what the caller has left, CORS; HEAD, OPTIONS, requests without a host. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { endpoints } from "../../../src/adapters/http/endpoints.ts"
import { StoreUnavailable } from "../../../src/model/errors.ts"
import { ChainId, dateTimeOf } from "../../../src/model/primitives.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { TestChain, transfer } from "../../support/chain/testChain.ts"
import {
  checkCommonHeaders,
  comparableHeaders,
  type Json,
  prefix,
  rateHeadersOf,
  startService,
  syncStatus,
} from "../support.ts"
import { ann, avalanche, ethereum, gold, startWorld, zero } from "../world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld({ status: [syncStatus("43114", { headBlock: 9, indexedBlock: 4 })] })
})
afterAll(() => service.close())

const avax = prefix("43114")
const asOfNames = ["x-as-of-block", "x-as-of-hash", "x-as-of-time", "x-lag-blocks", "x-finality"]
const asOfOf = async (path: string, init?: RequestInit) => {
  const { headers } = await service.fetch(path, init)
  return asOfNames.map((name) => headers.get(name))
}
const headOf = (chain: TestChain) => chain.blocks.at(-1)!.header
const avaxHead = headOf(avalanche())
const ethHead = headOf(ethereum())
const asOfAvax = ["43114:4", `43114:${avaxHead.hash}`, `43114:${dateTimeOf(avaxHead.time)}`, "43114:5", "43114:latest"]
const asOfAll = [
  "1:22,43114:4",
  `1:${ethHead.hash},43114:${avaxHead.hash}`,
  `1:${dateTimeOf(ethHead.time)},43114:${dateTimeOf(avaxHead.time)}`,
  "1:0,43114:5",
  "1:latest,43114:latest",
]
const none = [null, null, null, null, null]

describe("as-of headers", () => {
  test.each([
    ["a list", `${avax}/erc20`],
    ["holders", `${avax}/erc20/${gold}/holders`],
    ["transfers of ERC-721", `${avax}/erc721-transfers?limit=1`],
    ["transfers of ERC-1155", `${avax}/erc1155-transfers?limit=1`],
    ["contracts", `${avax}/erc1155`],
    ["holders of ERC-721", `${avax}/erc721/${gold}/holders`],
    ["holders of ERC-1155", `${avax}/erc1155/${gold}/holders`],
    ["ids", `${avax}/erc721/${gold}/tokens`],
    ["swaps that are not configured", `${avax}/erc20-swaps`],
    ["trusted tokens that are not configured", `${avax}/top-erc20`],
    ["a supply that is not configured", `${avax}/supply`],
    ["the caller's limit", `${avax}/compat/api?module=getapilimit&action=getapilimit`],
    ["a compatibility answer", `${avax}/compat/api?module=stats&action=tokensupply&contractaddress=${gold}`],
    ["an empty selection", `${avax}/erc20?ecosystem=unknown`],
    ["a chain left out", `${avax}/erc20-transfers?excludedChainIds=43114`],
    ["a native error", `${avax}/erc20?limit=x`],
    ["a cursor error", `${avax}/erc20?next=x`],
    ["a compatibility error", `${avax}/compat/api`],
    ["an unknown path of a known chain", `${avax}/nowhere`],
  ])("stand on %s", async (_, path) => {
    expect(await asOfOf(path)).toEqual(asOfAvax)
  })

  test("stand on 405, HEAD and preflight", async () => {
    for (const method of ["POST", "HEAD", "OPTIONS"]) {
      expect(await asOfOf(`${avax}/erc20`, { method })).toEqual(asOfAvax)
    }
  })

  test("of many chains are comma-joined in one order; a chain without a block is left out", async () => {
    expect(await asOfOf(`${prefix("all")}/erc20`)).toEqual(asOfAll)
    expect(await asOfOf(`${prefix("all")}/erc20?limit=x`)).toEqual(asOfAll)
    expect(await asOfOf(`${prefix("all")}/erc20?ecosystem=unknown`)).toEqual(asOfAll)
    expect(await asOfOf(`${prefix("all")}/erc20?includedChainIds=43114`)).toEqual(asOfAvax)
  })

  test("of a refusal are those of the very read that found it", async () => {
    const later = {
      chainId: ChainId.make("43114"),
      blockNumber: 7,
      hash: headOf(avalanche()).hash,
      time: 1_800_000_000,
    }
    const moved = await startWorld({
      replace: Layer.succeed(Freshness, {
        newest: () => Effect.undefined,
        touched: () => Effect.undefined,
        asOf: () =>
          Effect.succeed([
            { ...later, finality: "latest" as const, nodeHead: 7, firstBlock: 0, revision: 9, figures: 9, rewrites: 9 },
          ]),
      }),
    })
    const paths = [
      `/erc20/${gold}/holders?blockNumber=6`,
      `/compat/api?module=token&action=tokenholdercount&contractaddress=${gold}&blockno=6`,
    ]
    for (const path of paths) {
      const response = await moved.fetch(avax + path)
      expect(await response.text()).toContain("a block up to the indexed head 4, got 6")
      expect(response.headers.get("x-as-of-block")).toBe("43114:4")
    }
    await moved.close()
  })

  test("are absent where no known chain is named, or none is stored", async () => {
    for (const path of [prefix("999"), prefix("43114", "testnet"), prefix("10"), prefix("all", "nonet")]) {
      expect(await asOfOf(`${path}/erc20`)).toEqual(none)
    }
    for (const path of ["/health", "/ready", "/nowhere"]) expect(await asOfOf(path)).toEqual(none)
  })

  test("say what the block's finality is and how far it is behind the node", async () => {
    const behind = await startService()
    const writer = await behind.open("43114")
    const chain = new TestChain()
      .block()
      .block([transfer(gold, zero, ann, 1n)])
      .block()
    await behind.run(writer.append(chain.segment(0, 1, { nodeHead: 90, finalizedBlock: 50 })))
    const { headers } = await behind.fetch(`${avax}/erc20`)
    expect(asOfNames.map((name) => headers.get(name)).slice(3)).toEqual(["43114:89", "43114:finalized"])
    await behind.close()
  })

  test("never fail an answer: a store that cannot say is left out", async () => {
    const failing = await startService({
      replace: Layer.succeed(Freshness, {
        newest: () => Effect.undefined,
        touched: () => Effect.undefined,
        asOf: () => Effect.fail(new StoreUnavailable({ cause: new Error("down") })),
      }),
    })
    const response = await failing.fetch(`${avax}/erc20?limit=x`)
    expect(response.status).toBe(400)
    expect(response.headers.get("x-as-of-block")).toBeNull()
    checkCommonHeaders(response)
    await failing.close()
  })
})

describe("Six headers on every answer, integers", () => {
  const requests: ReadonlyArray<readonly [path: string, init?: RequestInit]> = [
    [`${avax}/erc20`],
    [`${avax}/erc20-transfers`, { method: "HEAD" }],
    [`${avax}/erc20/${gold}/holders`],
    [`${avax}/erc20?limit=x`],
    [`${avax}/erc20?next=x`],
    [`${avax}/erc20`, { method: "OPTIONS" }],
    [`${avax}/erc20`, { method: "POST", body: "{}" }],
    [`${prefix("999")}/erc20`],
    [`${avax}/etherscan/api`],
    [`${avax}/etherscan/api`, { method: "DELETE" }],
    [`${prefix("999")}/compat/api`],
    ["/"],
    ["/nowhere"],
    ["/nowhere", { method: "OPTIONS" }],
    ["/health"],
    ["/health", { method: "HEAD" }],
    ["/ready"],
    ...["GET", "HEAD", "OPTIONS", "PATCH"].flatMap((method) =>
      endpoints.map(({ path }): readonly [string, RequestInit] => [
        path.replace("{networkId}", "mainnet").replace("{chainId}", "43114").replace("{address}", gold),
        { method },
      ]),
    ),
  ]

  test("also when limiting is off, then large numbers, and CORS with them", async () => {
    for (const [path, init] of requests) {
      const response = await service.fetch(path, init)
      checkCommonHeaders(response)
      expect(rateHeadersOf(response)).toEqual({
        "x-ratelimit-rpm-limit": "1000000000",
        "x-ratelimit-rpm-remaining": "1000000000",
        "x-ratelimit-rpm-reset": "60",
        "x-ratelimit-rpd-limit": "1000000000",
        "x-ratelimit-rpd-remaining": "1000000000",
        "x-ratelimit-rpd-reset": "86400",
      })
      const exposed = response.headers.get("access-control-expose-headers")?.split(", ") ?? []
      for (const name of [
        ...asOfNames,
        ...Object.keys(rateHeadersOf(response)),
        "ETag",
        "Retry-After",
        "x-ignored-parameters",
      ]) {
        expect(exposed).toContain(name)
      }
    }
  })

  test("preflight answered", async () => {
    for (const path of [`${avax}/erc20`, `${avax}/compat/api`, "/health", "/nowhere"]) {
      const response = await service.fetch(path, {
        method: "OPTIONS",
        headers: { "access-control-request-method": "GET", "access-control-request-headers": "apikey" },
      })
      expect(response.status).toBe(204)
      expect(await response.text()).toBe("")
      const methods = path.includes("compat") ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS"
      expect(response.headers.get("access-control-allow-methods")).toBe(methods)
      expect(response.headers.get("access-control-allow-headers")).toContain("apikey, authorization")
    }
  })
})

test("whatever is answered, no browser guesses what it is", async () => {
  const page = await (await service.fetch("/docs")).text()
  const assets = [...page.matchAll(/(?:src|href)="(\/docs\/[^"]*)"/g)].map(([, path]) => path!)
  expect(assets.length).toBeGreaterThan(3)
  const etag = (await service.fetch(`${avax}/erc20`)).headers.get("etag") ?? ""
  const answers: ReadonlyArray<readonly [status: number, path: string, init?: RequestInit]> = [
    ...["/docs", "/docs/", "/openapi.json", "/metrics", "/health", ...assets].map((path) => [200, path] as const),
    [304, `${avax}/erc20`, { headers: { "if-none-match": etag } }],
    [200, `${avax}/erc20`, { headers: { accept: "text/csv" } }],
    [200, `${avax}/erc20`, { headers: { accept: "application/x-ndjson" } }],
    [204, `${avax}/erc20`, { method: "OPTIONS" }],
    [200, `${avax}/erc20`, { method: "HEAD" }],
    [400, `${avax}/erc20?limit=x`],
    [404, "/docs/nothing.js"],
    [404, "/nowhere"],
    [405, "/docs", { method: "POST" }],
  ]
  for (const [status, path, init] of answers) {
    const response = await service.fetch(path, init)
    expect([path, response.status, response.headers.get("x-content-type-options")]).toEqual([path, status, "nosniff"])
    await response.text()
  }
})

describe("HEAD", () => {
  test.each([
    `${avax}/erc20`,
    `${avax}/erc20?limit=x`,
    `${avax}/compat/api?module=stats`,
    "/health",
    "/ready",
    "/nowhere",
  ])("answers as GET without a body: %s", async (path) => {
    const get = await service.fetch(path)
    const head = await service.fetch(path, { method: "HEAD" })
    expect(head.status).toBe(get.status)
    expect(await head.text()).toBe("")
    const length = (await get.arrayBuffer()).byteLength
    expect(Object.fromEntries(comparableHeaders(head))).toEqual({
      ...Object.fromEntries(comparableHeaders(get)),
      "content-length": String(length),
    })
  })
})

describe("A request without a usable Host header is no 500", () => {
  test.each(["http://a", "http://a.b", "http://[::1", "http://a b c", ""])("host %p", async (host) => {
    const asked = `${host}${avax}/erc20?limit=1`
    // A server may hand over what `new Request` would refuse.
    const request = new Proxy(new Request("http://placeholder/"), {
      get: (target, name) => (name === "url" ? asked : Reflect.get(target, name, target)),
    })
    const response = await service.app.fetch(request, "192.0.2.1")
    expect(response.status).toBe(200)
    expect(((await response.json()) as Json).link.next).toStartWith(`${avax}/erc20?limit=1&next=`)
  })
})
