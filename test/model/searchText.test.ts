/** Texts as they are searched: what looks alike to a reader is the same, and what is no glyph is nothing. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { foldSymbol, foldText, longestFold } from "../../src/model/search/searchText.ts"

describe("foldText", () => {
  test.each([
    ["Straße", "strasse"],
    ["STRASSE", "strasse"],
    ["İstanbul", "istanbul"],
    ["ISTANBUL", "istanbul"],
    ["ＵＳＤ　Ｃｏｉｎ", "usd coin"],
    ["U\u200bS\u200dD\ufeff \u2060Co\u00adin", "usd coin"],
    ["\u202eUSDC\u202c", "usdc"],
    ["Café", "cafe"],
    ["Cafe\u0301", "cafe"],
    ["ΤΈΛΟΣ", "τελοσ"],
    ["τέλος", "τελοσ"],
    ["𝓤𝓢𝓓𝓒", "usdc"],
    ["Ⓤⓢⓓ", "usd"],
    ["ﬁat", "fiat"],
    ["❤️ Love", "❤ love"],
    ["हिन्दी", "हिन्दी"],
    ["가나다", "가나다"],
    ["がぎ", "がぎ"],
    ["\u3164", ""],
    ["\u200b\u200d", ""],
    ["\u2800", ""],
    ["100% Free_Coin", "100 free coin"],
  ])("%p is %p", (text, folded) => {
    expect(foldText(text)).toBe(folded)
  })

  test("what is folded stays as it is, is no longer than is kept, and has no blank at its ends", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 90 }), (text) => {
        const folded = foldText(text)
        expect(foldText(folded)).toBe(folded)
        expect([...folded].length).toBeLessThanOrEqual(longestFold)
        expect(folded).toBe(folded.trim())
      }),
      { numRuns: 2000 },
    )
  })

  test("a symbol is the same however its words are parted", () => {
    for (const symbol of ["UNI-V2", "uni v2", "Uni\u200bV2", "ＵＮＩ－Ｖ２"]) expect(foldSymbol(symbol)).toBe("univ2")
  })
})
