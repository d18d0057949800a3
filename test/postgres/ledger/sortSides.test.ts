/** The order of a run: a sort by comparisons would give the same. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { comparePairs, Sides, sideWords } from "../../../src/adapters/postgres/ledger/bulk/sides.ts"
import { sortSides } from "../../../src/adapters/postgres/ledger/bulk/sortSides.ts"
import { burnAccount, mintAccount } from "../../../src/model/event.ts"
import { addressOfHex } from "../../../src/model/primitives.ts"

/** Few words each, so that pairs and beginnings are met again; high bits too. */
const word = fc.constantFrom("00000000", "00000001", "00000800", "7fffffff", "80000000", "ffffffff")
const anyAddress = fc.tuple(word, word, word).map(([a, b, c]) => addressOfHex(`0x${a}${b}00000000${c}00000000`))
const anySide = fc.record({
  token: fc.constantFrom(1, 2, 1023, 1024, 1025, 2 ** 21, 2 ** 30, 2 ** 31 - 1),
  account: fc.oneof({ weight: 9, arbitrary: anyAddress }, fc.constantFrom(mintAccount, burnAccount)),
})

test("sides are sorted by pair, those of one pair stay as they came", () => {
  const by = { words: new Int32Array(4), from: 0, narrow: true, amount: 0n }
  fc.assert(
    fc.property(fc.array(anySide, { maxLength: 200 }), (added) => {
      const sides = new Sides()
      for (const [block, { token, account }] of added.entries()) sides.add(token, account, block, by, false)
      const { words } = sides
      const expected = added
        .map((_, place) => place)
        .sort((a, b) => comparePairs(words, a * sideWords, words, b * sideWords) || a - b)
      expect([...sortSides(sides)]).toEqual(expected)
    }),
    { numRuns: 300 },
  )
})

test("an order stays while the sides of another chain are sorted", () => {
  const by = { words: new Int32Array(4), from: 0, narrow: true, amount: 0n }
  const [ours, theirs] = [new Sides(), new Sides()]
  for (let token = 1; token <= 100; token++) {
    ours.add(token, mintAccount, 1, by, false)
    theirs.add(101 - token, mintAccount, 1, by, false)
  }
  const order = sortSides(ours)
  expect(sortSides(theirs)[0]).toBe(99)
  expect([...order]).toEqual(Array.from({ length: 100 }, (_, place) => place))
})
