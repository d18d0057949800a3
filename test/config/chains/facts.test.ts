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

test("whatever else is written is refused with the way to the fault, its word left out, and never throws", () => {
  const word = fc.constantFrom("name", "nativeCurrency", "multicall3", "factories", "anchors", "__proto__", "toString")
  fc.assert(
    fc.property(fc.dictionary(word, fc.jsonValue(), { minKeys: 1 }), (facts) => {
      const problems: Array<string> = []
      const read = readFacts("chains.1", facts, problems)
      expect(problems.every((problem) => problem.startsWith("chains.1"))).toBe(true)
      expect(problems.some((problem) => problem.length > 400)).toBe(false)
      const isFaulty = (word: string) =>
        problems.some((problem) => problem.startsWith(`chains.1.${word}.`) || problem.startsWith(`chains.1.${word}:`))
      expect(Object.keys(read)).toEqual(Object.keys(facts).filter((word) => !isFaulty(word)))
    }),
    { numRuns: 300 },
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
