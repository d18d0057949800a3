/** What an error shows of a node's value: the language's own JSON, cut, is the judge. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { quote } from "../../../src/adapters/rpc/wire/shapes.ts"

test("of a value it is the beginning of its JSON", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 7 }), (text) => {
      const value: unknown = JSON.parse(text)
      const whole = JSON.stringify(value)
      expect(quote(value)).toBe(whole.length > 80 ? `${whole.slice(0, 80)}…` : whole)
    }),
    { numRuns: 500 },
  )
})

test("of what is nested deeper, or without end, it is some levels", () => {
  expect(quote(JSON.parse("[".repeat(100_000) + "]".repeat(100_000)))).toBe("[[[[[[[[…]]]]]]]]")
  const around: unknown[] = []
  around.push(around)
  expect(quote(around)).toBe("[[[[[[[[…]]]]]]]]")
})

test("no character is cut in two", () => {
  for (const length of [77, 78, 79]) expect(quote({ [`${"x".repeat(length)}🐚`]: 1 }).isWellFormed()).toBe(true)
  for (const length of [77, 78, 79, 80]) expect(quote(`${"x".repeat(length)}🐚🐚`)).not.toContain("\\ud83d")
})

test("nothing is told apart from null", () => {
  expect([quote(undefined), quote(null)]).toEqual(["nothing", "null"])
})
