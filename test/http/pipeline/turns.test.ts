/** Costly reads that never end, beside everything else: who is still answered, who is served next, who is sent away. */
import { afterEach, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { always } from "../../support/always.ts"
import { problemOf, settled } from "../../support/failure.ts"
import { prefix, type ServiceOptions, type TestService } from "../support.ts"
import { gold, startWorld } from "../world.ts"

const base = prefix("43114")
const holders = `${base}/erc20/${gold}/holders?blockNumber=2`
/** Each its own question: who asks the same would share an answer. */
let questions = 0
const another = () => `${holders}&ask=${questions++}`
const compat = `${base}/compat/api?module=token&action=tokenholdercount&contractaddress=${gold}&blockno=2`
const [first, second, third] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]

let service: TestService
afterEach(() => service.close())

/** Reads of holders as they begin, by whom they are for; each ends when the test says so, or its caller leaves. */
const open = async (options: ServiceOptions = {}) => {
  const begun: Array<() => void> = []
  const left = { count: 0 }
  const read = Effect.callback<never>((resume) => {
    begun.push(() => resume(Effect.die("ended by the test")))
    return Effect.sync(() => void left.count++)
  })
  service = await startWorld({ ...options, replace: Layer.succeed(HolderStore, always(read)) })
  return { begun, left }
}

const times = <A>(count: number, make: () => A): ReadonlyArray<A> => Array.from({ length: count }, make)

test("40 costly reads of one caller hold up nothing else: cheap lists, lists of all, readiness, metrics", async () => {
  const { begun } = await open()
  const hanging = new AbortController()
  const costly = times(40, () => service.fetch(another(), { signal: hanging.signal }, first))
  await settled()
  expect(begun.length).toBe(2)
  for (const ip of [first, second]) {
    const cheap = await service.get(`${base}/erc20`, {}, ip)
    const all = await service.get(`${prefix("all")}/erc20-transfers`, {}, ip)
    const ready = await service.get("/ready", {}, ip)
    expect([cheap.status, all.status, ready.body.store]).toEqual([200, 200, "ok"])
  }
  expect(await (await service.fetch("/metrics")).text()).toContain("cowry_store_up 1\n")
  hanging.abort()
  await Promise.all(costly)
})

test("a second caller's costly read is served before the rest of the first one's", async () => {
  const { begun } = await open()
  const order: Array<string> = []
  const ask = (ip: string) => service.fetch(another(), {}, ip).then(() => order.push(ip))
  const ofFirst = times(10, () => ask(first!))
  await settled()
  const all = [...ofFirst, ask(second!), ask(third!)]
  await settled()
  // Of three turns the first caller has two: the third one's waits for one of them.
  expect(begun.length).toBe(3)
  for (let ended = 0; ended < all.length; ended++) {
    begun[ended]!()
    await settled()
  }
  await Promise.all(all)
  expect(order.indexOf(second!)).toBeLessThan(3)
  expect(order.indexOf(third!)).toBeLessThan(5)
  expect(order.filter((ip) => ip === first)).toHaveLength(10)
})

test("who waits for another's answer holds no turn meanwhile, and has one again where there is none to share", async () => {
  const { begun } = await open()
  const same = times(40, () => service.fetch(holders, {}, first))
  const other = service.fetch(another(), {}, first)
  await settled()
  expect(begun.length).toBe(2)
  const theirs = service.fetch(another(), {}, second)
  await settled()
  expect(begun.length).toBe(3)
  // What fails is nobody else's answer: each asks for itself, by turns.
  for (let ended = 0; ended < 42; ended++) {
    expect(begun.length - ended).toBeLessThanOrEqual(3)
    begun[ended]!()
    await settled()
  }
  expect(begun.length).toBe(42)
  for (const answer of await Promise.all([...same, other, theirs])) expect(answer.status).toBe(500)
  expect(await (await service.fetch("/metrics")).text()).toContain('cowry_http_turns_running{cost="costly"} 0\n')
})

