/** Limits that instances count together: never exceeded but by what is said, no request waits, and what happens while the database is away. */
import { describe, expect, test } from "bun:test"
import { Effect, Fiber, Layer, ManagedRuntime, Result } from "effect"
import fc from "fast-check"
import { makeSharedRateLimit, type SharedRateLimit } from "../../src/adapters/http/contract/sharedRateLimit.ts"
import * as PostgresDatabase from "../../src/adapters/postgres/database/PostgresDatabase.ts"
import * as PostgresSharedLimits from "../../src/adapters/postgres/registry/PostgresSharedLimits.ts"
import { shareLimits } from "../../src/app/sharedLimits.ts"
import { StoreUnavailable } from "../../src/model/errors.ts"
import { type LimitUse, SharedLimits } from "../../src/ports/SharedLimits.ts"
import { prefix, startService } from "../http/support.ts"
import { testSettings } from "../support/givenServer.ts"

/** A store of counters as the port says, on a clock of its own. */
const makeStore = (now: () => number) => {
  const used = new Map<string, number>()
  return (uses: ReadonlyArray<LimitUse>, processes: number) => ({
    totals: uses.map(({ period, began, caller, calls }) => {
      const key = `${period} ${began} ${caller}`
      used.set(key, (used.get(key) ?? 0) + calls)
      return used.get(key)!
    }),
    processes,
    now: now(),
  })
}

const minute = 60_000
/** The beginning of a window, and of a day. */
const start = 20_000 * 86_400_000

/** Instances that know each other. `join` makes one that nobody knows yet, nor it them: others hear of it once it has asked. */
const world = (instances: number, limits: { rateLimitRpm?: number; rateLimitRpd?: number }) => {
  let time = start - 4000
  const clock = () => time
  const store = makeStore(clock)
  const heardOf = new Set<SharedRateLimit>()
  const join = () => makeSharedRateLimit(limits, clock, clock)
  const all = Array.from({ length: instances }, join)
  const exchange = (each: SharedRateLimit) => {
    const uses = each.collect()
    each.settle(uses, store(uses, heardOf.add(each).size))
  }
  const pass = (ms: number) => (time += ms)
  for (const each of all) exchange(each)
  pass(4000)
  for (const each of all) exchange(each)
  return { all, exchange, pass, join }
}
const takes = (limit: SharedRateLimit, times: number, caller = "key 1") => {
  let taken = 0
  for (let call = 0; call < times; call++) if (Result.isSuccess(limit.take(caller))) taken++
  return taken
}

describe("limits that are counted together", () => {
  test("of one instance are the limit, to the last call at once", () => {
    const { all } = world(1, { rateLimitRpm: 60 })
    expect(takes(all[0]!, 100)).toBe(60)
    expect(all[0]!.state("key 1").rpm).toMatchObject({ limit: 60, remaining: 0, reset: 60 })
  })

  test("are never exceeded by more than a quarter or a call an instance, in whatever order calls and exchanges come; all calls are to be had", () => {
    const steps = fc.array(fc.tuple(fc.nat(4), fc.nat(40), fc.boolean()), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 100 }),
        steps,
        (instances, limit, given) => {
          const { all, exchange } = world(instances, { rateLimitRpm: limit })
          const most = instances === 1 ? limit : limit + Math.max(instances, limit / 4)
          let taken = 0
          for (const [who, calls, exchanges] of given) {
            const each = all[who % instances]!
            taken += takes(each, calls)
            if (exchanges) exchange(each)
          }
          expect(taken).toBeLessThanOrEqual(most)
          // Who goes on asking gets all that is left, however small the parts become.
          for (let round = 0; round < 200; round++) {
            for (const each of all) {
              taken += takes(each, 1)
              exchange(each)
            }
          }
          expect(taken).toBeGreaterThanOrEqual(limit)
          expect(taken).toBeLessThanOrEqual(most)
        },
      ),
      { numRuns: 60 },
    )
  })

  test("of instances that join a fortieth each comes above that, before they were heard of and after", () => {
    const steps = fc.array(fc.tuple(fc.nat(6), fc.nat(400), fc.boolean()), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 3 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 400 }),
        steps,
        (old, joining, limit, given) => {
          const { all, exchange, join } = world(old, { rateLimitRpm: limit })
          const each = [...all, ...Array.from({ length: joining }, join)]
          // The most that those who join may have untold, at once.
          let taken = each.slice(old).reduce((sum, one) => sum + takes(one, limit), 0)
          for (const [who, calls, exchanges] of given) {
            const one = each[who % each.length]!
            taken += takes(one, calls)
            if (exchanges) exchange(one)
          }
          expect(taken).toBeLessThanOrEqual(limit + Math.max(old, limit / 4) + joining * Math.max(1, limit / 40))
        },
      ),
      { numRuns: 100 },
    )
  })

  test("of one that nobody answered yet are a part of its share, and its share of ten later", () => {
    const { join, pass } = world(1, { rateLimitRpm: 400 })
    const late = join()
    expect([takes(late, 400), late.isShared()]).toEqual([10, false])
    pass(6000)
    expect([takes(late, 400), late.isShared()]).toEqual([30, false])
    pass(minute)
    expect(takes(late, 400)).toBe(40)
  })

  /** At most a call above for each of two instances. */
  const expectAbout = (taken: number, limit: number) => {
    expect(taken).toBeGreaterThanOrEqual(limit - 1)
    expect(taken).toBeLessThanOrEqual(limit + 2)
  }

  test("begin anew with the window for all; a day outlasts its minutes", () => {
    const { all, exchange, pass } = world(2, { rateLimitRpm: 10, rateLimitRpd: 15 })
    const round = () => {
      let taken = 0
      for (let turn = 0; turn < 40; turn++)
        for (const each of all) {
          taken += takes(each, 1)
          exchange(each)
        }
      return taken
    }
    expectAbout(round(), 10)
    expect(Result.isFailure(all[1]!.take("key 1"))).toBe(true)
    pass(minute)
    expectAbout(round(), 5)
    expect(all[0]!.state("key 1").rpd.remaining).toBe(0)
    expect(takes(all[0]!, 1, "key 2")).toBe(1)
    pass(86_400_000)
    expectAbout(round(), 10)
  })

  test("begin once: an answer that took long does not put the clock back before a window's beginning", () => {
    let time = start - 4000
    const limit = makeSharedRateLimit(
      { rateLimitRpm: 60 },
      () => time,
      () => time,
    )
    /** `saidAt`: when the store looks at its clock, in ms of those that it takes to answer. */
    const exchange = (takesMs: number, saidAt: number, meanwhile = () => {}) => {
      const uses = limit.collect()
      const now = time + saidAt
      time += takesMs / 2
      meanwhile()
      time += takesMs / 2
      limit.settle(uses, { totals: uses.map(({ calls }) => calls), processes: 1, now })
    }
    exchange(0, 0)
    time = start - 100
    exchange(400, 0, () => expect(takes(limit, 100)).toBe(60))
    expect(takes(limit, 100)).toBe(0)
    // What it said half way is its clock: the next window begins with it.
    exchange(400, 200)
    time = start + minute
    expect(takes(limit, 100)).toBe(60)
    // A clock that was set is followed.
    exchange(0, -20_000)
    expect(limit.state("key 1").rpm.reset).toBe(20)
  })

  test("while nobody can be asked each instance spends its share, and tells later what it was", () => {
    const { all, exchange, pass } = world(4, { rateLimitRpm: 80 })
    for (const each of all) each.settle(each.collect(), undefined)
    expect(takes(all[0]!, 100)).toBe(5)
    expect(all[0]!.isPressing()).toBe(true)
    pass(6000)
    expect(all[0]!.isShared()).toBe(false)
    expect(all.map((each) => takes(each, 100))).toEqual([15, 20, 20, 20])
    for (const each of all) exchange(each)
    takes(all[0]!, 1)
    exchange(all[0]!)
    expect(all[0]!.state("key 1").rpm.remaining).toBe(0)
    expect(all[0]!.isShared()).toBe(true)
  })

  test("that could not be told are told again, once", () => {
    const { all, exchange } = world(2, { rateLimitRpm: 100 })
    takes(all[0]!, 7)
    all[0]!.settle(all[0]!.collect(), undefined)
    takes(all[0]!, 2)
    exchange(all[0]!)
    exchange(all[0]!)
    takes(all[1]!, 1)
    exchange(all[1]!)
    expect(all[1]!.state("key 1").rpm.remaining).toBe(90)
  })
})

