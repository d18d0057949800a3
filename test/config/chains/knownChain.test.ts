/** What a chain is known by: the defaults of its settings, its facts, and the configuration file's word over both. */
import { describe, expect, test } from "bun:test"
import { knownChain } from "../../../src/config/chains/registry.ts"
import { Address } from "../../../src/model/primitives.ts"

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
    expect<unknown>(facts.factories).toContainEqual({
      address: "0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f",
      dex: "Uniswap V2",
      kind: "v2",
    })
    expect<unknown>(facts.anchors).toContainEqual({
      address: "0xdac17f958d2ee523a2206206994597c13d831ec7",
      symbol: "USDT",
    })
  })

  test("puts viem's testnets into the network testnet, also those that have no row of ours", () => {
    expect(knownChain("11155111").defaults.NETWORK).toBe("testnet")
    expect(knownChain("5").defaults).toEqual({ NETWORK: "testnet" })
  })

  test("leaves a wrapped token that mints by Transfer out of the ledger's setting", () => {
    const { defaults, facts } = knownChain("42161")
    expect<unknown>(facts.wrappedNative).toEqual({
      address: "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
      mintedBy: "Transfer",
    })
    expect(defaults.WRAPPED_NATIVE).toBeUndefined()
  })

  test("makes no setting of a wrapped token of which nobody has said how it mints", () => {
    const { defaults, facts } = knownChain("25")
    expect<unknown>(facts.wrappedNative).toEqual({ address: "0x5c7f8a570d578ed84e63fdfa7b1ee72deae1ae23" })
    expect(defaults).toEqual({ ECOSYSTEMS: "cronos", FINALITY: "10" })
  })

  test("knows nothing of a chain nobody knows, and takes no name of an object's own for one", () => {
    const nothing = { defaults: {}, facts: { factories: [], poolManagers: [], anchors: [] } }
    expect(knownChain("987654321987")).toEqual(nothing)
    expect(knownChain("constructor")).toEqual(nothing)
  })

  test("takes the configuration file's word over its own: other names, rows put in, rows taken out", () => {
    const usdt = Address.make("0xdac17f958d2ee523a2206206994597c13d831ec7")
    const mine = Address.make(`0x${"12".repeat(20)}`)
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
