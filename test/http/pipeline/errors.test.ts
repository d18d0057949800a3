/** docs/interface.md, "Errors": native errors, their texts and their order. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { problems } from "../../../src/adapters/http/contract/statuses.ts"
import { HistoryNotAvailable, QueryTooSlow, StoreUnavailable } from "../../../src/model/errors.ts"
import { NftStore } from "../../../src/ports/NftStore.ts"
import { always } from "../../support/always.ts"
import { prefix, type ServiceOptions, sha256, startService, syncStatus } from "../support.ts"
import { gold, startWorld } from "../world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

/** Every native path behind a chain. */
const natives = [
  ...["erc20", "erc721", "erc1155"].flatMap((standard) => [
    `/${standard}`,
    `/${standard}-transfers`,
    `/${standard}/${gold}/holders`,
  ]),
  `/erc721/${gold}/tokens`,
  "/erc20-swaps",
  `/address/${gold}/approvals`,
  "/supply",
  "/top-erc20",
]

const error = (status: number, code: string, reason: string, message: string) => ({
  status,
  body: { statusCode: status, code, error: reason, message },
})

test('Body `{"statusCode":400,"code":"INVALID_PARAMETER","error":"Bad Request","message":"limit: expected a whole number from 1 to 1000, got abc"}`', async () => {
  const response = await service.fetch(`${prefix("43114")}/erc20?limit=abc`)
  expect(await response.text()).toBe(
    '{"statusCode":400,"code":"INVALID_PARAMETER","error":"Bad Request","message":"limit: expected a whole number from 1 to 1000, got abc"}',
  )
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8")
})

test.each([
  [prefix("999"), 'chain "999" is not supported in network "mainnet"'],
  [prefix("43113"), 'chain "43113" is not supported in network "mainnet"'],
  [prefix("043114"), 'chain "043114" is not supported in network "mainnet"'],
  [prefix("43114", "nonet"), 'network "nonet" is not supported'],
  [prefix("all", "Mainnet"), 'network "Mainnet" is not supported'],
  [prefix("%E0%A4%A", "mainnet"), 'chain "%E0%A4%A" is not supported in network "mainnet"'],
])("Unknown network or chain: native 400 `CHAIN_NOT_SUPPORTED`: %s", async (path, message) => {
  for (const endpoint of natives) {
    expect(await service.get(path + endpoint)).toEqual(error(400, "CHAIN_NOT_SUPPORTED", "Bad Request", message))
  }
})

test.each([
  "/ui",
  "/v2",
  prefix("43114"),
  `${prefix("43114")}/`,
  `${prefix("43114")}/erc20/`,
  `${prefix("43114")}/erc721x`,
  `${prefix("43114")}/ERC20`,
  `${prefix("43114")}/erc20/${gold}/`,
  `${prefix("43114")}/erc20//holders`,
  `${prefix("43114")}/erc20/${gold}/tokens`,
  `${prefix("43114")}/erc1155/${gold}/tokens`,
  `${prefix("43114")}/erc721-swaps`,
  `${prefix("43114")}/supply/`,
  `${prefix("43114")}/top-erc721`,
  `${prefix("43114")}/compat`,
  `${prefix("43114")}/compat/api/x`,
  `/${prefix("43114")}/erc20`,
  "/__proto__",
  "/health/",
])("404 for the unknown path %s", async (path) => {
  expect(await service.get(path)).toEqual(
    error(404, "NOT_FOUND", "Not Found", `path: expected one of the documented endpoints, got ${path}`),
  )
})

test.each(["POST", "PUT", "PATCH", "DELETE"])("405 for %s", async (method) => {
  for (const path of [...natives.map((native) => prefix("43114") + native), "/health", "/ready"]) {
    const response = await service.fetch(path, { method })
    expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS")
    expect({ status: response.status, body: await response.json() }).toEqual(
      error(405, "METHOD_NOT_ALLOWED", "Method Not Allowed", `method: expected GET, HEAD or OPTIONS, got ${method}`),
    )
  }
})

