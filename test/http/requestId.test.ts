/** What a request is called: in its answer whatever that is, and in every line that is logged of it, and of no other. */
import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { SupplyStore } from "../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { always } from "../support/always.ts"
import { prefix, startService } from "./support.ts"
import { gold, startWorld } from "./world.ts"

const idOf = (response: Response) => response.headers.get("x-request-id")
const sent = (id: string, init: RequestInit = {}): RequestInit => ({ ...init, headers: { "x-request-id": id } })

describe("every answer has an id", async () => {
  const world = await startWorld({ answerCacheBytes: 1_000_000 })
  afterAll(() => world.close())
  const list = `${prefix("43114")}/erc20`
  const cases: ReadonlyArray<readonly [string, string, RequestInit]> = [
    ["a list", list, {}],
    ["the same, kept", list, {}],
    ["a HEAD", list, { method: "HEAD" }],
    ["a question before one", list, { method: "OPTIONS" }],
    ["a wrong method", list, { method: "DELETE" }],
    ["a wrong parameter", `${list}?limit=none`, {}],
    ["a path that is none", "/nowhere", {}],
    ["a compatibility action", `${prefix("43114")}/compat/api?module=none`, {}],
    ["rows in pieces", list, { headers: { accept: "application/x-ndjson" } }],
    ["metrics", "/metrics", {}],
    ["the page", "/", {}],
    ["a stream of events", `${prefix("43114")}/events?kinds=transfer`, {}],
  ]
  test.each(cases)("%s", async (_, path, init) => {
    const made = await world.fetch(path, init)
    expect(idOf(made)).toMatch(/^[\w]{8}-[0-9a-z]+$/)
    const own = await world.fetch(path, { ...init, headers: { ...init.headers, "x-request-id": "web/1:a.b-c=" } })
    expect(idOf(own)).toBe("web/1:a.b-c=")
  })

  test("no two are alike where nobody names them", async () => {
    const ids = await Promise.all(Array.from({ length: 200 }, async () => idOf(await world.fetch(list))))
    expect(new Set(ids).size).toBe(200)
  })

  const harmful = ["", "two words", "a".repeat(129), 'x"y', "a,b", "ü", "{{x}}", "a;b", "<b>"]
  test.each(harmful)("%p is not taken over", async (id) => {
    expect(idOf(await world.fetch(list, sent(id)))).toMatch(/^[\w]{8}-[0-9a-z]+$/)
  })

  test("browsers may send it and see it", async () => {
    const asked = await world.fetch(list, { method: "OPTIONS" })
    expect(asked.headers.get("access-control-allow-headers")).toContain("x-request-id")
    expect(asked.headers.get("access-control-expose-headers")).toContain("x-request-id")
  })
})

test("lines of the log name the request they are of, and no later one", async () => {
  const read = Effect.suspend(() => Effect.die(new Error(`broken ${Math.random()}`)))
  const service = await startService({
    replace: Layer.merge(Layer.succeed(TokenStore, always(read)), Layer.succeed(SupplyStore, always(read))),
  })
  const first = await service.fetch(`${prefix("43114")}/erc20`, sent("first-1"))
  expect(first.status).toBe(500)
  const compat = `${prefix("43114")}/compat/api?module=stats&action=tokensupply&contractaddress=${gold}`
  await service.fetch(compat, sent("second-2"))
  await service.run(Effect.logWarning("of no request"))
  const lines = service.logs
  expect(lines.some((line) => line.includes("failed to answer") && line.includes("requestId=first-1"))).toBe(true)
  expect(lines.find((line) => line.includes("of no request"))).not.toContain("requestId")
  await service.close()
})
