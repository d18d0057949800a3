/** Which node is asked when, how often, and which never: on a clock that the test moves. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { Clock, Duration, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { makeFailover } from "../../../src/adapters/rpc/transport/failover.ts"
import { nodesOf } from "../../../src/adapters/rpc/transport/nodes.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { makeBudget } from "../../../src/model/time/budget.ts"
import { answer, call, clientOf, echo, failureOf, otherUrl, play, run, server, url } from "../node.ts"

const ethereum = ChainId.make("1")

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const onTestClock = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(effect.pipe(Effect.provide(TestClock.layer())))

describe("the preferred node", () => {
  test("is asked again a minute after it failed, and after twice as long each time it fails again", async () => {
    const nodes = nodesOf([url, otherUrl])
    const failover = makeFailover(nodes)
    const chosen = Effect.map(failover.choose, (node) => nodes.indexOf(node))
    const seen = await onTestClock(
      Effect.gen(function* () {
        const places: Array<number> = [yield* chosen]
        for (const seconds of [0, 59, 1]) {
          if (seconds === 0) yield* failover.recordFailure(nodes[0]!)
          yield* TestClock.adjust(seconds * 1000)
          places.push(yield* chosen)
        }
        yield* failover.recordFailure(nodes[0]!)
        for (const seconds of [119, 1]) {
          yield* TestClock.adjust(seconds * 1000)
          places.push(yield* chosen)
        }
        failover.recordSuccess(nodes[0]!)
        yield* failover.recordFailure(nodes[0]!)
        for (const seconds of [59, 1]) {
          yield* TestClock.adjust(seconds * 1000)
          places.push(yield* chosen)
        }
        return places
      }),
    )
    expect(seen).toEqual([0, 1, 1, 0, 1, 0, 1, 0])
  })

  test("is left to rest for as long as it asked, though its turn has come", async () => {
    const nodes = nodesOf([url, otherUrl])
    const failover = makeFailover(nodes)
    const seen = await onTestClock(
      Effect.gen(function* () {
        yield* failover.recordFailure(nodes[0]!, { kind: "http", message: "", retryAfterMs: 90_000 })
        yield* TestClock.adjust(80_000)
        const resting = nodes.indexOf(yield* failover.choose)
        yield* TestClock.adjust(10_000)
        return [resting, nodes.indexOf(yield* failover.choose)]
      }),
    )
    expect(seen).toEqual([1, 0])
  })
})

describe("a node that asks to be left alone", () => {
  const refusing = (retryAfter: string) => () =>
    new Response("slow down", { status: 429, headers: { "retry-after": retryAfter } })
  const sum = (waits: ReadonlyArray<number>) => waits.reduce((total, wait) => total + wait, 0)
  /** What was waited for between the tries, by a clock that passes where somebody waits by it. */
  const waitsOf = async (retryAfter: string) => {
    const bodies = play([refusing(retryAfter)])
    const waits: Array<number> = []
    await run(
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const nanos = () => BigInt(Math.round(sum(waits) * 1e6))
        const own: Partial<Clock.Clock> = {
          monotonicTimeNanosUnsafe: nanos,
          monotonicTimeNanos: Effect.sync(nanos),
          sleep: (duration) => Effect.sync(() => void waits.push(Duration.toMillis(duration))),
        }
        const ahead: Clock.Clock = Object.assign(Object.create(clock), own)
        const asked = clientOf({ backoffMs: 1000, attempts: 5 }).batch([call(1)])
        return yield* Effect.flip(Effect.provideService(asked, Clock.Clock, ahead))
      }),
    )
    expect(bodies.length).toBe(5)
    return waits
  }

  test.each([["0"], ["Thu, 01 Jan 1970 00:00:00 GMT"]])(
    "for no time (%s) is left as any that failed",
    async (given) => {
      const waits = await waitsOf(given)
      expect(waits.length).toBe(4)
      for (const [failures, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(500 * 2 ** failures)
    },
  )

  test("is left for that long, and no longer where that is the longer wait", async () => {
    const waits = await waitsOf("20")
    expect(sum(waits) / 1000).toBeCloseTo(4 * 20)
  })
})

