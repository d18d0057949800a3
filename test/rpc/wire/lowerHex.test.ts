/** Hex of nodes: what a pattern and the language's own folding make of it is the judge. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { lowerHex } from "../../../src/adapters/rpc/wire/lowerHex.ts"

const judge = (text: string): string | undefined => (/^0x[0-9a-f]*$/i.test(text) ? text.toLowerCase() : undefined)

test("digits in either case are lower-cased, anything else is none", () => {
  const digits = fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEF"), maxLength: 80 })
  const begin = fc.constantFrom("0x", "0X", "0", "x", "", "0y", "1x", "0x0x", " 0x")
  fc.assert(
    fc.property(begin, digits, (start, rest) => {
      expect(lowerHex(start + rest)).toBe(judge(start + rest))
    }),
    { numRuns: 2000 },
  )
})

test("any one character among digits, of all that there are, is taken only where it is a digit", () => {
  const wrong: Array<string> = []
  for (let code = 0; code < 65_536; code++) {
    for (const place of [0, 1, 2, 5]) {
      const text = "0xaB0F"
      const altered = text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1)
      if (lowerHex(altered) !== judge(altered)) wrong.push(altered)
    }
  }
  expect(wrong).toEqual([])
})
