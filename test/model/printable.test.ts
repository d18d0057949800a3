/** Words from outside on one line. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { printable } from "../../src/model/printable.ts"

/** Every character that the interface promises to escape: C0, DEL, C1, directions, zero widths, separators of lines. */
const unseen = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x61c, 0x61c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2064],
  [0x2066, 0x206f],
  [0xfeff, 0xfeff],
  [0xad, 0xad],
] as const

test.each(unseen)("U+%s to U+%s are shown as JSON escapes them", (first, last) => {
  for (let code = first; code <= last; code++) {
    const shown = printable(`a${String.fromCharCode(code)}b`)
    expect(shown).toMatch(/^a\\(u[0-9a-f]{4}|[ntr])b$/)
    expect(JSON.parse(`"${shown}"`)).toBe(`a${String.fromCharCode(code)}b`)
  }
})

test("everything else stays as it is, backslashes and quotes too", () => {
  for (const text of ["", "USD Coin", 'a"b', "C:\\n", "Ωmega", "日本語", "🎉", "é", "नमस्ते", "🏴"])
    expect(printable(text)).toBe(text)
})

test("tags beyond U+FFFF and lone halves of pairs do not stay", () => {
  expect(printable("\u{e0041}")).toBe("\\udb40\\udc41")
  expect(printable("\ud800x")).toBe("\\ud800x")
})

test("whatever comes in, a terminal has nothing to obey and one line to show", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }),
  )
})