describe("who cannot be served in time", () => {
  test("because the queue is full is told at once when to come again, in both styles", async () => {
    const { begun } = await open({ shares: { costly: { turns: 1, perCaller: 1, mostWaiting: 1 } } })
    const hanging = new AbortController()
    const waiting = times(2, () => service.fetch(holders, { signal: hanging.signal }, first))
    await settled()
    const message = "too many requests of this kind wait: try again in 1 seconds"
    const native = await service.fetch(holders, {}, second)
    expect([native.status, native.headers.get("retry-after"), await native.json()]).toEqual([
      503,
      "1",
      { statusCode: 503, code: "UNAVAILABLE", error: "Service Unavailable", message },
    ])
    const inEnvelope = await service.fetch(compat, {}, second)
    expect([inEnvelope.status, inEnvelope.headers.get("retry-after"), await inEnvelope.json()]).toEqual([
      503,
      null,
      { status: "0", message: "NOTOK", result: message },
    ])
    expect(begun.length).toBe(1)
    // Both are of one kind.
    expect(service.logs.length).toBe(1)
    expect(service.logs[0]).toContain(`UNAVAILABLE: ${message}`)
    hanging.abort()
    await Promise.all(waiting)
  })

  test("because nobody ends is told so after half of a request's time", async () => {
    await open({ requestTimeoutMs: 400, shares: { costly: { turns: 1, perCaller: 1 } } })
    const [running, waiting] = times(2, () => service.fetch(holders, {}, first))
    const refused = await waiting!
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
    expect((await running!).status).toBe(504)
  })
})

describe("a turn comes back", () => {
  const shares = { costly: { turns: 1, perCaller: 1 } }

  test("from a caller that leaves, while it waits and while it is served", async () => {
    const { begun, left } = await open({ shares })
    const clients = times(3, () => new AbortController())
    const answers = clients.map(({ signal }) => service.fetch(holders, { signal }, first))
    await settled()
    clients[1]!.abort()
    await answers[1]
    expect([begun.length, left.count]).toEqual([1, 0])
    clients[0]!.abort()
    await answers[0]
    await settled()
    expect([begun.length, left.count]).toEqual([2, 1])
    clients[2]!.abort()
    await Promise.all(answers)
  })

  test("from a request that runs out of time", async () => {
    const { begun } = await open({ shares, requestTimeoutMs: 100 })
    for (let asked = 1; asked <= 2; asked++) {
      expect((await service.fetch(holders)).status).toBe(504)
      expect(begun.length).toBe(asked)
    }
  })

  test("from a request that fails", async () => {
    const { begun } = await open({ shares })
    const failing = service.fetch(holders)
    await settled()
    begun[0]!()
    expect((await failing).status).toBe(500)
    const leaving = new AbortController()
    const next = service.fetch(holders, { signal: leaving.signal })
    await settled()
    expect(begun.length).toBe(2)
    leaving.abort()
    await next
  })
})

describe("streams", () => {
  const list = `${base}/erc20-transfers`
  const init = { headers: { accept: "text/csv" } }
  const shares = { stream: { turns: 2, perCaller: 1, mostWaiting: 2 } }
  const streams = { unreadMs: 60_000, patienceMs: 100, pieceBytes: 16 }

  test("of one caller leave others theirs, and end whole at any pace while nobody waits", async () => {
    service = await startWorld({ shares, streams })
    const [slow, other] = [await service.fetch(list, init, first), await service.fetch(list, init, second)]
    expect([slow.status, other.status]).toEqual([200, 200])
    const whole = await other.text()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await slow.text()).toBe(whole)
    expect(whole.split("\r\n").length).toBe(7)
  })

  test("that are read too slowly are broken off where others wait, who are then served", async () => {
    service = await startWorld({ shares, streams })
    const [slow, other] = [await service.fetch(list, init, first), await service.fetch(list, init, second)]
    const served = await service.fetch(list, init, third)
    expect(served.status).toBe(200)
    const outcomes = await Promise.allSettled([slow.text(), other.text(), served.text()])
    // One of the two, no more than is needed: the other goes on.
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "fulfilled", "rejected"])
    expect(outcomes[2]!.status).toBe("fulfilled")
  })

  test("hold no snapshot for a client that reads nothing", async () => {
    service = await startWorld({ shares, streams: { ...streams, unreadMs: 100 } })
    for (let streams = 0; streams < 5; streams++) {
      const unread = await service.fetch(list, init, first)
      expect(unread.status).toBe(200)
      await new Promise((resolve) => setTimeout(resolve, 250))
      expect(await problemOf(unread.text())).toContain("broken off: the client reads no more")
    }
  })

  test("wait in their own queue: pages are answered, and too many streams are refused", async () => {
    service = await startWorld({ shares, requestTimeoutMs: 3000, streams: { ...streams, patienceMs: 60_000 } })
    const held = [await service.fetch(list, init, first), await service.fetch(list, init, second)]
    expect((await service.get(list)).status).toBe(200)
    const refused = await service.fetch(list, init, first)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
    await Promise.all(held.map((response) => response.body?.cancel()))
    await (await service.fetch(list, init, first)).text()
  })
})
