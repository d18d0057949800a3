/** Which statements keep their plans: those that are asked most, also where others were first. */
import { expect, test } from "bun:test"
import { makeKeptPlans } from "../../../../src/adapters/postgres/reads/common/keptPlans.ts"

const ask = (
  plans: ReturnType<typeof makeKeptPlans>,
  text: string,
  times: number,
  weight = 1,
): ReadonlyArray<boolean> => Array.from({ length: times }, () => plans.keeps(text, weight))

test("a statement is kept from the fifth time on, as long as there is room", () => {
  const plans = makeKeptPlans(2)
  expect(ask(plans, "a", 6)).toEqual([false, false, false, false, true, true])
  expect(ask(plans, "b", 5).at(-1)).toBe(true)
  expect(ask(plans, "c", 5).at(-1)).toBe(false)
})

test("what is asked twice as often takes the place of what is asked least", () => {
  const plans = makeKeptPlans(2)
  ask(plans, "often", 100)
  ask(plans, "once", 5)
  expect(ask(plans, "later", 9).includes(true)).toBe(false)
  expect(ask(plans, "later", 1)).toEqual([true])
  expect([plans.keeps("often", 1), plans.keeps("once", 1)]).toEqual([true, false])
})

test("statements that are asked alike do not change places", () => {
  const plans = makeKeptPlans(10)
  const texts = Array.from({ length: 30 }, (_, index) => `${index}`)
  for (let round = 0; round < 5; round++) for (const text of texts) plans.keeps(text, 1)
  const first = texts.map((text) => plans.keeps(text, 1))
  // Across several times at which counts are halved.
  for (let round = 0; round < 2000; round++) for (const text of texts) plans.keeps(text, 1)
  expect(texts.map((text) => plans.keeps(text, 1))).toEqual(first)
  expect(first.filter((it) => it)).toHaveLength(10)
})

test("what was asked a great deal long ago gives way to what is asked now", () => {
  const plans = makeKeptPlans(1)
  ask(plans, "before", 50_000)
  expect(ask(plans, "now", 200_000).at(-1)).toBe(true)
  expect(plans.keeps("before", 1)).toBe(false)
})

test("a heavy statement takes as many places as it needs, and only those that are asked less than it saves", () => {
  const plans = makeKeptPlans(10)
  for (const text of ["a", "b", "c"]) ask(plans, text, 20, 3)
  expect(ask(plans, "heavy", 20, 6).includes(true)).toBe(false)
  expect(ask(plans, "heavy", 25, 6).at(-1)).toBe(true)
  expect(["a", "b", "c"].map((text) => plans.keeps(text, 3)).filter((it) => it)).toHaveLength(1)
  expect(ask(plans, "too heavy", 1000, 11).includes(true)).toBe(false)
})
