/** Token lists and information files as anybody may write them: read, or refused with a reason; never an exception. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { readInformation } from "../../src/adapters/lists/informationFile.ts"
import { textsOf } from "../../src/adapters/lists/texts.ts"
import { readTokenList } from "../../src/adapters/lists/tokenList.ts"
import { noteWords } from "../../src/model/tokenNote.ts"

const token = (more: object = {}) => ({
  chainId: 1,
  address: `0x${"Ab".repeat(20)}`,
  name: "Token",
  symbol: "TOK",
  decimals: 18,
  ...more,
})
const list = (tokens: unknown, more: object = {}) =>
  readTokenList(JSON.stringify({ name: "Good", version: { major: 1, minor: 0, patch: 0 }, tokens, ...more }))
const good = Array.from({ length: 9 }, (_, n) => token({ address: `0x${String(n).repeat(40)}` }))

test("entries are read in lower case, each chain and address once, with the texts of their extensions", () => {
  const extensions = { website: "https://a.example", description: " A\ttoken ", bridgeInfo: { 10: {} } }
  expect<unknown>(list([token({ extensions }), token({ name: "Again" }), token({ chainId: 43114 })])).toEqual({
    name: "Good",
    leftOut: 0,
    tokens: [
      {
        chainId: "1",
        address: `0x${"ab".repeat(20)}`,
        texts: { website: "https://a.example", description: "A token" },
      },
      { chainId: "43114", address: `0x${"ab".repeat(20)}`, texts: {} },
    ],
  })
})

test.each([
  ["no object", "0xab"],
  ["null", null],
  ["no address", token({ address: undefined })],
  ["a short address", token({ address: "0xab" })],
  ["a chain id that is a text", token({ chainId: "1" })],
  ["a chain id below one", token({ chainId: 0 })],
  ["a chain id with a fraction", token({ chainId: 1.5 })],
  ["no name", token({ name: undefined })],
  ["a symbol that is a number", token({ symbol: 5 })],
  ["decimals below zero", token({ decimals: -1 })],
  ["decimals above 255", token({ decimals: 256 })],
  ["no decimals", token({ decimals: undefined })],
  ["extensions that are a list", token({ extensions: [] })],
  ["one that the list itself warns of", token({ extensions: { blacklist: true } })],
])("one bad entry is left out and counted: %s", (_, entry) => {
  const read = list([...good, entry])
  expect(read).toMatchObject({ leftOut: 1 })
  expect("tokens" in read && read.tokens).toHaveLength(9)
})

test("an entry of a collection has no decimals and may have no symbol", () => {
  expect(list([token({ decimals: undefined, symbol: null, standard: "erc721" })])).toMatchObject({ leftOut: 0 })
  expect(list([token({ decimals: undefined, type: "ERC1155" })])).toMatchObject({ leftOut: 0 })
  expect(list([...good, token({ decimals: undefined, type: "ERC20" })])).toMatchObject({ leftOut: 1 })
})

test.each([
  ["it is not a JSON object", "<!doctype html><html></html>"],
  ["it is not a JSON object", ""],
  ["it is not a JSON object", "[]"],
  ["it is not a JSON object", "null"],
  ["it has no name", '{"tokens":[]}'],
  ["it has no name", '{"message":"Not Found"}'],
  ["it lists no tokens", '{"name":"x","tokens":[]}'],
  ["it lists no tokens", '{"name":"x","tokens":{}}'],
  ["it lists no tokens", '{"name":"x"}'],
  ["its version is none", '{"name":"x","version":"1.0.0","tokens":[{}]}'],
  ["1 of its 1 entries are no tokens or blacklisted", '{"name":"x","tokens":[{}]}'],
])("%s: %s", (problem, text) => {
  expect(readTokenList(text)).toEqual({ problem })
})

test("whatever JSON it is, it is read or refused", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (given) => {
      const text = JSON.stringify(given)
      const read = readTokenList(text)
      expect(read).toEqual({ problem: expect.any(String) })
      expect(readTokenList(`{"name":"x","tokens":${text}}`)).toEqual(
        Array.isArray(given) && given.length > 0
          ? { problem: `${given.length} of its ${given.length} entries are no tokens or blacklisted` }
          : { problem: "it lists no tokens" },
      )
    }),
    { numRuns: 300 },
  )
})

test("of entries with any fields those are read that have all of them right, and a list of mostly others is none", () => {
  /** Mostly a right value, with whether it is one; undefined = absent. */
  const field = (right: fc.Arbitrary<unknown>, wrong: fc.Arbitrary<unknown>) =>
    fc.oneof(
      { weight: 11, arbitrary: right.map((value) => ({ value, isRight: true })) },
      { weight: 1, arbitrary: wrong.map((value) => ({ value, isRight: false })) },
    )
  const entry = fc.record({
    chainId: field(fc.integer({ min: 1, max: 3 }), fc.constantFrom(0, -1, 1.5, "1", null, undefined, [1])),
    address: field(
      fc.nat(5).map((digit) => `0x${String(digit).repeat(40)}`),
      fc.constantFrom("", "0xab", `0x${"g".repeat(40)}`, `0x${"1".repeat(41)}`, "1".repeat(40), 5, null, undefined),
    ),
    name: field(fc.constantFrom("", "Token"), fc.constantFrom(5, null, undefined, [], {})),
    symbol: field(fc.constantFrom("", "TOK", null, undefined), fc.constantFrom(5, true, [], {})),
    decimals: field(fc.nat(255), fc.constantFrom(-1, 256, 0.5, "18", null, undefined)),
    extensions: field(
      fc.constantFrom(null, undefined, {}, { website: 5 }, { blacklist: false, a: [{ b: null }] }),
      fc.constantFrom(5, "x", false, [], { blacklist: true }),
    ),
  })
  let [lists, none] = [0, 0]
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 12 }), (entries) => {
      const isToken = (of: (typeof entries)[number]) => Object.values(of).every(({ isRight }) => isRight)
      const given = entries.map((of) =>
        Object.fromEntries(Object.entries(of).map(([word, { value }]) => [word, value])),
      )
      const read = list(given)
      const leftOut = entries.filter((of) => !isToken(of)).length
      if (2 * leftOut > entries.length) {
        none++
        expect(read).toEqual({ problem: `${leftOut} of its ${entries.length} entries are no tokens or blacklisted` })
        return
      }
      lists++
      const keys = entries.filter(isToken).map(({ chainId, address }) => `${chainId.value} ${address.value}`)
      expect("tokens" in read && read.leftOut).toBe(leftOut)
      expect("tokens" in read && read.tokens.map((it) => `${it.chainId} ${it.address}`)).toEqual([...new Set(keys)])
    }),
    { numRuns: 300 },
  )
  expect([lists > 100, none > 20]).toEqual([true, true])
})

