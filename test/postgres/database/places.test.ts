/** Places of a pool: callers take turns, and what may take long leaves some to others. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Fiber } from "effect"
import { makeClient } from "../../../src/adapters/postgres/database/client.ts"
import { databaseOf } from "../../../src/adapters/postgres/database/databaseOf.ts"
import { makePlaces } from "../../../src/adapters/postgres/database/places.ts"
import { ReadFor } from "../../../src/ports/ReadFor.ts"
import { testDatabase } from "../../support/postgres.ts"

/** Takes places, and tells who has one, in the order in which they got it. */
const crowd = (count: number, mostCostly?: number) => {
  const places = makePlaces(count, mostCostly)
  const running = new Map<string, () => void>()
  return {
    take: (name: string, caller: string, isCostly = false) =>
      places.take({ caller, isCostly }, (done) => running.set(name, done)),
    end: (name: string) => {
      const done = running.get(name)!
      running.delete(name)
      done()
      // Whoever says so twice gives no second place away.
      done()
    },
    running: () => [...running.keys()],
  }
}

describe("a place", () => {
  test("goes to the callers in rotation, however many one of them waits for", () => {
    const { take, end, running } = crowd(1)
    for (const name of ["a1", "a2", "a3", "a4"]) take(name, "a")
    take("b1", "b")
    take("c1", "c")
    const order = running()
    for (let turn = 0; turn < 5; turn++) {
      end(running()[0]!)
      order.push(...running())
    }
    expect(order).toEqual(["a1", "a2", "b1", "c1", "a3", "a4"])
  })

  test("is kept free of costly reads where these have theirs, and costly ones take turns too", () => {
    const { take, end, running } = crowd(3, 2)
    for (const name of ["a1", "a2", "a3", "a4"]) take(name, "a", true)
    take("b1", "b", true)
    expect(running()).toEqual(["a1", "a2"])
    take("c1", "c")
    take("c2", "c")
    expect(running()).toEqual(["a1", "a2", "c1"])
    end("a1")
    // It goes to the short one that waits.
    expect(running()).toEqual(["a2", "c1", "c2"])
    end("c1")
    end("a2")
    expect(running()).toEqual(["c2", "a3", "b1"])
    end("a3")
    end("b1")
    expect(running()).toEqual(["c2", "a4"])
  })

  test("that nobody waits for any more goes to the next, of costly reads too", () => {
    const { take, end, running } = crowd(2, 1)
    take("a1", "a", true)
    const leave = take("a2", "a", true)
    take("b1", "b", true)
    take("c1", "c")
    const leaveShort = take("c2", "c")
    take("d1", "d")
    leave()
    leaveShort()
    leave()
    expect(running()).toEqual(["a1", "c1"])
    end("a1")
    expect(running()).toEqual(["c1", "d1"])
    end("c1")
    expect(running()).toEqual(["d1", "b1"])
  })
})

describe("of a database", () => {
  let sql: ReturnType<typeof makeClient>
  let url: string
  beforeAll(async () => {
    url = await testDatabase(18)
    sql = makeClient({ url, max: 6 })
  })
  afterAll(() => sql.end({ timeout: 1 }))

  test("long reads of one caller, more than there are places, do not hold up another's short one", async () => {
    const database = databaseOf(sql, { url, max: 5 })
    const lock = makeClient({ url, max: 1 })
    await lock`select pg_advisory_lock(77)`
    const long = database.query(() => sql`select pg_advisory_lock_shared(77), pg_advisory_unlock_shared(77)`)
    const all = Array.from({ length: 8 }, () =>
      Effect.runFork(long.pipe(Effect.provideService(ReadFor, { caller: "a", isCostly: true }))),
    )
    const waiting = async () =>
      (
        await lock`select count(*)::int4 as number from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`
      )[0]!.number
    while ((await waiting()) < 2) await Bun.sleep(5)
    const short = database.query(() => sql<Array<{ one: number }>>`select 1 as one`)
    expect(
      await Effect.runPromise(short.pipe(Effect.provideService(ReadFor, { caller: "b", isCostly: false }))),
    ).toMatchObject([{ one: 1 }])
    expect(await waiting()).toBe(2)
    await lock`select pg_advisory_unlock(77)`
    await Effect.runPromise(Effect.forEach(all, Fiber.join))
    await lock.end({ timeout: 1 })
  })

  test("what is asked at each commit leaves one of the few places of probes to whoever asks whether it is ready", async () => {
    const database = databaseOf(sql, { url, max: 5 }, () => {}, { sql, renew: () => {} })
    const lock = makeClient({ url, max: 1 })
    await lock`select pg_advisory_lock(78)`
    const long = database.probes.query(() => sql`select pg_advisory_lock_shared(78), pg_advisory_unlock_shared(78)`)
    const reading = { caller: "", isCostly: true }
    const all = Array.from({ length: 4 }, () => Effect.runFork(long.pipe(Effect.provideService(ReadFor, reading))))
    const waiting = async () =>
      (
        await lock`select count(*)::int4 as number from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`
      )[0]!.number
    while ((await waiting()) < 1) await Bun.sleep(5)
    const ready = database.probes.query(() => sql<Array<{ one: number }>>`select 1 as one`)
    expect(await Effect.runPromise(ready)).toMatchObject([{ one: 1 }])
    expect(await waiting()).toBe(1)
    await lock`select pg_advisory_unlock(78)`
    await Effect.runPromise(Effect.forEach(all, Fiber.await))
    await lock.end({ timeout: 1 })
  })
})
