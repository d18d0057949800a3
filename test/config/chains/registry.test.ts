/** The chain table: every row readable, sourced and in checksummed addresses; viem's part is viem's. */
import { describe, expect, test } from "bun:test"
import { getAddress } from "viem"
import { chainSettings } from "../../../src/config/chainSettings.ts"
import { readFacts } from "../../../src/config/chains/facts.ts"
import registry from "../../../src/config/chains/registry.json" with { type: "json" }
import { knownChain } from "../../../src/config/chains/registry.ts"
import viem from "../../../src/config/chains/viem.json" with { type: "json" }
import { viemRows } from "./viemTable.ts"

interface Row {
  readonly settings: Readonly<Record<string, { readonly value: string; readonly source: string }>>
  readonly facts?: Readonly<Record<string, unknown>>
}

const rows = Object.entries(registry.chains as Readonly<Record<string, Row>>)
const sources: Readonly<Record<string, string>> = registry.sources
const rowOfViem = new Map(viem.map((row) => [String(row[0]), row]))
const isTestnet = (id: string): boolean => rowOfViem.get(id)?.[5] === true

const ids = rows.map(([id]) => id)
/** Each main chain before its testnets. */
const testnets: ReadonlyArray<ReadonlyArray<string>> = [
  ["1", "11155111", "17000", "560048"],
  ["10", "11155420"],
  ["25", "338"],
  ["30", "31"],
  ["50", "51"],
  ["56", "97"],
  ["100", "10200"],
  ["130", "1301"],
  ["137", "80002"],
  ["143", "10143"],
  ["146", "57054"],
  ["196", "1952"],
  ["204", "5611"],
  ["250", "4002"],
  ["252", "2522"],
  ["324", "300"],
  ["480", "4801"],
  ["999", "998"],
  ["1088", "59902"],
  ["1135", "4202"],
  ["1284", "1287"],
  ["1329", "1328"],
  ["1868", "1946"],
  ["2020", "202601"],
  ["5000", "5003"],
  ["8217", "1001"],
  ["8453", "84532"],
  ["34443", "919"],
  ["42161", "421614"],
  ["42220", "11142220"],
  ["43114", "43113"],
  ["57073", "763373"],
  ["59144", "59141"],
  ["60808", "808813"],
  ["80094", "80069"],
  ["81457", "168587773"],
  ["534352", "534351"],
  ["7777777", "999999999"],
]

/** Every fact of a row: an object that has no objects in it. */
const leavesOf = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  if (typeof value !== "object" || value === null) return []
  const inner = Object.values(value).filter((item) => typeof item === "object")
  return inner.length === 0 ? [value as Readonly<Record<string, unknown>>] : inner.flatMap(leavesOf)
}

const addressesIn = (value: unknown): ReadonlyArray<string> => JSON.stringify(value).match(/0x[0-9a-fA-F]+/gu) ?? []

describe("what viem knows", () => {
  test("is what src/config/chains/viem.json says (after an update: bun test/config/chains/viemTable.ts)", () => {
    expect(viem as unknown).toEqual(viemRows())
  })

  test("is readable in every row", () => {
    const problems: Array<string> = []
    for (const [id, name, coin, symbol, decimals, , multicall3] of viem) {
      const nativeCurrency = { name: coin, symbol, decimals }
      readFacts(String(id), { name, nativeCurrency, ...(multicall3 ? { multicall3 } : {}) }, problems)
    }
    expect(problems).toEqual([])
  })

  test("has the chain of the demo", () => {
    expect(knownChain("31337")).toEqual({
      defaults: {},
      facts: {
        name: "Anvil",
        nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
        factories: [],
        poolManagers: [],
        anchors: [],
      },
    })
  })
})

