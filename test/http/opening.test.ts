/** What a process answers while it starts: its port is open before its store is. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { type ServiceOptions, startService, syncStatus } from "./support.ts"

/** A service whose store opens when `letIn` is called, and never when `refuse` is. */
const openingService = async (options: ServiceOptions = {}) => {
  const store = Promise.withResolvers<void>()
  store.promise.catch(() => {})
  const status = [syncStatus("43114")]
  const service = await startService({ openingPatienceMs: 60_000, status, ...options, opened: store.promise })
  return { ...service, letIn: store.resolve, refuse: () => store.reject(new Error("no store")) }
}

const list = "/v2/network/mainnet/evm/43114/erc20?limit=1"
const compat = "/v2/network/mainnet/evm/43114/compat/api?module=stats&action=tokensupply&contractaddress=0x1"
const words = "the service starts, and its store is not open yet"

/** An answer but for its name and its time. */
const partsOf = async (response: Response) => {
  const headers = Object.fromEntries(response.headers)
  delete headers["x-request-id"]
  return { status: response.status, headers, body: await response.text() }
}

test("/health says that the process lives, in the very answer that it gives later", async () => {
  const { fetch, letIn, close } = await openingService()
  const early = [await partsOf(await fetch("/health")), await partsOf(await fetch("/health", { method: "HEAD" }))]
  letIn()
  await (await fetch(list)).text()
  const late = [await partsOf(await fetch("/health")), await partsOf(await fetch("/health", { method: "HEAD" }))]
  expect(early).toEqual(late)
  expect(early[0]).toMatchObject({ status: 200, body: '{"status":"ok"}' })
  await close()
})

test("/ready says that it is not, and why; and once there is a store what it says of it", async () => {
  const { fetch, letIn, close } = await openingService()
  const early = await fetch("/ready")
  expect(early.status).toBe(503)
  expect(await early.json()).toEqual({ status: "not ready", store: "unreachable", problem: words, chains: [] })
  letIn()
  expect(await (await fetch("/ready")).json()).toMatchObject({ store: "ok", chains: [{ chainId: "43114" }] })
  await close()
})

test("whoever asks for more waits, and is answered once there is a store", async () => {
  const { fetch, letIn, close } = await openingService()
  const asked = [fetch(list), fetch(list, { method: "HEAD" }), fetch("/nowhere"), fetch("/health", { method: "POST" })]
  letIn()
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 404, 405])
  await close()
})

test("in vain: who waited too long is told to come again, in the form that it reads", async () => {
  const { fetch, letIn, close } = await openingService({ openingPatienceMs: 20, compatShapes: ["sim"] })
  const answers = await Promise.all([list, compat, "/nowhere", "/v1/evm/balances/0x1"].map((path) => fetch(path)))
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503])
  const [native, envelope, , foreign] = await Promise.all(answers.map((it) => it.json()))
  const message = `${words}: try again shortly`
  expect(native).toEqual({ statusCode: 503, code: "UNAVAILABLE", error: "Service Unavailable", message })
  expect(answers[0]!.headers.get("retry-after")).toBe("5")
  expect(envelope).toEqual({ status: "0", message: "NOTOK", result: message })
  expect(foreign).toEqual({ message })
  for (const { headers } of answers) expect(headers.get("x-request-id")).not.toBeNull()
  letIn()
  expect((await fetch(list)).status).toBe(200)
  await close()
})

test("where there will be no store they are told at once", async () => {
  const { fetch, refuse, close } = await openingService()
  const waiting = fetch(list)
  refuse()
  expect((await waiting).status).toBe(503)
  expect((await fetch(list)).status).toBe(503)
  await close()
})

test("a thousand wait, and no more", async () => {
  const { app, fetch, letIn, close } = await openingService()
  const waiting = Array.from({ length: 1_000 }, () => fetch("/nowhere"))
  expect((await fetch(list)).status).toBe(503)
  expect((await fetch("/health")).status).toBe(200)
  letIn()
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([404]))
  const families = await Effect.runPromise(app.metrics)
  expect(JSON.stringify(families)).toContain("5xx")
  await close()
})