test("a service answers by them: headers, 429, and the metric that says whether others count too", async () => {
  let time = 0
  const limits = makeSharedRateLimit({ rateLimitRpm: 3 }, () => time)
  limits.settle([], { totals: [], processes: 1, now: start })
  time = 6000
  const service = await startService({ counter: limits })
  const ask = async () => (await service.fetch(`${prefix("43114")}/erc20`)).status
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429])
  const shared = async () =>
    /^cowry_http_rate_limits_shared (\d)$/m.exec(await (await service.fetch("/metrics")).text())?.[1]
  expect(await shared()).toBe("0")
  limits.settle([], { totals: [], processes: 1, now: start })
  expect(await shared()).toBe("1")
  await service.close()
})

test("two processes on PostgreSQL have one limit between them, and go on while it is away", async () => {
  const layer = PostgresSharedLimits.layer.pipe(Layer.provideMerge(PostgresDatabase.layer(await testSettings())))
  const runtime = ManagedRuntime.make(layer)
  try {
    const real = await runtime.runPromise(SharedLimits)
    let isAway = false
    const store = SharedLimits.of({
      exchange: (process, uses) =>
        isAway ? Effect.fail(new StoreUnavailable({ cause: "away" })) : real.exchange(process, uses),
    })
    const both = [1, 2].map(() => makeSharedRateLimit({ rateLimitRpd: 40 }))
    const fibers = both.map((each) =>
      Effect.runFork(shareLimits(each, 100).pipe(Effect.provideService(SharedLimits, store))),
    )
    const until = async (isSo: () => boolean) => {
      for (let look = 0; look < 1000 && !isSo(); look++) await Bun.sleep(10)
      expect(isSo()).toBe(true)
    }
    await until(() => both.every((each) => each.isShared()))
    // Both have heard of each other.
    await Bun.sleep(250)
    let taken = 0
    await until(() => {
      for (const each of both) taken += takes(each, 1)
      return both.every((each) => each.state("key 1").rpd.remaining === 0)
    })
    expect(taken).toBeGreaterThanOrEqual(40)
    expect(taken).toBeLessThanOrEqual(42)
    isAway = true
    expect(takes(both[0]!, 1, "key 2")).toBe(1)
    isAway = false
    await until(() => both[0]!.isShared())
    await Promise.all(fibers.map((fiber) => Effect.runPromise(Fiber.interrupt(fiber))))
    // Nothing of a caller's name is kept, and many at once are one statement.
    const uses = Array.from({ length: 5000 }, (_, at) => ({ period: 60, began: 1, caller: `ip ${at}`, calls: at }))
    await runtime.runPromise(real.exchange("one", uses))
    const again = await runtime.runPromise(real.exchange("two", [...uses].reverse()))
    expect(again.totals.slice(0, 3)).toEqual([9998, 9996, 9994])
    expect(again.processes).toBeGreaterThanOrEqual(2)
  } finally {
    await runtime.dispose()
  }
})