describe("our own rows", () => {
  test("are of at least 30 main chains and their testnets, all of them known to viem, ascending", () => {
    expect(ids.filter((id) => !rowOfViem.has(id))).toEqual([])
    expect(ids.map(Number)).toEqual(ids.map(Number).sort((a, b) => a - b))
    expect(ids.filter((id) => !isTestnet(id)).length).toBeGreaterThanOrEqual(30)
    expect(ids.filter(isTestnet).length).toBeGreaterThanOrEqual(30)
  })

  test("have facts that read without a problem", () => {
    const problems: Array<string> = []
    for (const [id, { facts }] of rows) if (facts !== undefined) readFacts(id, facts, problems)
    expect(problems).toEqual([])
  })

  test("have settings that the settings take", () => {
    const strange = rows.flatMap(([id, { settings }]) =>
      Object.entries(settings)
        .filter(([name]) => !["ECOSYSTEMS", "FINALITY"].includes(name))
        .map(([name]) => `${id} ${name}`),
    )
    const refused = rows.flatMap(([id, { settings }]) =>
      Object.entries(settings)
        .filter(([name, { value }]) => !("value" in chainSettings[name as "FINALITY"].parse(value)))
        .map(([name, { value }]) => `${id} ${name} ${value}`),
    )
    expect([...strange, ...refused]).toEqual([])
  })

  test("name ecosystems, all of them", () => {
    expect(rows.filter(([, { settings }]) => settings.ECOSYSTEMS === undefined)).toEqual([])
  })

  test("name a depth, all of them, and none that costs a catch-up more than 2,400 blocks one by one", () => {
    const depths = rows.map(([id, { settings }]) => ({ id, depth: Number(settings.FINALITY?.value) }))
    expect(depths.filter(({ depth }) => !(depth >= 10 && depth <= 2400))).toEqual([])
  })

  test("give a testnet the depth of its main chain", () => {
    const depthOf = (id: string) => `${id} ${knownChain(id).defaults.FINALITY}`
    const expected = testnets.flatMap(([main, ...ids]) =>
      ids.map((id) => `${id} ${knownChain(main!).defaults.FINALITY}`),
    )
    expect(testnets.flatMap(([, ...ids]) => ids.map(depthOf))).toEqual(expected)
    expect(testnets.flatMap(([, ...ids]) => ids).sort()).toEqual(ids.filter(isTestnet).sort())
  })

  test("of main chains know a wrapped native token and dollars, but of these nobody has said them", () => {
    const without = (word: string) => rows.filter(([id, { facts = {} }]) => !isTestnet(id) && !(word in facts))
    const namesOf = (of: typeof rows) => of.map(([id]) => knownChain(id).facts.name)
    expect(namesOf(without("wrappedNative"))).toEqual(["Fraxtal", "Sei Network", "Aurora"])
    expect(namesOf(without("anchors"))).toEqual([])
  })

  test("name a source for every fact, and every source is used", () => {
    const facts = rows.flatMap(([id, row]) => leavesOf(row).map((fact) => ({ id, fact })))
    expect(facts.filter(({ fact }) => !Object.hasOwn(sources, String(fact.source)))).toEqual([])
    const used = new Set(facts.map(({ fact }) => String(fact.source)))
    expect(Object.keys(sources).filter((name) => !used.has(name))).toEqual([])
    expect(Object.values(sources).filter((text) => text.length < 20)).toEqual([])
  })

  test("have addresses with their checksum", () => {
    expect(addressesIn(registry.chains).filter((address) => getAddress(address) !== address)).toEqual([])
    expect(addressesIn(registry.chains).length).toBeGreaterThan(200)
  })

  test("say each address of a chain once, but the wrapped native token that stands for a dollar, and the one that is the currency itself", () => {
    const doubles = rows.flatMap(([id, { facts = {} }]) => {
      const all = addressesIn(facts)
      return all.filter((address, index) => all.indexOf(address) !== index).map((address) => `${id} ${address}`)
    })
    expect(doubles).toEqual([
      "100 0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d",
      "42220 0x471EcE3750Da237f93B8E339c536989b8978a438",
    ])
  })

  test("give no dollars to testnets", () => {
    expect(rows.filter(([id, { facts }]) => isTestnet(id) && facts?.anchors !== undefined)).toEqual([])
  })
})
