/** When what failed is tried again. */
import { expect, test } from "bun:test"
import { makeRetrySchedule } from "../../src/domain/enrich/retrySchedule.ts"

test("a thing is put off for four seconds, twice as long each time, ten minutes at most", () => {
  const schedule = makeRetrySchedule()
  const waits: Array<number> = []
  for (let now = 0, times = 0; times < 10; times++) {
    expect(schedule.isDue("it", now)).toBe(true)
    schedule.postpone("it", now, false)
    const from = now
    while (!schedule.isDue("it", now)) now += 1000
    waits.push((now - from) / 1000)
  }
  expect(waits).toEqual([4, 8, 16, 32, 64, 128, 256, 512, 600, 600])
  expect([schedule.tries("it"), schedule.refusals("it"), schedule.size(0)]).toEqual([10, 0, 1])
})

test("refusals are counted apart from tries, and both are forgotten with the thing", () => {
  const schedule = makeRetrySchedule()
  schedule.postpone("it", 0, true)
  schedule.postpone("it", 0, false)
  schedule.postpone("it", 0, true)
  expect([schedule.tries("it"), schedule.refusals("it")]).toEqual([3, 2])
  schedule.remove("it")
  expect([schedule.tries("it"), schedule.refusals("it"), schedule.size(0), schedule.isDue("it", 0)]).toEqual([
    0,
    0,
    0,
    true,
  ])
})

test("what nobody lists any more is forgotten in time, what was put off lately is not", () => {
  const schedule = makeRetrySchedule()
  schedule.postpone("gone", 0, false)
  expect(schedule.size(600_000)).toBe(1)
  schedule.postpone("here", 1_190_000, false)
  expect([schedule.size(1_200_000), schedule.tries("gone"), schedule.tries("here")]).toEqual([1, 0, 1])
})

test("what is listed still is remembered, however long the others of its list take", () => {
  const schedule = makeRetrySchedule()
  for (let now = 0; now < 10_000_000; now += 3_000_000) {
    schedule.size(now)
    schedule.isDue("it", now)
    if (now === 0) schedule.postpone("it", now, true)
  }
  expect([schedule.tries("it"), schedule.refusals("it")]).toEqual([1, 1])
})
