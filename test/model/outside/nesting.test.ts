/** How deep a value is nested: what JSON's own writer makes of it is the judge. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { isNestedDeeper } from "../../../src/model/outside/nesting.ts"

/** The deepest run of brackets that are open at once, texts left out. */
const depthOf = (value: unknown): number => {
  let depth = 0
  let deepest = 0
  for (const letter of JSON.stringify(value).replace(/"(\\.|[^"\\])*"/g, "")) {
    if ("[{".includes(letter)) deepest = Math.max(deepest, ++depth)
    if ("]}".includes(letter)) depth--
  }
  return deepest
}

test("it is as deep as its brackets", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      const value: unknown = JSON.parse(text)
      const depth = depthOf(value)
      expect(isNestedDeeper(value, depth)).toBe(false)
      if (depth > 0) expect(isNestedDeeper(value, depth - 1)).toBe(true)
    }),
  )
})

test("a depth that nothing could walk through by calling itself is told", () => {
  const deep: unknown = JSON.parse("[".repeat(200_000) + "]".repeat(200_000))
  expect(isNestedDeeper(deep, 199_999)).toBe(true)
  expect(isNestedDeeper(deep, 200_000)).toBe(false)
})
