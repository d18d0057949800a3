/** Requests nobody would send in good faith: always a 4xx or a fine answer, and the service goes on. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import { checkCommonHeaders, type Json, prefix } from "./support.ts"
import { ann, gold, startWorld } from "./world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
let cursor: string
beforeAll(async () => {
  service = await startWorld()
  cursor = (await service.get(`${prefix("43114")}/erc20-transfers?limit=1`)).body.link.nextToken
})
afterAll(() => service.close())

const nasty = fc.oneof(
  fc.constantFrom(
    ...["", "%", "%zz", "%00", "%0", "%E0%A4%A", "%ff%fe", "%u0041", "%ED%A0%80", "\ud800", "+", "%2B", "%2F..%2F"],
    ...["null", "undefined", "NaN", "Infinity", "-0", "1e309", "0x10", "9".repeat(400), "0".repeat(400), "-1"],
    ...["[]", "{}", "[object Object]", "__proto__", "constructor", "toString", "'; drop table token; --", "*", ":x"],
    ...["all", "43114", "mainnet", "true", "asc", "createdAt,asc", "createdAt,asc,desc", ",", ",,,,", "a=b", "?", "#x"],
    ...["no records found", "\n", "%0d%0aset-cookie:x", "x".repeat(20_000), "💥", "‮", "0xZZ", gold, ann, gold.slice(1)],
  ),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ maxLength: 30 }),
  fc.bigInt().map(String),
)
const name = fc.oneof(
  fc.constantFrom(
    ...["limit", "sort", "next", "nextToken", "prev", "prevToken", "count", "tokenAddress", "from", "to", "address"],
    ...["blockNumberFrom", "blockNumberTo", "ecosystem", "includedChainIds", "excludedChainIds", "includedChainIds[]"],
    ...[
      "apikey",
      "apiKey",
      "module",
      "action",
      "contractaddress",
      "tag",
      "blockno",
      "page",
      "offset",
      "chainid",
      "MODULE",
    ],
  ),
  nasty,
)
const sane = fc.oneof(
  fc.constantFrom("module=account&action=tokenbalance", "module=token&action=tokenholderlist"),
  fc.constantFrom(`address=${ann}`, `contractaddress=${gold}`, "limit=1", "count=true", "blockno=2"),
  fc.constantFrom("module=stats&action=tokensupplyhistory", "module=account&action=addresstokenbalance"),
)
const pair = fc.oneof(
  fc.tuple(name, nasty).map(([key, value]) => `${key}=${value}`),
  fc
    .tuple(fc.constantFrom("next", "prev", "nextToken"), fc.nat(60))
    .map(([key, at]) => `${key}=${cursor.slice(0, at)}${cursor.slice(at + 1)}`),
  nasty,
  sane,
)
const segment = fc.oneof({ weight: 4, arbitrary: fc.constantFrom("43114", "1", "all", "10") }, nasty)
const path = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.oneof({ weight: 6, arbitrary: fc.constant("mainnet") }, nasty),
        segment,
        fc.oneof(
          fc.constantFrom("erc20", "erc20-transfers", `erc20/${gold}/holders`, "compat/api", "etherscan/api/"),
          nasty.map((text) => `erc20/${text}/holders`),
        ),
      )
      .map(([network, chain, end]) => `/v2/network/${network}/evm/${chain}/${end}`),
  },
  nasty.map((text) => `/${text}`),
)
const method = fc.oneof(
  { weight: 8, arbitrary: fc.constant("GET") },
  fc.constantFrom("HEAD", "POST", "OPTIONS", "DELETE", "PUT"),
)
const headers = fc.dictionary(
  fc.constantFrom("apikey", "authorization", "x-forwarded-for", "accept", "content-type", "origin", "if-none-match"),
  fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, "?")),
)

/** What a server hands over: the raw target, which `new Request` would tidy up; or the tidied one. */
const requestOf = (target: string, init: RequestInit, raw: boolean): Request => {
  const url = `http://cowry.test${target}`
  const request = new Request(raw ? "http://cowry.test/" : url, init)
  return raw
    ? new Proxy(request, { get: (self, key) => (key === "url" ? url : Reflect.get(self, key, self)) })
    : request
}

test("500 hostile requests: never a 5xx, never without the headers of every answer, and the service is alive after", async () => {
  await fc.assert(
    fc.asyncProperty(
      path,
      fc.array(pair, { maxLength: 6 }),
      method,
      headers,
      fc.boolean(),
      async (path, pairs, method, headers, raw) => {
        const request = requestOf(`${path}?${pairs.join("&")}`, { method, headers }, raw)
        const response = await service.app.fetch(request, "192.0.2.1")
        checkCommonHeaders(response)
        expect(response.status).toBeLessThan(500)
        const text = await response.text()
        if (text !== "") {
          const body: Json = JSON.parse(text)
          expect(["number", "string", "object"]).toContain(typeof (body.statusCode ?? body.status ?? body.items))
        }
      },
    ),
    { numRuns: 500 },
  )
  expect(service.logs).toEqual([])
  expect((await service.get(`${prefix("43114")}/erc20?limit=1`)).body.items.length).toBe(1)
})
