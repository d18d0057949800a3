/** The queue of reads of one cost: who is served next, how many wait, who is sent away. By a clock that the test moves. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { makeShares, type ShareLimits, type Ticket } from "../../../src/domain/turns/shares.ts"

const limits: ShareLimits = { turns: 3, perCaller: 2, mostWaiting: 100, mostWaitingPerCaller: 50, foretold: true }

/** A queue that writes down who is served, as `<caller><number of its place>`. */
const open = (changed: Partial<ShareLimits> = {}) => {
  let now = 0
  const served: Array<string> = []
  const numbers = new Map<string, number>()
  const shares = makeShares({ ...limits, ...changed }, () => now)
  const ask = (caller: string, longestWaitMs = 10_000) => {
    const found = shares.join(caller, longestWaitMs)
    if (!("leave" in found)) return found
    const number = (numbers.get(caller) ?? 0) + 1
    numbers.set(caller, number)
    found.whenServed(() => served.push(`${caller}${number}`))
    return found
  }
  const join = (caller: string): Ticket => {
    const found = ask(caller)
    if (!("leave" in found)) throw new Error(`${caller} was refused`)
    return found
  }
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { ...shares, ask, join, served, pass }
}

describe("callers", () => {
  test("never have all turns: who comes second is served at once", () => {
    const { join, served, counts } = open()
    for (let reads = 0; reads < 40; reads++) join("a")
    join("b")
    expect(served).toEqual(["a1", "a2", "b1"])
    expect(counts()).toEqual({ running: 3, waiting: 38, refused: 0 })
  })

  test("are served in rotation, however many of one wait", () => {
    const { join, served } = open()
    const running = ["a", "a", "b"].map(join)
    for (let reads = 0; reads < 6; reads++) join("a")
    for (let reads = 0; reads < 2; reads++) join("b")
    join("c")
    for (const ticket of running) ticket.leave()
    expect(served.slice(3)).toEqual(["a3", "b2", "c1"])
  })

  test("with nothing that waits have no place in the rotation", () => {
    const { join, counts, served } = open({ turns: 1, perCaller: 1 })
    const first = join("a")
    first.leave()
    expect(counts()).toEqual({ running: 0, waiting: 0, refused: 0 })
    const again = join("a")
    // The ticket of before is over: leaving it once more takes nothing from anybody.
    first.leave()
    expect(counts()).toEqual({ running: 1, waiting: 0, refused: 0 })
    join("b")
    again.leave()
    expect(served).toEqual(["a1", "a2", "b1"])
  })
})

describe("who leaves", () => {
  test("gives up its turn to the next, and its place to nobody", () => {
    const { join, served, counts } = open({ turns: 1, perCaller: 1 })
    const running = join("a")
    const [second, third] = [join("b"), join("c")]
    second.leave()
    second.leave()
    expect(counts()).toEqual({ running: 1, waiting: 1, refused: 0 })
    running.leave()
    running.leave()
    expect(served).toEqual(["a1", "c1"])
    third.leave()
    expect(counts()).toEqual({ running: 0, waiting: 0, refused: 0 })
  })

  test("must yield where somebody would have its turn, one turn for each who waits", () => {
    const { join } = open({ turns: 3, perCaller: 2 })
    const [first, second, third] = [join("a"), join("a"), join("b")]
    expect(first.mustYield()).toBe(false)
    const waiting = join("a")
    // It has its share: what others hold would not help it.
    expect(third.mustYield()).toBe(false)
    expect([first.mustYield(), second.mustYield(), first.mustYield()]).toEqual([true, false, true])
    join("c")
    // Nobody is sent away for a turn that is about to come free.
    expect(third.mustYield()).toBe(false)
    first.leave()
    expect(third.mustYield()).toBe(true)
    third.leave()
    waiting.leave()
    expect(second.mustYield()).toBe(false)
  })
})

describe("who steps aside", () => {
  test("leaves its turn to the next, and waits behind it for another", () => {
    const { join, served, counts } = open({ turns: 1, perCaller: 1 })
    const [first, second] = [join("a"), join("a")]
    second.stepAside()
    expect(served).toEqual(["a1"])
    first.stepAside()
    first.stepAside()
    expect(served).toEqual(["a1", "a2"])
    expect(counts()).toEqual({ running: 1, waiting: 0, refused: 0 })
    first.again()
    first.again()
    expect(counts()).toEqual({ running: 1, waiting: 1, refused: 0 })
    second.leave()
    expect(served).toEqual(["a1", "a2", "a1"])
    first.leave()
    expect(counts()).toEqual({ running: 0, waiting: 0, refused: 0 })
  })

  test("has nothing left where it leaves meanwhile, and its caller keeps its place in the rotation", () => {
    const { join, served, counts } = open({ turns: 1, perCaller: 1 })
    const first = join("a")
    first.stepAside()
    first.leave()
    first.again()
    expect(counts()).toEqual({ running: 0, waiting: 0, refused: 0 })
    const [second, third] = [join("a"), join("b")]
    second.stepAside()
    second.again()
    third.leave()
    expect(served).toEqual(["a1", "a2", "b1", "a2"])
  })

  test("says nothing of how long a turn takes", () => {
    const { join, pass, expectedWaitMs } = open({ turns: 1, perCaller: 1 })
    const slow = join("a")
    pass(1000)
    slow.leave()
    for (let reads = 0; reads < 50; reads++) {
      const ticket = join("b")
      ticket.stepAside()
      ticket.leave()
    }
    const running = join("a")
    expect(expectedWaitMs("c")).toBe(1000)
    running.leave()
  })

  test("keeps its turn where as many as may wait are aside, of everybody or of its caller, and comes back in front of no bound", () => {
    const { join, ask, counts } = open({ turns: 9, perCaller: 9, mostWaiting: 3, mostWaitingPerCaller: 2 })
    const tickets = ["a", "a", "a", "b", "b"].map(join)
    for (const ticket of tickets) ticket.stepAside()
    expect(counts().running).toBe(2)
    tickets[0]!.leave()
    tickets[2]!.stepAside()
    expect(counts().running).toBe(1)
    for (let reads = 0; reads < 8; reads++) join("c")
    for (let reads = 0; reads < 2; reads++) join("d")
    // The queue has room for one more: those who come back have had theirs.
    tickets[1]!.again()
    tickets[3]!.again()
    expect(counts().waiting).toBe(4)
    expect(ask("e")).toMatchObject({ retryAfterMs: expect.any(Number) })
  })
})

