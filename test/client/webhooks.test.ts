/** The client's calls of webhooks, against the service. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { CowryError, createClient } from "../../client/src/index.ts"
import { startDocumented } from "../http/openapi/documentedWorld.ts"
import { sha256, type TestService } from "../http/support.ts"
import { failureOf } from "../support/failure.ts"

let service: TestService
beforeAll(async () => {
  service = await startDocumented({ managersSha256: [sha256("the-manager")] })
})
afterAll(() => service.close())

const webhooksWith = (apiKey: string, answer = (request: Request) => service.app.fetch(request, "192.0.2.1")) =>
  createClient({ baseUrl: "http://cowry.test", apiKey, fetch: answer }).webhooks
const failed = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(CowryError)
  const { code, status, parameter } = error as CowryError
  return [code, status, parameter]
}

test("a webhook is made, changed, sent back, listed and removed", async () => {
  const webhooks = webhooksWith("the-manager")
  const { id, secret, after, ...made } = await webhooks.create({
    url: "https://example.com/hook",
    chainIds: ["43114"],
    filter: { kinds: ["transfer"] },
    delivery: "finalized",
  })
  expect(made).toMatchObject({ url: "https://example.com/hook", state: "active", sequence: 0, delivery: "finalized" })
  expect([secret.slice(0, 6), after === ""]).toEqual(["whsec_", false])
  const changed = await webhooks.change(id, { state: "paused", filter: {} })
  expect([changed.state, changed.filter, "secret" in changed]).toEqual(["paused", {}, false])
  const again = await webhooks.replay(id, "beginning")
  expect([again.state, again.after]).toEqual(["active", ""])
  expect(await webhooks.list()).toEqual([await webhooks.get(id)])
  expect((await webhooks.remove(id)).id).toBe(id)
  expect(await webhooks.list()).toEqual([])
  expect(await failed(webhooks.get(id))).toEqual(["NOT_FOUND", 404, undefined])
})

test("what is refused is an error, and nothing is asked twice", async () => {
  expect(await failed(webhooksWith("another").list())).toEqual(["UNAUTHORIZED", 401, undefined])
  const webhooks = webhooksWith("the-manager")
  expect(await failed(webhooks.create({ url: "http://127.0.0.1/" }))).toEqual(["INVALID_PARAMETER", 400, "url"])
  expect(await failureOf(webhooks.remove(""))).toBeInstanceOf(TypeError)
  let asked = 0
  const busy = webhooksWith("the-manager", async () => {
    asked++
    return Response.json({ code: "OVERLOADED", message: "later" }, { status: 503, headers: { "retry-after": "1" } })
  })
  expect((await failed(busy.create({ url: "https://example.com/" })))[1]).toBe(503)
  const unreachable = webhooksWith("the-manager", () => Promise.reject(new Error("no")))
  expect((await failed(unreachable.list()))[0]).toBe("UNREACHABLE")
  expect(asked).toBe(1)
})
