/** decisions.md §6: native errors, their texts and their order. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { prefix, sha256, startService } from "./support.ts"
import { gold, startWorld } from "./world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

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
  for (const endpoint of ["/erc20", "/erc20-transfers", `/erc20/${gold}/holders`]) {
    expect(await service.get(path + endpoint)).toEqual(error(400, "CHAIN_NOT_SUPPORTED", "Bad Request", message))
  }
})

test.each([
  "/",
  "/v2",
  prefix("43114"),
  `${prefix("43114")}/`,
  `${prefix("43114")}/erc20/`,
  `${prefix("43114")}/erc721x`,
  `${prefix("43114")}/ERC20`,
  `${prefix("43114")}/erc20/${gold}`,
  `${prefix("43114")}/erc20//holders`,
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
  for (const path of [`${prefix("43114")}/erc20`, `${prefix("43114")}/erc20/${gold}/holders`, "/health", "/ready"]) {
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
  expect(await message("/erc20?limit=x&sort=x&next=x")).toStartWith("sort:")
  const transfers = [
    "tokenAddress=x",
    "sort=x",
    "limit=x",
    "from=x",
    "to=x",
    "address=x",
    "blockNumberFrom=x",
    "blockNumberTo=x",
    "next=x",
  ]
  for (const [index, fault] of transfers.entries()) {
    const query = transfers.slice(index).reverse().join("&")
    expect(await message(`/erc20-transfers?${query}`)).toStartWith(`${fault.slice(0, -2)}:`)
  }
  expect((await service.get(`${prefix("all")}/erc20/0x1/holders`)).body.message).toStartWith("chainId:")
})
