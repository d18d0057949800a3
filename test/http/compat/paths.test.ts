/** docs/interface.md, "The compatibility endpoint": every path that clients build, by GET and by POST, and which chain each is about. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chains, type Json, prefix, sha256, startService } from "../support.ts"
import { ann, gold, startWorld } from "../world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
let alone: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  service = await startWorld()
  alone = await startService({ chains: chains.filter(({ chainId }) => chainId === "43114") })
})
afterAll(async () => {
  await service.close()
  await alone.close()
})

const asked = { module: "account", action: "tokenbalance", contractaddress: gold, address: ann }
const balance = new URLSearchParams(asked).toString()
const ok = (result: Json) => ({ status: 200, body: { status: "1", message: "OK", result } })
const notOk = (result: Json, status = 200) => ({ status, body: { status: "0", message: "NOTOK", result } })
const unsupported = (what: string) =>
  notOk(`Missing or unsupported chainid parameter (required for v2 api): ${what}, the chains are 1, 10, 43113, 43114`)

describe("a path says the chain, or its chainid does", () => {
  test.each([
    "/v2/api?chainid=43114&",
    "/v2/api/?chainid=43114&",
    "/api?chainid=43114&",
    "/api/?ChainID=43114&",
    "/43114/api?",
    "/43114/api/?",
    "/43114/api?chainid=43114&",
  ])("%s", async (start) => {
    expect(await service.get(start + balance)).toEqual(ok("650"))
    const { headers } = await service.fetch(start + balance)
    expect(headers.get("x-as-of-block")).toStartWith("43114:")
    expect(headers.get("etag")).not.toBeNull()
  })

  test("without one where several are followed it is refused, and the refusal names them", async () => {
    for (const path of ["/api", "/v2/api", "/v2/api/"]) {
      expect(await service.get(`${path}?${balance}`)).toEqual(unsupported("none was given"))
      expect(await service.get(`${path}?chainid=&${balance}`)).toEqual(unsupported("none was given"))
    }
  })

  test("without one where one alone is followed it is that", async () => {
    for (const path of ["/api", "/v2/api"]) {
      expect(await alone.get(`${path}?${balance}`)).toEqual(ok("0"))
      expect((await alone.get(`${path}?chainid=1&${balance}`)).body.status).toBe("0")
    }
  })

  test.each([
    ["/v2/api?chainid=5&", "5 is not followed here"],
    ["/5/api?", "5 is not followed here"],
    ["/all/api?", "all is not followed here"],
    ["/api?chainid=0xa86a&", "0xa86a is not followed here"],
    ["/v2/api?chainid=no%20data%20found&", "what was given is not followed here"],
  ])("%s: a chain that is not followed", async (start, what) => {
    expect(await service.get(start + balance)).toEqual(unsupported(what))
  })

  test("a chainid beside a path of another chain", async () => {
    expect(await service.get(`/43114/api?chainid=1&${balance}`)).toEqual(
      notOk("Error! chainid 1 is not the chain of this path, which is 43114"),
    )
  })

  test("getapilimit is the caller's, whatever chain", async () => {
    for (const start of ["/v2/api?chainid=1&", "/v2/api?chainid=5&", "/v2/api?", "/5/api?"]) {
      const { status, body } = await service.get(`${start}module=getapilimit&action=getapilimit`)
      expect([status, body.status]).toEqual([200, "1"])
    }
  })

  test("chains that are followed in no network of the path's name are found all the same", async () => {
    expect((await service.get(`/43113/api?${balance}`)).body.status).toBe("1")
  })
})

describe("POST", () => {
  const form = { "content-type": "application/x-www-form-urlencoded" }
  const paths = ["/v2/api", "/api", "/43114/api", `${prefix("43114")}/etherscan/api`, `${prefix("43114")}/compat/api/`]

  test.each(paths)("%s takes a form, the URL, and both", async (path) => {
    const post = (query: string, body?: RequestInit["body"], headers?: Record<string, string>) =>
      service.get(`${path}${query}`, { method: "POST", ...(body == null ? {} : { body }), ...(headers && { headers }) })
    const whole = `${balance}&chainid=43114`
    expect(await post(`?${whole}`)).toEqual(ok("650"))
    expect(await post("", whole, form)).toEqual(ok("650"))
    expect(await post("", whole)).toEqual(ok("650"))
    expect(await post("", whole.toUpperCase().replaceAll("0X", "0x").replaceAll("CHAINID", "chainId"), form)).toEqual(
      ok("650"),
    )
    expect(await post("?module=account&action=tokenbalance&chainid=43114", balance, form)).toEqual(ok("650"))
    const parts = new FormData()
    for (const [name, value] of Object.entries({ ...asked, chainid: "43114" })) parts.append(name, value)
    parts.append("file", new Blob(["no text"]), "file.txt")
    expect(await post("", parts)).toEqual(ok("650"))
  })

  test("of a name in both the URL's counts", async () => {
    const answer = await service.get(`/43114/api?${balance}`, { method: "POST", headers: form, body: "action=none" })
    expect(answer).toEqual(ok("650"))
  })

  test("its answers are neither tagged nor given to those who ask by GET", async () => {
    const post = (body: string) => service.fetch("/43114/api", { method: "POST", headers: form, body })
    const response = await post(balance)
    expect(response.headers.get("etag")).toBeNull()
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.headers.get("x-as-of-block")).toStartWith("43114:")
    expect((await service.get("/43114/api")).body.status).toBe("0")
    expect(await (await post("module=none")).json()).toEqual(notOk("Error! Missing Or invalid Module name").body)
  })

  test("a form that is too large, or none, is refused with the reason", async () => {
    const post = (body: string, headers: Record<string, string>) =>
      service.get("/43114/api", { method: "POST", headers, body })
    const filler = "x".repeat(280_000)
    expect(await post(`${balance}&filler=${filler}`, form)).toEqual(
      notOk("Error! expected a form of at most 278528 bytes, got a larger one"),
    )
    expect(await post("no parts", { "content-type": "multipart/form-data; boundary=a" })).toEqual(
      notOk("Error! expected a form, got a body that is none"),
    )
    expect(await post("{}", { "content-type": "application/json" })).toEqual(
      notOk("Error! Missing Or invalid Module name"),
    )
  })

  test("a key in it counts", async () => {
    const strict = await startService({ apiKeysSha256: [sha256("secret")], strictKeys: true })
    const post = (body: string) => strict.get("/43114/api", { method: "POST", headers: form, body })
    expect(await post(balance)).toEqual(notOk("Invalid API Key"))
    expect(await post(`${balance}&ApiKey=wrong`)).toEqual(notOk("Invalid API Key"))
    expect(await post(`${balance}&ApiKey=secret`)).toEqual(ok("0"))
    await strict.close()
  })

  test("preflight and refusals of other methods name it, and native paths have it not", async () => {
    const compat = await service.fetch("/v2/api", { method: "OPTIONS" })
    expect(compat.headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST, OPTIONS")
    const put = await service.fetch("/v2/api", { method: "PUT" })
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, POST, OPTIONS"])
    const native = await service.fetch(`${prefix("43114")}/erc20`, { method: "POST", headers: form, body: "limit=1" })
    expect([native.status, native.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"])
  })
})
