/** docs/interface.md, "Keys and limits": who is a caller, what strict mode refuses, what a limit counts. */
import { describe, expect, test } from "bun:test"
import { makeRateLimit } from "../../../src/adapters/http/contract/rateLimit.ts"
import { problemOf } from "../../support/failure.ts"
import {
  type Json,
  prefix,
  rateHeadersOf,
  type ServiceOptions,
  sha256,
  startService,
  type TestService,
} from "../support.ts"

const list = `${prefix("43114")}/erc20`
const keys = [sha256("alpha"), sha256("beta").toUpperCase()]

const withService = async (options: ServiceOptions, use: (service: TestService) => Promise<void>) => {
  const service = await startService(options)
  await use(service)
  await service.close()
}
const header = (name: string, value: string): RequestInit => ({ headers: { [name]: value } })

test("Open mode (default): no key needed and any value accepted", () =>
  withService({ apiKeysSha256: keys }, async (service) => {
    for (const path of [list, `${list}?apikey=anything`, `${list}?apikey=`]) {
      expect((await service.fetch(path)).status).toBe(200)
    }
  }))

describe("Strict mode", () => {
  const strict = { strictKeys: true, apiKeysSha256: keys }

  test("native 401 without a configured key", () =>
    withService(strict, async (service) => {
      for (const [path, init] of [
        [list],
        [`${list}?apikey=`],
        [`${list}?apikey=gamma`],
        [`${list}?APIKEY=alpha`],
        [list, header("apikey", sha256("alpha"))],
        [list, header("authorization", "Basic alpha")],
        [`${list}?apikey=alpha`, header("apikey", "gamma")],
      ] as ReadonlyArray<readonly [string, RequestInit?]>) {
        expect(await service.get(path, init)).toEqual({
          status: 401,
          body: {
            statusCode: 401,
            code: "UNAUTHORIZED",
            error: "Unauthorized",
            message: "apikey: expected a valid API key, in the header or the query",
          },
        })
      }
    }))

  test("Key from header `apikey`, else query `apikey`/`apiKey`, else `Authorization: Bearer`", () =>
    withService(strict, async (service) => {
      for (const [path, init] of [
        [list, header("apikey", "alpha")],
        [list, header("ApiKey", "beta")],
        [`${list}?apikey=alpha`],
        [`${list}?apiKey=beta`],
        [`${list}?apikey=alpha`, header("authorization", "Bearer gamma")],
        [`${list}?apikey=gamma`, header("apikey", "alpha")],
        [list, header("authorization", "Bearer alpha")],
        [list, header("authorization", "bearer beta")],
      ] as ReadonlyArray<readonly [string, RequestInit?]>) {
        expect((await service.fetch(path, init)).status).toBe(200)
      }
    }))

  test("health, readiness and preflight need no key", () =>
    withService(strict, async (service) => {
      expect((await service.fetch("/health")).status).toBe(200)
      expect((await service.fetch("/ready")).status).not.toBe(401)
      expect((await service.fetch(list, { method: "OPTIONS" })).status).toBe(204)
    }))
})