describe("the node in use", () => {
  const minute = 60_000

  test("is the one that is asked while the preferred node rests for longer than it is away", async () => {
    const nodes = nodesOf([url, otherUrl, "http://third.test/"])
    const failover = makeFailover(nodes)
    const chosen = Effect.map(failover.choose, (node) => [nodes.indexOf(node), failover.current()])
    const seen = await onTestClock(
      Effect.gen(function* () {
        yield* failover.recordFailure(nodes[0]!, { kind: "http", message: "", retryAfterMs: 10 * minute })
        yield* TestClock.adjust(minute + 1000)
        const places = [yield* chosen]
        // The next one fails: the third is asked, not it again.
        yield* failover.recordFailure(nodes[1]!)
        places.push(yield* chosen)
        yield* TestClock.adjust(9 * minute)
        places.push(yield* chosen)
        return places
      }),
    )
    expect(seen).toEqual([
      [1, 1],
      [2, 2],
      [0, 0],
    ])
  })

  test("is the one that is asked while another client has the preferred node rest", async () => {
    const nodes = nodesOf([url, otherUrl])
    const [failover, another] = [makeFailover(nodes), makeFailover(nodes)]
    const chosen = Effect.map(failover.choose, (node) => [nodes.indexOf(node), failover.current()])
    const seen = await onTestClock(
      Effect.gen(function* () {
        const places = [yield* chosen]
        yield* another.recordFailure(nodes[0]!, { kind: "http", message: "", retryAfterMs: 5000 })
        places.push(yield* chosen)
        yield* TestClock.adjust(5000)
        places.push(yield* chosen)
        return places
      }),
    )
    expect(seen).toEqual([
      [0, 0],
      [1, 1],
      [0, 0],
    ])
  })
})

test("a budget of calls goes by a clock that only passes", async () => {
  const budget = makeBudget(10)
  const spent = await onTestClock(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let hours = 0
      const jumping: Clock.Clock = {
        ...clock,
        currentTimeMillisUnsafe: () => hours * 3_600_000,
        currentTimeMillis: Effect.sync(() => hours * 3_600_000),
      }
      const spending = yield* Effect.forkChild(
        Effect.forEach([0, -5, 7, -40], (jump) =>
          Effect.andThen(
            Effect.sync(() => (hours = jump)),
            budget.spend(2),
          ),
        ).pipe(Effect.provideService(Clock.Clock, jumping)),
      )
      yield* TestClock.adjust(2000)
      return spending.pollUnsafe() !== undefined
    }),
  )
  expect(spent).toBe(true)
})

describe("a node of which nobody knows the chain", () => {
  const ofChain = (id: string) => answer(({ method, params }) => (method === "eth_chainId" ? id : params[0]))

  test("is asked for it again every minute: another may be behind its address by then", async () => {
    let id = "0x1"
    const changing = answer(({ method, params }) => (method === "eth_chainId" ? id : params[0]))
    const bodies = play([changing])
    play([answer(({ method }) => (method === "eth_chainId" ? "0x1" : "of the other"))], otherUrl)
    const client = clientOf({ chainId: ethereum }, [url, otherUrl])
    const seen = await onTestClock(
      Effect.gen(function* () {
        const before = yield* client.batch([call(7)])
        id = "0x5"
        yield* TestClock.adjust(59_000)
        const within = yield* client.batch([call(8)])
        yield* TestClock.adjust(1000)
        return [before, within, yield* client.batch([call(9)])]
      }).pipe(Effect.provide(Logger.layer([]))),
    )
    expect(seen).toEqual([[7], [8], ["of the other"]])
    expect(bodies.map((body) => (body as { method: string }).method)).toEqual([
      "eth_chainId",
      "echo",
      "echo",
      "eth_chainId",
    ])
    expect(client.refusals?.().chain).toBe(1)
  })

  test("and is the only one fails at once while it is of another chain, and is asked again after five seconds", async () => {
    let id = "0x5"
    const bodies = play([answer(({ method, params }) => (method === "eth_chainId" ? id : params[0]))])
    const client = clientOf({ chainId: ethereum })
    const said = await onTestClock(
      Effect.gen(function* () {
        const first = yield* Effect.flip(client.batch([call(7)]))
        const second = yield* Effect.flip(client.batch([call(7)]))
        id = "0x1"
        yield* TestClock.adjust(5000)
        return [first.message, second.message, yield* client.batch([call(7)])]
      }).pipe(Effect.provide(Logger.layer([]))),
    )
    expect(said).toEqual([
      "http://node.test: echo(7): a node of chain 5, not 1",
      "http://node.test: echo(7): a node of chain 5, not 1",
      [7],
    ])
    expect(bodies.length).toBe(3)
  })

  test("is asked for it once, before anything else", async () => {
    const bodies = play([ofChain("0x1")])
    const client = clientOf({ chainId: ethereum })
    expect(await run(client.batch([call(7)]))).toEqual([7])
    expect(await run(client.batch([call(8)]))).toEqual([8])
    expect(bodies.map((body) => (body as { method: string }).method)).toEqual(["eth_chainId", "echo", "echo"])
  })

  test("and that is of another one is never asked anything else", async () => {
    play([() => new Response("", { status: 503 })])
    const second = play([ofChain("0x5")], otherUrl)
    const client = clientOf({ chainId: ethereum, attempts: 3 }, [url, otherUrl])
    expect((await failureOf(client.batch([call(1)]).pipe(Effect.provide(Logger.layer([]))))).message).toContain(
      "HTTP 503",
    )
    expect(second.map((body) => (body as { method: string }).method)).toEqual(["eth_chainId"])
  })

  test("and that does not know the method is believed", async () => {
    play([
      (body) =>
        (body as { method: string }).method === "eth_chainId"
          ? Response.json({ id: (body as { id: number }).id, error: { code: -32601, message: "unknown" } })
          : echo(body),
    ])
    expect(await run(clientOf({ chainId: ethereum }).batch([call(7)]))).toEqual([7])
  })
})

