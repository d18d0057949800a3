/** The file of COWRY_CONFIG: the same words, facts of chains, the environment over it, every problem at once. */
import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { givenSettings } from "../../src/config/configFile.ts"
import { readConfig } from "../../src/config/readConfig.ts"
import { Address } from "../../src/model/primitives.ts"

const folder = mkdtempSync(join(tmpdir(), "cowry-config-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const fileOf = (content: unknown): string => {
  const path = join(folder, `${files++}.json`)
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
  return path
}

const given = (content: unknown, env: Record<string, string> = {}) =>
  givenSettings({ ...env, COWRY_CONFIG: fileOf(content) })

/** The first chain of a start with this file and environment. */
const chainOf = (content: unknown, env: Record<string, string> = {}) => {
  const read = given(content, env)
  expect(read.problems).toEqual([])
  const config = readConfig(read.given, read.facts)
  if ("problems" in config) throw new Error(config.problems.join("; "))
  return config.chains[0]!
}

const usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
const mine = Address.make(`0x${"ab".repeat(20)}`)
const node = { RPC_URL_1: "http://node.example" }

test("a reader has native supplies of chains whose nodes it has not, as its file says them", () => {
  const supply = { kind: "fixed", total: "5" }
  const read = given({ chains: { 43114: { supply } } }, { ROLE: "reader", DATABASE_URL: "postgres://db.example/x" })
  const config = readConfig(read.given, read.facts)
  if ("problems" in config) throw new Error(config.problems.join("; "))
  expect(config.chains).toEqual([])
  expect<unknown>(config.supplies).toMatchObject([{ chainId: "43114", nativeCurrency: { symbol: "AVAX" }, supply }])
})

describe("settings", () => {
  test("the environment stands over the file, the file over the chain table, the table over the plain default", () => {
    const { finality, network, ecosystems, maxLag, pollMs } = chainOf(
      { ...node, FINALITY_1: 32, NETWORK_1: "private", MAX_LAG_1: 3 },
      { FINALITY_1: "16" },
    )
    expect({ finality, network, ecosystems, maxLag, pollMs }).toEqual({
      finality: 16,
      network: "private",
      ecosystems: ["ethereum"],
      maxLag: 3,
      pollMs: 1000,
    })
    expect(chainOf(node).finality).toBe(96)
    expect(chainOf({ RPC_URL_987654321: "http://node.example" }).finality).toBe(64)
  })

  test("a blank setting of the environment leaves the file's, an empty list in the file takes the table's away", () => {
    const { finality, wrappedNative } = chainOf(
      { ...node, FINALITY_1: 32, WRAPPED_NATIVE_1: [] },
      { FINALITY_1: "", WRAPPED_NATIVE_1: " " },
    )
    expect({ finality, wrappedNative }).toEqual({ finality: 32, wrappedNative: [] })
  })

  test("without COWRY_CONFIG the environment is all there is", () => {
    expect(givenSettings(node)).toEqual({ given: node, facts: {}, problems: [] })
    expect(givenSettings({ COWRY_CONFIG: "" })).toEqual({ given: { COWRY_CONFIG: "" }, facts: {}, problems: [] })
  })
})

describe("facts of chains", () => {
  test("are put over those of the table, word by word and address by address, in any letter case", () => {
    const { name, nativeCurrency, facts } = chainOf({
      ...node,
      chains: {
        1: {
          name: "Home",
          factories: { [mine.toUpperCase().replace("0X", "0x")]: { dex: "Home Swap", kind: "v3", source: "a note" } },
          anchors: { [usdt.toLowerCase()]: null },
        },
      },
    })
    expect({ name, symbol: nativeCurrency?.symbol }).toEqual({ name: "Home", symbol: "ETH" })
    expect(facts.factories.at(-1)).toEqual({ address: mine, dex: "Home Swap", kind: "v3" })
    expect(facts.anchors.map(({ symbol }) => symbol)).toEqual(["USDC", "DAI"])
  })

  test("may be given for a chain that nobody knows", () => {
    const { name, nativeCurrency, facts } = chainOf({
      RPC_URL_987654321: "http://node.example",
      chains: {
        987654321: {
          name: "Mine",
          nativeCurrency: { name: "Coin", symbol: "COIN", decimals: 9 },
          poolManagers: { [mine]: { dex: "Mine V4", deployer: "me" } },
        },
      },
    })
    expect({ name, nativeCurrency }).toEqual({
      name: "Mine",
      nativeCurrency: { name: "Coin", symbol: "COIN", decimals: 9 },
    })
    expect(facts.poolManagers).toEqual([{ address: mine, dex: "Mine V4", deployer: "me" }])
  })
})

test("the example of docs/operations.md is taken as it stands", () => {
  const page = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8")
  const example = page.match(/```json\n([^`]+"chains"[^`]+)```/u)?.[1]
  const { finality, facts } = chainOf(example)
  expect(finality).toBe(128)
  expect<unknown>(facts.factories[0]).toEqual({
    address: "0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f",
    dex: "Uniswap V2",
    kind: "v2",
    deployer: "uniswap",
  })
  expect(facts.factories.some(({ dex }) => dex === "ShibaSwap V1")).toBe(false)
})

describe("problems", () => {
  test("of settings and facts are all listed at once, each with its place, its value and what is wanted", () => {
    const read = given({
      ...node,
      FINALITY_1: "soon",
      NO_SUCH: 1,
      toString: "x",
      FINALITY_main: 5,
      HOST: { a: 1 },
      chains: {
        main: {},
        5: {},
        1: {
          name: "",
          colour: "blue",
          nativeCurrency: { symbol: "ETH", decimals: 1.5 },
          multicall3: "0x12",
          wrappedNative: { address: mine, mintedBy: "deposit" },
          factories: { "0x34": { dex: "X", kind: "v2" }, [usdt]: { kind: "v9" } },
          poolManagers: [],
          anchors: { [mine]: { symbol: "USD", usd: 2 }, [usdt]: null, [usdt.toLowerCase()]: { symbol: "USDT" } },
        },
      },
    })
    const config = readConfig(read.given, read.facts)
    const place = "(in the file of COWRY_CONFIG)"
    expect([...read.problems, ...("problems" in config ? config.problems : [])]).toEqual([
      `NO_SUCH: no such setting ${place}`,
      `toString: no such setting ${place}`,
      `FINALITY_main: no such setting ${place}`,
      `HOST: expected a text, a number, true, false or a list of texts ${place}`,
      `chains.1.name: expected a text of 1 to 64 characters, got "" ${place}`,
      `chains.1.colour: no such word; expected one of name, nativeCurrency, multicall3, wrappedNative, nativeToken, addedLogs, factories, poolManagers, anchors, supply ${place}`,
      `chains.1.nativeCurrency.name: expected a value, there is none ${place}`,
      `chains.1.nativeCurrency.decimals: expected a whole number from 0 to 255, got 1.5 ${place}`,
      `chains.1.multicall3: expected an address of 40 hex digits, got "0x12" ${place}`,
      `chains.1.wrappedNative.mintedBy: expected "Deposit" or "Transfer", got "deposit" ${place}`,
      `chains.1.factories: expected an address of 40 hex digits, got "0x34" ${place}`,
      `chains.1.factories.${usdt}.dex: expected a value, there is none ${place}`,
      `chains.1.factories.${usdt}.kind: expected "v2" or "v3", got "v9" ${place}`,
      `chains.1.poolManagers: expected an object by address, got [] ${place}`,
      `chains.1.anchors.${mine}.usd: no such word; expected one of symbol ${place}`,
      `chains.1.anchors.${usdt.toLowerCase()}: expected each address once ${place}`,
      `chains.main: expected a chain id, got "main" ${place}`,
      "chains.5: chain 5 has no node; set RPC_URL_5",
      'FINALITY_1: expected a whole number from 1 to 100000, got "soon"',
    ])
  })

  test("one fault hides no other: of a row its address, of a supply its kind, of a chain its id or that it has no node", () => {
    const supply = { kind: "fixed", total: "0.0000000000000000001" }
    const read = given({
      ...node,
      FINALITY_7: "soon",
      chains: {
        1: { factories: { "0x12": { dex: 7, kind: "v9" } }, anchors: { "0x13": { symbol: 5 }, "0x14": null }, supply },
        abc: { name: 5, colour: 1 },
        56: { supply: { total: "-1", burnt: ["x"], tax: 1 } },
        137: { supply: { kind: "free", interval: 0, totalUrl: "x" } },
      },
    })
    const config = readConfig(read.given, read.facts)
    const place = "(in the file of COWRY_CONFIG)"
    const colours =
      "name, nativeCurrency, multicall3, wrappedNative, nativeToken, addedLogs, factories, poolManagers, anchors, supply"
    const kinds = "expected an object whose kind is fixed or halving or http"
    const supplyWords =
      "total, burnt, locked, reward, interval, premined, firstBlock, totalUrl, totalPath, circulatingUrl, circulatingPath, unit"
    expect([...read.problems, ...("problems" in config ? config.problems : [])]).toEqual([
      `chains.1.factories: expected an address of 40 hex digits, got "0x12" ${place}`,
      `chains.1.factories.0x12.dex: expected a text of 1 to 64 characters, got 7 ${place}`,
      `chains.1.factories.0x12.kind: expected "v2" or "v3", got "v9" ${place}`,
      `chains.1.anchors: expected an address of 40 hex digits, got "0x13" ${place}`,
      `chains.1.anchors.0x13.symbol: expected a text of 1 to 64 characters, got 5 ${place}`,
      `chains.1.anchors: expected an address of 40 hex digits, got "0x14" ${place}`,
      `chains.56.supply: ${kinds} ${place}`,
      `chains.56.supply.total: expected a decimal number in a text, such as "21000000.5", got "-1" ${place}`,
      `chains.56.supply.burnt[0]: expected an address of 40 hex digits, got "x" ${place}`,
      `chains.56.supply.tax: no such word; expected one of ${supplyWords} ${place}`,
      `chains.137.supply: ${kinds} ${place}`,
      `chains.137.supply.interval: expected a whole number from 1 to 2147483647, got 0 ${place}`,
      `chains.137.supply.totalUrl: expected a URL with http:// or https:// ${place}`,
      `chains.abc: expected a chain id, got "abc" ${place}`,
      `chains.abc.name: expected a text of 1 to 64 characters, got 5 ${place}`,
      `chains.abc.colour: no such word; expected one of ${colours} ${place}`,
      "FINALITY_7: chain 7 has no node; set RPC_URL_7",
      "chains.56: chain 56 has no node; set RPC_URL_56",
      "chains.137: chain 137 has no node; set RPC_URL_137",
      'chains.1.supply.total: expected at most 18 decimals, got "0.0000000000000000001"',
      'FINALITY_7: expected a whole number from 1 to 100000, got "soon"',
    ])
  })

  test("an address that is named twice is told beside what else is wrong with its rows", () => {
    const twice = { [usdt]: { dex: 7 }, [usdt.toLowerCase()]: { kind: "v9", dex: "X" }, [mine]: null }
    const read = given({ ...node, chains: { 1: { factories: twice } } })
    const place = "(in the file of COWRY_CONFIG)"
    expect(read.problems).toEqual([
      `chains.1.factories.${usdt}.kind: expected a value, there is none ${place}`,
      `chains.1.factories.${usdt}.dex: expected a text of 1 to 64 characters, got 7 ${place}`,
      `chains.1.factories.${usdt.toLowerCase()}: expected each address once ${place}`,
      `chains.1.factories.${usdt.toLowerCase()}.kind: expected "v2" or "v3", got "v9" ${place}`,
    ])
  })

  test("an address that cannot be a contract's, and one that is factory and pool manager, are refused wherever they stand", () => {
    const zero = `0x${"0".repeat(40)}`
    const read = given({
      RPC_URL_987654321: "http://node.example",
      WRAPPED_NATIVE_987654321: zero,
      TOKENS_987654321: [mine, zero],
      POOL_MANAGERS_987654321: [mine, usdt],
      chains: {
        987654321: {
          wrappedNative: { address: zero },
          multicall3: zero,
          anchors: { [zero]: { symbol: "USD" } },
          factories: { [mine]: { dex: "One", kind: "v2" }, [usdt]: { dex: "Two", kind: "v3" } },
          poolManagers: { [mine]: { dex: "One" } },
          supply: { kind: "fixed", total: "1", burnt: [zero] },
          nativeCurrency: { name: "Coin", symbol: "COIN", decimals: 18 },
        },
      },
    })
    const config = readConfig(read.given, read.facts)
    const place = "(in the file of COWRY_CONFIG)"
    const wanted = "an address other than the zero address"
    expect([...read.problems, ...("problems" in config ? config.problems : [])]).toEqual([
      `chains.987654321.wrappedNative.address: expected ${wanted}, got "${zero}" ${place}`,
      `chains.987654321.multicall3: expected ${wanted}, got "${zero}" ${place}`,
      `chains.987654321.anchors: expected ${wanted}, got "${zero}" ${place}`,
      `TOKENS_987654321: expected a comma-joined list, each ${wanted}, got "${mine},${zero}"`,
      `WRAPPED_NATIVE_987654321: expected a comma-joined list, each ${wanted}, got "${zero}"`,
      `chains.987654321.poolManagers.${mine}: it is one of factories too; take it out of one with null`,
      `POOL_MANAGERS_987654321: expected pool managers, ${usdt.toLowerCase()} is one of the chain's factories`,
    ])
  })

  test("of the file itself say what is wrong with it", () => {
    const missing = join(folder, "missing.json")
    expect(givenSettings({ COWRY_CONFIG: missing }).problems).toEqual([
      `COWRY_CONFIG: cannot read ${JSON.stringify(missing)}: ENOENT`,
    ])
    expect(given("{").problems[0]).toEndWith("it is not JSON")
    expect(given([]).problems[0]).toEndWith("to hold one JSON object of settings")
    expect(given({ chains: [] }).problems).toEqual([
      "chains: expected an object by chain id (in the file of COWRY_CONFIG)",
    ])
  })
})