describe("Limits per caller", () => {
  const remaining = (response: Response) => [
    rateHeadersOf(response)["x-ratelimit-rpm-remaining"],
    rateHeadersOf(response)["x-ratelimit-rpd-remaining"],
  ]

  test("count down, then 429 with `Retry-After` in seconds", () =>
    withService({ rateLimitRpm: 2, rateLimitRpd: 5 }, async (service) => {
      expect(remaining(await service.fetch(list))).toEqual(["1", "4"])
      expect(remaining(await service.fetch(`${list}?limit=x`))).toEqual(["0", "3"])
      const response = await service.fetch(list)
      expect(response.status).toBe(429)
      expect(remaining(response)).toEqual(["0", "3"])
      const seconds = Number(response.headers.get("retry-after"))
      expect(seconds).toBeGreaterThan(50)
      expect(seconds).toBeLessThanOrEqual(60)
      expect(await response.json()).toEqual({
        statusCode: 429,
        code: "RATE_LIMITED",
        error: "Too Many Requests",
        message: `too many requests: the limit is 2 a minute, try again in ${seconds} seconds`,
      })
    }))

  test("do not count health, preflight, 404, 405 and 401", () =>
    withService({ rateLimitRpm: 2, strictKeys: true, apiKeysSha256: keys }, async (service) => {
      for (const [path, init] of [
        ["/health"],
        ["/ready"],
        ["/nowhere"],
        [list, { method: "OPTIONS" }],
        [list, { method: "POST" }],
        [list],
      ] as ReadonlyArray<readonly [string, RequestInit?]>) {
        const response = await service.fetch(path, init)
        expect(rateHeadersOf(response)["x-ratelimit-rpm-remaining"]).toBe("2")
      }
    }))

  test("Only a configured key identifies a caller, else the IP: a made-up key is no way round a limit", () =>
    withService({ rateLimitRpm: 1, apiKeysSha256: keys }, async (service) => {
      const status = async (path: string, ip: string) => (await service.fetch(path, {}, ip)).status
      expect(await status(list, "192.0.2.1")).toBe(200)
      expect(await status(`${list}?apikey=made-up`, "192.0.2.1")).toBe(429)
      expect(await status(`${list}?apikey=alpha`, "192.0.2.1")).toBe(200)
      expect(await status(`${list}?apikey=alpha`, "192.0.2.2")).toBe(429)
      expect(await status(`${list}?apikey=beta`, "192.0.2.2")).toBe(200)
      expect(await status(list, "192.0.2.2")).toBe(200)
      expect(await status(list, "::ffff:192.0.2.2")).toBe(429)
      expect(await status(list, "2001:db8:0:1::1")).toBe(200)
      expect(await status(list, "2001:db8:0:1:2:3:4:5")).toBe(429)
      expect(await status(list, "2001:db8::1")).toBe(200)
    }))

  test("a caller has one limit, whatever it asks and in whichever style", () =>
    withService({ rateLimitRpm: 20, apiKeysSha256: keys }, async (service) => {
      const asked = [
        list,
        `${prefix("all")}/erc721?limit=x`,
        `${prefix("43114")}/supply`,
        `${prefix("999")}/erc1155`,
        `${prefix("43114")}/compat/api`,
        `${prefix("43114")}/etherscan/api/?module=getapilimit&action=getapilimit`,
      ]
      for (const [index, path] of asked.entries()) {
        const response = await service.fetch(path, { ...header("authorization", "Bearer alpha"), method: "GET" })
        expect(remaining(response)[0]).toBe(String(19 - index))
      }
      expect(remaining(await service.fetch(list, { ...header("apikey", "alpha"), method: "HEAD" }))[0]).toBe("13")
      expect(remaining(await service.fetch(list))[0]).toBe("19")
    }))

  test("`Retry-After` stands on the native 429 alone, and both styles have the six headers then", () =>
    withService({ rateLimitRpd: 1 }, async (service) => {
      const compat = `${prefix("43114")}/compat/api?module=getapilimit&action=getapilimit`
      expect((await service.fetch(list)).headers.get("retry-after")).toBeNull()
      for (const [path, stands] of [
        [list, true],
        [`${prefix("43114")}/erc1155-transfers`, true],
        [compat, false],
      ] as const) {
        const response = await service.fetch(path)
        expect([response.status, response.headers.get("retry-after") !== null]).toEqual([429, stands])
        expect(rateHeadersOf(response)["x-ratelimit-rpd-remaining"]).toBe("0")
        expect(rateHeadersOf(response)["x-ratelimit-rpm-limit"]).toBe("1000000000")
      }
    }))

  test("X-Forwarded-For counts only when the proxy is trusted, and only its last entry", async () => {
    const via = (value: string): RequestInit => header("x-forwarded-for", value)
    await withService({ rateLimitRpm: 1, trustProxy: true }, async (service) => {
      expect((await service.fetch(list, via("203.0.113.1"))).status).toBe(200)
      expect((await service.fetch(list, via("203.0.113.2"))).status).toBe(200)
      expect((await service.fetch(list, via("198.51.100.7, 203.0.113.2"))).status).toBe(429)
      expect((await service.fetch(list, via("203.0.113.2:4711"))).status).toBe(429)
      expect((await service.fetch(list, via("[2001:db8::1]:80"))).status).toBe(200)
    })
    await withService({ rateLimitRpm: 1, trustProxy: true }, async (service) => {
      expect((await service.fetch(list, via("garbage"))).status).toBe(200)
      expect((await service.fetch(list, via("other garbage"))).status).toBe(429)
    })
    await withService({ rateLimitRpm: 1 }, async (service) => {
      expect((await service.fetch(list, via("203.0.113.1"))).status).toBe(200)
      expect((await service.fetch(list, via("203.0.113.2"))).status).toBe(429)
    })
  })

  test("a window starts again when it ends", () => {
    let now = 1_000_000
    const limit = makeRateLimit({ rateLimitRpm: 1, rateLimitRpd: 2 }, () => now)
    const take = () => (limit.take("a") as Json)._tag
    expect([take(), take()]).toEqual(["Success", "Failure"])
    now += 59_001
    expect(limit.state("a").rpm).toEqual({ limit: 1, remaining: 0, reset: 1 })
    now += 999
    expect(limit.state("a").rpm).toEqual({ limit: 1, remaining: 1, reset: 60 })
    expect([take(), take()]).toEqual(["Success", "Failure"])
    now += 60_000
    expect(take()).toBe("Failure")
    expect(limit.state("a")).toEqual({
      rpm: { limit: 1, remaining: 1, reset: 60 },
      rpd: { limit: 2, remaining: 0, reset: 86_280 },
    })
    now += 86_280_000
    expect(take()).toBe("Success")
  })

  test("memory is bounded: of 50,000 callers the oldest is forgotten for a new one", () => {
    let now = 0
    const limit = makeRateLimit({ rateLimitRpm: 1 }, () => now)
    limit.take("first")
    expect(limit.state("first").rpm.remaining).toBe(0)
    for (let index = 0; index < 49_999; index++) limit.take(`caller ${index}`)
    expect(limit.state("first").rpm.remaining).toBe(0)
    limit.take("one more")
    expect(limit.state("first").rpm.remaining).toBe(1)
    expect(limit.state("one more").rpm.remaining).toBe(0)
    now += 60_000
    limit.take("first")
    expect(limit.state("first").rpm.remaining).toBe(0)
  })
})

test("keys are never in an answer, a link or the log", () =>
  withService({ strictKeys: true, apiKeysSha256: [sha256("s3cret-key")], rateLimitRpm: 50 }, async (service) => {
    for (const path of [
      `${list}?apikey=s3cret-key&limit=1`,
      `${list}?apiKey=s3cret-key&limit=x`,
      `${prefix("43114")}/compat/api?ApiKey=s3cret-key`,
      `/nowhere?apikey=s3cret-key`,
      `${list}?apikey=s3cret-key-not`,
    ]) {
      const response = await service.fetch(path, header("authorization", "Bearer s3cret-key"))
      const all = JSON.stringify([...response.headers]) + (await response.text())
      expect(all).not.toContain("s3cret-key")
    }
    expect(service.logs.join()).not.toContain("s3cret-key")
  }))

test("a digest that is none is refused at the start", async () => {
  expect(await problemOf(startService({ apiKeysSha256: ["abc"] }))).toContain("API_KEYS_SHA256")
})