describe("a budget", () => {
  for (const rate of [1, 2, 3, 4, 5, 10, 20, 33, 100]) {
    test(`of ${rate} calls a second lets no more through in any second, and most of them`, async () => {
      const budget = makeBudget(rate)
      const at: Array<number> = []
      await onTestClock(
        Effect.gen(function* () {
          let now = 0
          const ask = Effect.gen(function* () {
            // As long requests as go, after a rest and one after another.
            for (let request = 0; ; request++) {
              const calls = 1 + (request % budget.mostAtOnce)
              yield* budget.spend(calls)
              for (let call = 0; call < calls; call++) at.push(now)
            }
          })
          const fiber = yield* Effect.forkChild(ask, { startImmediately: true })
          for (; now < 20_000; now += 10) {
            yield* TestClock.adjust(10)
          }
          yield* Fiber.interrupt(fiber)
        }),
      )
      const most = Math.max(...at.map((from) => at.filter((time) => time >= from && time < from + 1000).length))
      expect(most).toBeLessThanOrEqual(rate)
      expect(at.length).toBeGreaterThan(rate * 20 * 0.5)
    })
  }
})

describe("a budget of 20 calls a second", () => {
  /** When each of these was let through, in milliseconds. */
  const letThrough = (calls: ReadonlyArray<number>) =>
    onTestClock(
      Effect.gen(function* () {
        const budget = makeBudget(20)
        const at: Array<number> = []
        let now = 0
        const fibers = yield* Effect.forEach(calls, (count) =>
          Effect.forkChild(
            Effect.andThen(
              budget.spend(count),
              Effect.sync(() => at.push(now)),
            ),
            {
              startImmediately: true,
            },
          ),
        )
        for (; at.length < calls.length; now += 50) yield* TestClock.adjust(50)
        yield* Effect.forEach(fibers, Fiber.join)
        return at
      }),
    )

  test("lets three of them through at once, then one every 56 ms, in order", async () => {
    expect(await letThrough([1, 1, 1, 1, 1, 1])).toEqual([0, 0, 0, 50, 100, 150])
  })

  test("makes whoever comes after a long request wait for it", async () => {
    expect(await letThrough([3, 3, 1])).toEqual([0, 150, 200])
  })

  test("gives no node more in one request than may go at once", () => {
    expect([1, 2, 3, 20, 100].map((rate) => makeBudget(rate).mostAtOnce)).toEqual([1, 1, 2, 3, 15])
    expect(nodesOf([url], { callsPerSecond: 20 })[0]!.batchSize.current).toBe(3)
  })

  test("that is absent lets everything through", async () => {
    expect(await onTestClock(makeBudget(undefined).spend(1e9))).toBeUndefined()
  })
})