describe("texts", () => {
  test("go by the names that lists use; the first that holds a text counts", () => {
    const given = { link: "https://b.example", x: "@b", medium: "https://medium.com/b", whitepaper: "b.example/w.pdf" }
    expect(textsOf(given)).toEqual({
      website: "https://b.example",
      twitter: "@b",
      blog: "https://medium.com/b",
      whitepaperUrl: "b.example/w.pdf",
    })
    expect(textsOf({ ...given, website: "https://a.example" }).website).toBe("https://a.example")
  })

  test("a logo is a link to a picture, of the entry before its extensions", () => {
    const imageOf = (given: object) => {
      const read = list([token(given)])
      return "problem" in read ? read : read.tokens[0]?.texts.image
    }
    expect(imageOf({ logoURI: "https://a.example/a.png" })).toBe("https://a.example/a.png")
    expect(imageOf({ logoURI: " ipfs://Qm123/a.svg " })).toBe("ipfs://Qm123/a.svg")
    expect(imageOf({ logoUri: "http://a.example/b.png", extensions: { logo: "https://c.example" } })).toBe(
      "http://a.example/b.png",
    )
    expect(imageOf({ logoURI: null, extensions: { image: "https://c.example/c.png" } })).toBe("https://c.example/c.png")
    expect(imageOf({ logoURI: "data:image/svg+xml,<svg>", extensions: { logo: "https://c.example/" } })).toBe(
      "https://c.example/",
    )
    for (const logoURI of [
      "",
      "a.png",
      "//a.example/a.png",
      "javascript:alert(1)",
      "https://a b",
      "https://a'b",
      5,
      {},
    ])
      expect(imageOf({ logoURI })).toBeUndefined()
  })

  test("are left out where they are empty, overlong, no text, or a link that a browser would run", () => {
    const bad = [
      "",
      "  ",
      "x".repeat(2001),
      5,
      null,
      {},
      "javascript:alert(1)",
      " JavaScript:alert(1)",
      "data:text/html,x",
    ]
    for (const website of bad) expect(textsOf({ website })).toEqual({})
    expect(textsOf({ description: "Note: this is prose", telegram: "tg://x", email: "mailto:a@b.example" })).toEqual({
      description: "Note: this is prose",
      email: "mailto:a@b.example",
    })
  })
})

describe("the information file", () => {
  const address = `0x${"Cd".repeat(20)}`

  test("is texts by chain and address", () => {
    const read = readInformation(
      JSON.stringify({ 1: { [address]: { email: "a@b.example", audit: "https://c.example" } } }),
    )
    expect<unknown>(read).toEqual(
      new Map([["1", new Map([[address.toLowerCase(), { email: "a@b.example", audit: "https://c.example" }]])]]),
    )
  })

  test("is refused with everything that is wrong with it", () => {
    const file = {
      main: {},
      1: { "0x12": {}, [address]: { web: "x", website: "javascript:x", email: 5 }, [address.toLowerCase()]: {} },
      2: [],
    }
    expect(readInformation(JSON.stringify(file))).toEqual({
      problems: [
        "1.0x12: expected an address of 40 hex digits",
        `1.${address}.web: no such word; expected one of ${noteWords.join(", ")}`,
        `1.${address}.website: expected a text of 1 to 2000 characters, links with https://`,
        `1.${address}.email: expected a text of 1 to 2000 characters, links with https://`,
        `1.${address.toLowerCase()}: expected each address once`,
        "2: expected an object",
        "main: expected a chain id",
      ],
    })
    expect(readInformation("{")).toEqual({ problems: ["it is not JSON"] })
    expect(readInformation("[]")).toEqual({ problems: ["the file: expected an object"] })
  })
})
