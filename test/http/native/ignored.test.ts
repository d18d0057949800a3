/** docs/interface.md: parameters that an endpoint does not know are named, and refused where the caller wishes so. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { prefix } from "../support.ts"
import { ann, gold, startWorld } from "../world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

const list = `${prefix("43114")}/erc20-transfers`
const ignored = async (target: string, init?: RequestInit) => {
  const { headers, body } = await service.fetch(target, init)
  await body?.cancel()
  return headers.get("x-ignored-parameters")
}

test("unknown names stand in x-ignored-parameters, known ones do not", async () => {
  expect(await ignored(`${list}?tokenaddress=${gold}`)).toBe("tokenaddress")
  expect(await ignored(`${list}?tokenAddress=${gold}&from=${ann}&apikey=a&apiKey=b&strict=false&limit=1`)).toBeNull()
  expect(await ignored(`${list}?LIMIT=1&b=2&LIMIT=3&a%2Cb%0A=4`)).toBe("LIMIT,b,a%2Cb%0A")
})

test("on kept answers, streams, refusals and answers without a body too", async () => {
  const target = `${list}?tokenaddress=${gold}&limit=2`
  for (let time = 0; time < 3; time++) expect(await ignored(target)).toBe("tokenaddress")
  const etag = (await service.fetch(target)).headers.get("etag") ?? ""
  expect(await ignored(target, { headers: { "if-none-match": etag } })).toBe("tokenaddress")
  expect(await ignored(target, { headers: { accept: "text/csv" } })).toBe("tokenaddress")
  expect(await ignored(target, { method: "HEAD" })).toBe("tokenaddress")
  expect(await ignored(`${list}?tokenaddress=${gold}&limit=none`)).toBe("tokenaddress")
})

test("at most ten names of at most 64 characters", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `n${index}`)
  expect(await ignored(`${list}?${names.join("&")}`)).toBe(names.slice(0, 10).join(","))
  expect(await ignored(`${list}?${"ä".repeat(70)}=1`)).toBe("%C3%A4".repeat(64))
})

test("compatibility paths name none", async () => {
  expect(await ignored(`${prefix("43114")}/etherscan/api?module=stats&none=1`)).toBeNull()
  expect(await ignored("/v2/api?none=1")).toBeNull()
})

test("strict=true refuses them, before anything is read", async () => {
  const { status, body } = await service.get(`${list}?tokenaddress=${gold}&strict=true`)
  expect([status, body.code]).toEqual([400, "INVALID_PARAMETER"])
  expect(body.message).toStartWith("parameter: expected one of tokenAddress, sort, limit")
  expect(body.message).toEndWith(", got tokenaddress")
  expect((await service.get(`${list}?tokenAddress=${gold}&strict=true&limit=1`)).status).toBe(200)
})

test.each(["TRUE", "1", "yes"])("strict=%s is neither", async (given) => {
  const { status, body } = await service.get(`${list}?strict=${given}&limit=1`)
  expect([status, body.message]).toEqual([400, `strict: expected true or false, got ${given}`])
})

test("the next page is as strict", async () => {
  const first = await service.get(`${list}?strict=true&limit=1`)
  expect(first.body.link.next).toContain("strict=true")
  expect((await service.get(first.body.link.next)).status).toBe(200)
})
