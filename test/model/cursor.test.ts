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

  test("has one spelling: what has the right checksum and says the same otherwise, or says nothing, is refused", () => {
    const base64 = (text: string | Uint8Array) => Buffer.from(text).toString("base64url")
    const decoded = (payload: string) => decodeCursor("binding", "next", payload + checksumOf(payload))
    expect(base64('["a"]') + checksumOf(base64('["a"]'))).toBe(encodeCursor("binding", "next", ["a"]))
    expect(decoded(base64('["a",5,null]'))).toEqual(["a", 5, null])
    const refused = [
      "",
      "[",
      '{"a":1}',
      '"a"',
      "5",
      "null",
      "true",
      '[ "a" ]',
      '["a"] ',
      '["\\u0061"]',
      "[1.0]",
      "[1e0]",
    ]
    expect(refused.map(base64).map(decoded)).toEqual(refused.map(() => undefined))
    // The last character of two bytes, and of one, has bits that say nothing.
    expect([decoded("WyJhIl0"), decoded("WyJhIl1"), decoded("WzUs"), decoded("Wz")]).toEqual([["a"], ...Array(3)])
    expect([`${base64('["a"]')}=`, "W+/d", "W yJhIl0"].map(decoded)).toEqual([undefined, undefined, undefined])
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue().map((value) => JSON.stringify(value)),
          fc.string(),
          bytes,
        ),
        (said) => {
          const found = decoded(base64(said))
          const payload = base64(said)
          expect(found === undefined || encodeCursor("binding", "next", found) === payload + checksumOf(payload)).toBe(
            true,
          )
        },
      ),
      { numRuns: 500 },
    )
  })
})

/** As in `cursor.ts`, which keeps it to itself: cyrb53 in base 36, of the binding, the direction and the payload. */
const checksumOf = (payload: string): string => {
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (const code of Buffer.from(`next\nbinding\n${payload}`, "utf16le").filter((_, at) => at % 2 === 0)) {
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36).padStart(11, "0")
}
