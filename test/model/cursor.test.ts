/** Cursors: what goes in comes out, and nothing else passes. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { decodeCursor, encodeCursor, longestCursor } from "../../src/model/cursor.ts"

const part = fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.constant(null))
const parts = fc.array(part, { minLength: 1, maxLength: 5 })
const bytes = fc.uint8Array({ maxLength: 300 })
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

describe("cursor", () => {
  test("decodes to what was encoded, in URL-safe characters only", () => {
    fc.assert(
      fc.property(fc.string(), parts, (binding, values) => {
        const token = encodeCursor(binding, "next", values)
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(decodeCursor(binding, "next", token)).toEqual(JSON.parse(JSON.stringify(values)))
      }),
    )
  })

  test("has bytes behind its other parts, whatever they are", () => {
    fc.assert(
      fc.property(parts, bytes, (values, packed) => {
        const token = encodeCursor("binding", "next", [...values, packed])
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(decodeCursor("binding", "next", token)).toEqual([...JSON.parse(JSON.stringify(values)), packed])
      }),
    )
  })

  test("is refused beyond the length that links have room for", () => {
    const tokenOf = (length: number) => encodeCursor("binding", "next", ["a", new Uint8Array(length)])
    const most = [...Array(longestCursor).keys()].findLast((length) => tokenOf(length).length <= longestCursor)!
    expect(decodeCursor("binding", "next", tokenOf(most))).toBeDefined()
    expect(decodeCursor("binding", "next", tokenOf(most + 1))).toBeUndefined()
  })

  test("is refused with any one character altered, added or taken away", () => {
    const token = encodeCursor("/erc20?sort=name", "next", [1700000000, "43114", 5_000_000, 3, 0])
    for (let index = 0; index < token.length; index++) {
      for (const character of alphabet) {
        if (character === token[index]) continue
        const altered = token.slice(0, index) + character + token.slice(index + 1)
        expect(decodeCursor("/erc20?sort=name", "next", altered)).toBeUndefined()
      }
      expect(decodeCursor("/erc20?sort=name", "next", token.slice(0, index) + token.slice(index + 1))).toBeUndefined()
    }
    expect(decodeCursor("/erc20?sort=name", "next", `${token}A`)).toBeUndefined()
    expect(decodeCursor("/erc20?sort=name", "next", "")).toBeUndefined()
  })

  test("is refused under another query or the other direction", () => {
    const token = encodeCursor("/erc20?sort=name", "next", ["a"])
    expect(decodeCursor("/erc20?sort=createdAt", "next", token)).toBeUndefined()
    expect(decodeCursor("/erc20?sort=name", "prev", token)).toBeUndefined()
  })

  test("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (token) => {
        expect(decodeCursor("binding", "next", token)).toBeUndefined()
      }),
    )
  })
})
