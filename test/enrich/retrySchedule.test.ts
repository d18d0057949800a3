/** When what failed is tried again. */
import { expect, test } from "bun:test"
import { makePutOff } from "../../src/domain/enrich/retrySchedule.ts"

test("a thing is put off for four seconds, twice as long each time, ten minutes at most", () => {
  const putOff = makePutOff()
  const waits: Array<number> = []
  for (let now = 0, times = 0; times < 10; times++) {
    expect(putOff.isDue("it", now)).toBe(true)
    putOff.add("it", now, false)
    const from = now
    while (!putOff.isDue("it", now)) now += 1000
    waits.push((now - from) / 1000)
  }
  expect(waits).toEqual([4, 8, 16, 32, 64, 128, 256, 512, 600, 600])
  expect([putOff.tries("it"), putOff.refusals("it"), putOff.size(0)]).toEqual([10, 0, 1])
})

test("refusals are counted apart from tries, and both are forgotten with the thing", () => {
  const putOff = makePutOff()
  putOff.add("it", 0, true)
  putOff.add("it", 0, false)
  putOff.add("it", 0, true)
  expect([putOff.tries("it"), putOff.refusals("it")]).toEqual([3, 2])
  putOff.delete("it")
  expect([putOff.tries("it"), putOff.refusals("it"), putOff.size(0), putOff.isDue("it", 0)]).toEqual([0, 0, 0, true])
})

test("what nobody lists any more is forgotten in time, what was put off lately is not", () => {
  const putOff = makePutOff()
  putOff.add("gone", 0, false)
  expect(putOff.size(600_000)).toBe(1)
  putOff.add("here", 1_190_000, false)
  expect([putOff.size(1_200_000), putOff.tries("gone"), putOff.tries("here")]).toEqual([1, 0, 1])
})
