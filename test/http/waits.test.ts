/** What a request waits for and what it shares with others: one timer, a caller who is looked after late, headers that are copied. */
import { afterAll, describe, expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { makeDeadlines } from "../../src/adapters/http/turns/deadlines.ts"
import { makePatience, timesOf, whileWaited } from "../../src/adapters/http/turns/patience.ts"
import { comparableHeaders, prefix } from "./support.ts"
import { gold, startWorld } from "./world.ts"

test("times that are equally long end in their order, and those that were given up never", async () => {
  const ended: Array<string> = []
  const { begin } = makeDeadlines(30)
  begin(() => ended.push("first"))
  const giveUp = begin(() => ended.push("given up"))
  await pause(15)
  begin(() => ended.push("second"))
  giveUp()
  while (ended.length < 1) await pause(1)
  expect(ended[0]).toBe("first")
  while (ended.length < 2) await pause(1)
  // One that begins when none is open is timed as well.
  begin(() => ended.push("third"))
  while (ended.length < 3) await pause(1)
  expect(ended).toEqual(["first", "second", "third"])
})

describe("a caller who leaves", () => {
  test("before anybody looks is found to have left, and one who leaves later at once", async () => {
    const early = new AbortController()
    const late = new AbortController()
    const [one, other] = [makePatience(() => early.signal), makePatience(() => late.signal)]
    for (const patience of [one, other]) patience.limit(timesOf(10_000))
    early.abort()
    while (one.stopped() === undefined) await pause(1)
    await pause(20)
    expect([one.stopped(), other.stopped()]).toEqual(["gone", undefined])
    late.abort()
    expect(other.stopped()).toBe("gone")
    for (const patience of [one, other]) patience.end()
  })

  test("is known before an answer is given that holds something", () => {
    const caller = new AbortController()
    const patience = makePatience(() => caller.signal)
    patience.limit(timesOf(10_000))
    caller.abort()
    expect(patience.stopped()).toBeUndefined()
    patience.listen()
    expect(patience.stopped()).toBe("gone")
    patience.end()
  })

  test.each([
    ["gives", async () => "nothing"],
    ["fails", () => Promise.reject(new Error("no answer"))],
  ])("behind a wait for another's answer ends what is waited for then: it %s", async (_, answer) => {
    const caller = new AbortController()
    const patience = makePatience(() => caller.signal)
    patience.listen()
    const ended: Array<string> = []
    const next = () => patience.onStop(() => ended.push("what came then"))
    await whileWaited<unknown>(answer(), patience).then(next, next)
    // All that the wait for it still does.
    await pause(1)
    caller.abort()
    expect(ended).toEqual(["what came then"])
  })
})

describe("answers that share what they say", async () => {
  const world = await startWorld({})
  afterAll(() => world.close())
  const supply = `${prefix("43114")}/compat/api?module=stats&action=tokensupply&contractaddress=${gold}`
  const init = (name: string): RequestInit => ({ headers: { "x-request-id": name } })

  test("say the same, each under its own name, whoever is first", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => world.fetchAnew(`${supply}&x=${at % 3}`, init(`r${at}`))),
    )
    expect(answers.map(({ headers }) => headers.get("x-request-id"))).toEqual(answers.map((_, at) => `r${at}`))
    const alike = answers.map((answer) => comparableHeaders(answer).filter(([name]) => name !== "etag"))
    for (const headers of alike) expect(headers).toEqual(alike[0]!)
    // Of three questions, since the query is part of the tag.
    expect(new Set(answers.map(({ headers }) => headers.get("etag"))).size).toBe(3)
  })

  test("a HEAD among them has the same headers and the length", async () => {
    const [get, again, head] = [
      await world.fetchAnew(supply),
      await world.fetchAnew(supply),
      await world.fetchAnew(supply, { method: "HEAD" }),
    ]
    const own = (answer: Response) => comparableHeaders(answer).filter(([name]) => name !== "content-length")
    expect(own(again)).toEqual(own(get))
    expect(own(head)).toEqual(own(get))
    expect(head.headers.get("content-length")).toBe(String((await get.text()).length))
  })
})
