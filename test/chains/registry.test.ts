/** The chain table: every row readable, sourced and in checksummed addresses; viem's part is viem's. */
import { describe, expect, test } from "bun:test"
import { getAddress } from "viem"
import { readFacts } from "../../src/chains/facts.ts"
import registry from "../../src/chains/registry.json" with { type: "json" }
import { knownChain } from "../../src/chains/registry.ts"
import viem from "../../src/chains/viem.json" with { type: "json" }
import { chainSettings } from "../../src/settings.ts"
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
const testnets = [
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
] as const

/** Every fact of a row: an object that has no objects in it. */
const leavesOf = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  if (typeof value !== "object" || value === null) return []
  const inner = Object.values(value).filter((item) => typeof item === "object")
  return inner.length === 0 ? [value as Readonly<Record<string, unknown>>] : inner.flatMap(leavesOf)
}

const addressesIn = (value: unknown): ReadonlyArray<string> => JSON.stringify(value).match(/0x[0-9a-fA-F]+/gu) ?? []

describe("what viem knows", () => {
  test("is what src/chains/viem.json says (after an update: bun test/chains/viemTable.ts)", () => {
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

  test("say each address of a chain once, but the wrapped native token that stands for a dollar", () => {
    const doubles = rows.flatMap(([id, { facts = {} }]) => {
      const all = addressesIn(facts)
      return all.filter((address, index) => all.indexOf(address) !== index).map((address) => `${id} ${address}`)
    })
    expect(doubles).toEqual(["100 0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d"])
  })

  test("give no dollars to testnets", () => {
    expect(rows.filter(([id, { facts }]) => isTestnet(id) && facts?.anchors !== undefined)).toEqual([])
  })
})

describe("knownChain", () => {
  test("gives Ethereum's network, ecosystems, depth, wrapped token and pool managers as defaults of its settings", () => {
    const { defaults, facts } = knownChain("1")
    expect(defaults).toEqual({
      ECOSYSTEMS: "ethereum",
      FINALITY: "96",
      POOL_MANAGERS: "0x000000000004444c5dc75cb358380d2e3de08a90",
      WRAPPED_NATIVE: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    })
    expect(facts).toMatchObject({
      name: "Ethereum",
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      multicall3: "0xca11bde05977b3631167028862be2a173976ca11",
      poolManagers: [{ address: "0x000000000004444c5dc75cb358380d2e3de08a90", dex: "Uniswap V4" }],
    })
    expect(facts.factories).toContainEqual({
      address: "0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f",
      dex: "Uniswap V2",
      kind: "v2",
    })
    expect(facts.anchors).toContainEqual({ address: "0xdac17f958d2ee523a2206206994597c13d831ec7", symbol: "USDT" })
  })

  test("puts viem's testnets into the network testnet, also those that have no row of ours", () => {
    expect(knownChain("11155111").defaults.NETWORK).toBe("testnet")
    expect(knownChain("5").defaults).toEqual({ NETWORK: "testnet" })
  })

  test("leaves a wrapped token that mints by Transfer out of the ledger's setting", () => {
    const { defaults, facts } = knownChain("42161")
    expect(facts.wrappedNative).toEqual({
      address: "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
      mintedBy: "Transfer",
    })
    expect(defaults.WRAPPED_NATIVE).toBeUndefined()
  })

  test("makes no setting of a wrapped token of which nobody has said how it mints", () => {
    const { defaults, facts } = knownChain("25")
    expect(facts.wrappedNative).toEqual({ address: "0x5c7f8a570d578ed84e63fdfa7b1ee72deae1ae23" })
    expect(defaults).toEqual({ ECOSYSTEMS: "cronos", FINALITY: "10" })
  })

  test("knows nothing of a chain nobody knows, and takes no name of an object's own for one", () => {
    const nothing = { defaults: {}, facts: { factories: [], poolManagers: [], anchors: [] } }
    expect(knownChain("987654321987")).toEqual(nothing)
    expect(knownChain("constructor")).toEqual(nothing)
  })

  test("takes the configuration file's word over its own: other names, rows put in, rows taken out", () => {
    const usdt = "0xdac17f958d2ee523a2206206994597c13d831ec7"
    const mine = `0x${"12".repeat(20)}`
    const { defaults, facts } = knownChain("1", {
      name: "Home",
      wrappedNative: { address: mine, mintedBy: "Deposit" },
      factories: { [mine]: { dex: "Home Swap", kind: "v2", deployer: "home" } },
      anchors: { [usdt]: null, [mine]: { symbol: "HUSD" } },
    })
    expect(facts.name).toBe("Home")
    expect(facts.nativeCurrency?.symbol).toBe("ETH")
    expect(defaults.WRAPPED_NATIVE).toBe(mine)
    expect(facts.factories.at(-1)).toEqual({ address: mine, dex: "Home Swap", kind: "v2", deployer: "home" })
    expect(facts.factories.length).toBe(knownChain("1").facts.factories.length + 1)
    expect(facts.anchors.map(({ symbol }) => symbol)).toEqual(["USDC", "DAI", "HUSD"])
  })
})