describe("the queue is bounded", () => {
  test("for everybody, and for one caller", () => {
    const { ask, counts } = open({ mostWaiting: 6, mostWaitingPerCaller: 4 })
    for (let reads = 0; reads < 6; reads++) ask("a")
    expect(ask("a")).toEqual({ retryAfterMs: 0 })
    for (const caller of ["b", "c", "d"]) ask(caller)
    expect(counts()).toEqual({ running: 3, waiting: 6, refused: 1 })
    expect(ask("e")).toEqual({ retryAfterMs: 0 })
    expect(counts().refused).toBe(2)
  })

  test("by the time it takes, as far as that is known", () => {
    const { ask, join, pass, expectedWaitMs } = open({ turns: 2, perCaller: 1 })
    const first = join("a")
    pass(1000)
    first.leave()
    join("a")
    expect([expectedWaitMs("a"), expectedWaitMs("b")]).toEqual([1000, 0])
    for (let reads = 0; reads < 5; reads++) join("a")
    // Its sixth read waits for five others of its own, one after the other.
    expect(expectedWaitMs("a")).toBe(6000)
    expect(ask("a", 5999)).toEqual({ retryAfterMs: 6000 })
    expect("leave" in ask("a", 6000)).toBe(true)
    // Another caller's first waits for nobody.
    expect("leave" in ask("b", 0)).toBe(true)
  })

  test("but not where nobody can tell", () => {
    const { ask, join, pass } = open({ turns: 1, perCaller: 1, foretold: undefined as never })
    const first = join("a")
    pass(3_600_000)
    first.leave()
    join("a")
    expect("leave" in ask("b", 10)).toBe(true)
  })
})

test("whatever happens: no more turns than there are, none idle that somebody may have, nobody served before its rotation", () => {
  const steps = fc.array(
    fc.record({ caller: fc.constantFrom("a", "b", "c", "d"), leaves: fc.option(fc.nat(30)), ms: fc.nat(50) }),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }), (all, turns, perCaller) => {
      let now = 0
      const shares = makeShares({ ...limits, turns, perCaller, mostWaiting: 20, mostWaitingPerCaller: 8 }, () => now)
      const there: Array<{ caller: string; ticket: Ticket; isServed: boolean; skipped: Map<string, number> }> = []
      for (const { caller, leaves, ms } of all) {
        now += ms
        if (leaves !== null && there.length > 0) there.splice(leaves % there.length, 1)[0]!.ticket.leave()
        else {
          const ticket = shares.join(caller, 1e9)
          if (!("leave" in ticket)) continue
          const place = { caller, ticket, isServed: false, skipped: new Map<string, number>() }
          there.push(place)
          ticket.whenServed(() => {
            place.isServed = true
            for (const other of there) {
              const couldBe = there.filter((it) => it.isServed && it.caller === other.caller).length < perCaller
              if (other.isServed || other.caller === caller || !couldBe) continue
              if (there.find((it) => !it.isServed && it.caller === other.caller) !== other) continue
              other.skipped.set(caller, (other.skipped.get(caller) ?? 0) + 1)
            }
          })
        }
        const running = there.filter(({ isServed }) => isServed)
        const waiting = there.filter(({ isServed }) => !isServed)
        const runningOf = (name: string) => running.filter((it) => it.caller === name).length
        expect(shares.counts()).toMatchObject({ running: running.length, waiting: waiting.length })
        expect(running.length).toBeLessThanOrEqual(turns)
        for (const { caller: name } of running) expect(runningOf(name)).toBeLessThanOrEqual(perCaller)
        if (running.length < turns) for (const it of waiting) expect(runningOf(it.caller)).toBe(perCaller)
        // The first of a caller's sees another caller served once before itself; again only while it has its share itself.
        for (const it of waiting) for (const times of it.skipped.values()) expect(times).toBeLessThanOrEqual(1)
      }
    }),
  )
})