test("Faults are found in this order: path (404), method (405), key (401), limit (429), chain, path parameters, query parameters in the order of the endpoint's table", async () => {
  const strict = await startService({ strictKeys: true, apiKeysSha256: [sha256("k1"), sha256("k2")], rateLimitRpm: 2 })
  const code = async (path: string, init?: RequestInit) => (await strict.get(path, init)).body.code
  const wrong = `${prefix("999")}/erc20/0x1/holders?limit=x`
  const post = { method: "POST" }
  expect(await code(`${wrong}/nowhere`.replace("?limit=x/", "/"), post)).toBe("NOT_FOUND")
  expect(await code(wrong, post)).toBe("METHOD_NOT_ALLOWED")
  expect(await code(wrong)).toBe("UNAUTHORIZED")
  expect(await code(`${wrong}&apikey=k1`)).toBe("CHAIN_NOT_SUPPORTED")
  expect(await code(`${wrong}&apikey=k1`)).toBe("CHAIN_NOT_SUPPORTED")
  expect(await code(`${wrong}&apikey=k1`)).toBe("RATE_LIMITED")
  expect(await code(wrong)).toBe("UNAUTHORIZED")
  await strict.close()

  const message = async (path: string) => (await service.get(prefix("43114") + path)).body.message
  expect(await message("/erc20/0x1/holders?limit=x&next=x")).toStartWith("address:")
  expect(await message(`/erc20/${gold}/holders?next=x&limit=x`)).toStartWith("limit:")
  const head = ["tokenAddress", "sort", "limit", "from", "to", "address"]
  const blocks = ["blockNumberFrom", "blockNumberTo"]
  const orders: Readonly<Record<string, ReadonlyArray<string>>> = {
    erc20: ["sort", "limit"],
    erc721: ["sort", "limit"],
    erc1155: ["sort", "limit"],
    "top-erc20": ["sort", "limit"],
    "erc20-swaps": ["token", "tokenIn", "tokenOut", "sort", "limit"],
    "erc20-transfers": [...head, ...blocks],
    "erc721-transfers": [...head, "tokenId", ...blocks],
    "erc1155-transfers": [...head, "tokenId", ...blocks],
    [`erc20/${gold}/holders`]: ["limit", "blockNumber"],
    [`erc721/${gold}/holders`]: ["limit", "blockNumber"],
    [`erc1155/${gold}/holders`]: ["limit", "blockNumber"],
    [`erc721/${gold}/tokens`]: ["limit", "blockNumber"],
  }
  for (const [endpoint, names] of Object.entries(orders)) {
    for (const [index, name] of names.entries()) {
      const query = ["next=x", ...names.slice(index).map((later) => `${later}=x`)].reverse().join("&")
      expect(await message(`/${endpoint}?${query}`)).toStartWith(`${name}:`)
    }
    expect(await message(`/${endpoint}?next=x`)).toStartWith("next:")
  }
  for (const endpoint of ["erc721/0x1/holders", "erc1155/0x1/holders", "erc721/0x1/tokens"]) {
    expect(await message(`/${endpoint}?limit=x&next=x`)).toStartWith("address:")
  }
  expect((await service.get(`${prefix("all")}/erc20/0x1/holders`)).body.message).toStartWith("chainId:")
})

