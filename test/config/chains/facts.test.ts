/** Facts as anybody may write them: never an exception, either read or refused with a line that says where. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { mergeFacts, readFacts, type WrittenFacts } from "../../../src/config/chains/facts.ts"

const address = fc.stringMatching(/^0x[0-9a-f]{40}$/)
const label = fc.stringMatching(/^[A-Za-z0-9](?:[A-Za-z0-9 .]{0,20}[A-Za-z0-9])?$/)
const byAddress = <Row>(row: fc.Arbitrary<Row>) => fc.dictionary(address, fc.option(row), { maxKeys: 4 })

const written = fc.record(
  {
    name: label,
    nativeCurrency: fc.record({ name: label, symbol: label, decimals: fc.nat(255) }),
    multicall3: address,
    wrappedNative: fc.record(
      { address, mintedBy: fc.constantFrom("Deposit" as const, "Transfer" as const) },
      { requiredKeys: ["address"] },
    ),
    factories: byAddress(
      fc.record(
        { dex: label, kind: fc.constantFrom("v2" as const, "v3" as const), deployer: label },
        { requiredKeys: ["dex", "kind"] },
      ),
    ),
    poolManagers: byAddress(fc.record({ dex: label, deployer: label }, { requiredKeys: ["dex"] })),
    anchors: byAddress(fc.record({ symbol: label })),
  },
  { requiredKeys: [] },
)

/** What JSON holds: no undefined, no objects of unusual making. */
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test("what is well written is read as it stands", () => {
  fc.assert(
    fc.property(written, (facts) => {
      const problems: Array<string> = []
      expect([json(readFacts("chains.1", json(facts), problems)), problems]).toEqual([json(facts), []])
    }),
    { numRuns: 200 },
  )
})

const noText = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.array(label), fc.dictionary(label, label))
const noLabel = fc.oneof(noText, fc.constantFrom("", " ", " a", "a ", "a\nb", "\u202e", "a".repeat(65)))
const noObject = fc.oneof(fc.integer(), fc.boolean(), label, fc.array(label))
const noAddress = fc.oneof(
  noText,
  fc.constantFrom("", "0x", `0x${"g".repeat(40)}`, `0x${"0".repeat(40)}`, "1".repeat(42)),
)
const noDecimals = fc.oneof(fc.integer({ max: -1 }), fc.integer({ min: 256 }), fc.constantFrom(1.5, "18", null, []))
/** A table that has a wrong row, or a row of no address, beside a good one. */
const faultyTable = <Row>(row: fc.Arbitrary<Row>, wrong: fc.Arbitrary<unknown>) =>
  fc.oneof(
    noObject,
    fc.constant(null),
    fc.tuple(address, row, address, wrong).map(([one, good, other, bad]) => ({ [one]: good, [other]: bad })),
    fc.tuple(address, row, label).map(([one, good, other]) => ({ [one]: good, [other]: good })),
  )
const factory = fc.record({ dex: label, kind: fc.constantFrom("v2", "v3") })
/** Each word with what is none of it, and words that there are not. */
const faulty: ReadonlyArray<readonly [string, fc.Arbitrary<unknown>]> = [
  ["name", noLabel],
  [
    "nativeCurrency",
    fc.oneof(
      noObject,
      fc.constant(null),
      fc.record({ name: label, symbol: label }),
      fc.record({ name: noLabel, symbol: label, decimals: fc.nat(255) }),
      fc.record({ name: label, symbol: label, decimals: noDecimals }),
      fc.record({ name: label, symbol: label, decimals: fc.nat(255), more: fc.jsonValue() }),
    ),
  ],
  ["multicall3", noAddress],
  ["wrappedNative", fc.oneof(noObject, fc.record({ address: noAddress }), fc.record({ address, mintedBy: noLabel }))],
  [
    "factories",
    faultyTable(
      factory,
      fc.oneof(noObject, fc.record({ dex: label, kind: noLabel }), fc.record({ dex: label }), fc.constant({})),
    ),
  ],
  ["poolManagers", faultyTable(fc.record({ dex: label }), fc.oneof(noObject, fc.record({ dex: noLabel })))],
  ["anchors", faultyTable(fc.record({ symbol: label }), fc.oneof(noObject, fc.record({ symbol: noLabel })))],
  ...["__proto__", "toString", "Name", "wraps"].map((word) => [word, fc.jsonValue()] as const),
]

test("whatever else is written is refused with the way to the fault, its word left out, and never throws", () => {
  const faults = fc.uniqueArray(
    fc.oneof(...faulty.map(([word, value]) => value.map((value) => [word, value] as const))),
    { selector: ([word]) => word, minLength: 1, maxLength: 4 },
  )
  const met = new Set<string>()
  fc.assert(
    fc.property(written, faults, (good, faults) => {
      const problems: Array<string> = []
      const given = Object.fromEntries([...Object.entries(good), ...faults])
      const read = readFacts("chains.1", given, problems)
      const isOf = (word: string) => (problem: string) =>
        problem.startsWith(`chains.1.${word}.`) || problem.startsWith(`chains.1.${word}:`)
      for (const [word] of faults) {
        met.add(word)
        expect([word, problems.some(isOf(word))]).toEqual([word, true])
      }
      expect(problems.filter((problem) => !faults.some(([word]) => isOf(word)(problem)))).toEqual([])
      expect(problems.some((problem) => problem.length > 400)).toBe(false)
      const kept = Object.entries(good).filter(([word]) => !faults.some(([faulty]) => faulty === word))
      expect(json(read)).toEqual(json(Object.fromEntries(kept)))
    }),
    { numRuns: 500 },
  )
  expect([...met].toSorted()).toEqual(faulty.map(([word]) => word).toSorted())
  fc.assert(
    fc.property(fc.oneof(noObject, fc.constant(null)), (given) => {
      const problems: Array<string> = []
      expect(readFacts("chains.1", given, problems)).toEqual({})
      expect(problems).toEqual([expect.stringMatching(/^chains\.1: expected an object, got /)])
    }),
    { numRuns: 50 },
  )
})

test("a later source stands over an earlier one: word by word, and in the tables address by address", () => {
  fc.assert(
    fc.property(written, written, (earlier, later) => {
      const merged = mergeFacts(earlier as WrittenFacts, later as WrittenFacts)
      for (const word of ["name", "nativeCurrency", "multicall3", "wrappedNative"] as const) {
        expect<unknown>(merged[word]).toEqual(later[word] ?? earlier[word])
      }
      for (const word of ["factories", "poolManagers", "anchors"] as const) {
        const rows = Object.entries({ ...earlier[word], ...later[word] }).filter(([, row]) => row !== null)
        expect<unknown>(merged[word]).toEqual(rows.map(([address, row]) => ({ address, ...row })))
      }
    }),
    { numRuns: 200 },
  )
})