describe("`code` a stable word:", () => {
  const words = [
    ...["INVALID_PARAMETER", "INVALID_CURSOR", "CHAIN_NOT_SUPPORTED", "UNAUTHORIZED", "NOT_FOUND"],
    ...["METHOD_NOT_ALLOWED", "RATE_LIMITED", "SUPPLY_NOT_CONFIGURED", "HISTORY_NOT_AVAILABLE", "TIMEOUT"],
    ...["APPROVALS_NOT_KEPT", "TOKEN_NOT_FOUND", "EVENTS_GONE"],
    ...["UNAVAILABLE", "INTERNAL", "CHAIN_SYNCING", "BEHIND_MIN_BLOCK"],
  ]

  test("no other words than the decided ones", () => {
    expect([...new Set(Object.values(problems).map(({ code }) => code))].sort()).toEqual([...words].sort())
  })

  const ids = `${prefix("43114")}/erc721/${gold}/tokens`
  const failing = (read: Effect.Effect<never, unknown>): ServiceOptions => ({
    replace: Layer.succeed(NftStore, always(read)),
  })
  const gone = new HistoryNotAvailable({ message: "block 1 is before the indexed history" })
  const limited = { rateLimitRpm: 1 }
  /** The word, its status, its reason phrase, whether `Retry-After` stands: in 429 and 503, nowhere else. */
  const cases: ReadonlyArray<
    readonly [string, number, string, boolean, path: string, ServiceOptions, RequestInit, calls: number]
  > = [
    ["INVALID_PARAMETER", 400, "Bad Request", false, `${ids}?limit=0`, {}, {}, 1],
    ["INVALID_CURSOR", 400, "Bad Request", false, `${ids}?next=x`, {}, {}, 1],
    ["CHAIN_NOT_SUPPORTED", 400, "Bad Request", false, ids.replace("43114", "2"), {}, {}, 1],
    ["HISTORY_NOT_AVAILABLE", 400, "Bad Request", false, ids, failing(Effect.fail(gone)), {}, 1],
    ["UNAUTHORIZED", 401, "Unauthorized", false, ids, { strictKeys: true }, {}, 1],
    ["NOT_FOUND", 404, "Not Found", false, `${ids}/1`, {}, {}, 1],
    ["SUPPLY_NOT_CONFIGURED", 404, "Not Found", false, `${prefix("1")}/supply`, {}, {}, 1],
    ["APPROVALS_NOT_KEPT", 404, "Not Found", false, `${prefix("1")}/address/${gold}/approvals`, {}, {}, 1],
    ["TOKEN_NOT_FOUND", 404, "Not Found", false, `${prefix("43114")}/erc20/0x${"e".repeat(40)}`, {}, {}, 1],
    ["METHOD_NOT_ALLOWED", 405, "Method Not Allowed", false, ids, {}, { method: "POST" }, 1],
    ["RATE_LIMITED", 429, "Too Many Requests", true, ids, limited, {}, 2],
    ["INTERNAL", 500, "Internal Server Error", false, ids, failing(Effect.die("bug")), {}, 1],
    [
      "UNAVAILABLE",
      503,
      "Service Unavailable",
      true,
      ids,
      failing(Effect.fail(new StoreUnavailable({ cause: "down" }))),
      {},
      1,
    ],
    [
      "CHAIN_SYNCING",
      503,
      "Service Unavailable",
      true,
      ids,
      { status: [syncStatus("43114", { phase: "indexing" })] },
      {},
      1,
    ],
    ["BEHIND_MIN_BLOCK", 503, "Service Unavailable", true, ids, {}, { headers: { "x-min-block": "43114:9" } }, 1],
    ["TIMEOUT", 504, "Gateway Timeout", false, ids, failing(Effect.fail(new QueryTooSlow({ message: "x" }))), {}, 1],
  ]

  test("each of them stands below", () => {
    // That of streams of events: test/http/events.test.ts.
    expect([...cases.map(([word]) => word), "EVENTS_GONE"].sort()).toEqual([...words].sort())
  })

  test.each(cases)("%s is a %i %s", async (word, status, reason, retries, path, options, init, calls) => {
    const failing = await startService(options)
    for (let made = 1; made < calls; made++) await failing.fetch(path, init)
    const response = await failing.fetch(path, init)
    expect(await response.json()).toEqual({
      statusCode: status,
      code: word,
      error: reason,
      message: expect.any(String),
    })
    expect([response.status, response.headers.get("retry-after") !== null]).toEqual([status, retries])
    await failing.close()
  })
})
