/** Settings: defaults, the same words in a file, and every problem in one message. */
import { describe, expect, test } from "bun:test"
import { chainSettings } from "../../src/config/chainSettings.ts"
import { mergeFacts } from "../../src/config/chains/facts.ts"
import { knownChain } from "../../src/config/chains/registry.ts"
import { readFields } from "../../src/config/deriveFields.ts"
import { converted, wholeNumber } from "../../src/config/parseValues.ts"
import { type Profile, profileLine, profiles } from "../../src/config/profiles.ts"
import { readConfig } from "../../src/config/readConfig.ts"
import { serviceSettings } from "../../src/config/settings.ts"
import { upstreamsOf } from "../../src/config/upstreams.ts"
import { Address } from "../../src/model/primitives.ts"

const node = { RPC_URL_1: "https://node.example/secret-key" }
const unknownChain = { RPC_URL_987654321: "https://node.example/secret-key" }
const problems = (...given: Parameters<typeof readConfig>) => {
  const config = readConfig(...given)
  return "problems" in config ? config.problems : []
}

const configOf = (...given: Parameters<typeof readConfig>) => {
  const config = readConfig(...given)
  if ("problems" in config) throw new Error(config.problems.join("; "))
  return config
}
const chainOf = (...given: Parameters<typeof readConfig>) => configOf(...given).chains[0]!

describe("readConfig", () => {
  test("needs one node and has a default for all else", () => {
    const config = configOf(unknownChain)
    expect(config).toMatchObject({
      port: 3000,
      host: "0.0.0.0",
      databaseSchema: "cowry",
      cacheBytes: 256 * 1024 * 1024,
      logLevel: "Info",
      strictKeys: false,
      apiKeysSha256: [],
      trustProxy: false,
      priceSources: ["swaps"],
      priceMinDepth: 10_000,
      priceIntervalMs: 60_000,
      priceUrl: "https://coins.llama.fi",
      tokenLists: [],
      tokenListsIntervalMs: 3_600_000,
    })
    expect(config.chains).toHaveLength(1)
    expect(config.chains[0]).toMatchObject({
      chainId: "987654321",
      rpcUrls: ["https://node.example/secret-key"],
      startBlock: 0,
      network: "mainnet",
      ecosystems: [],
      finality: 64,
      maxLag: 10,
      pollMs: 1000,
      rpcConcurrency: 4,
      wrappedNative: [],
      nativePricedBy: [],
      swaps: true,
      poolManagers: [],
      factories: new Map(),
      bloom: true,
      receipts: true,
      verify: "range",
      tokenUris: true,
      accountCodes: true,
      auditSeconds: 60,
      facts: { factories: [], poolManagers: [], anchors: [] },
    })
  })

  test("refuses lists of commas alone: who wants an empty one writes none, where one may be empty", () => {
    const wanted = "expected a comma-joined list of one value or more"
    expect(problems({ RPC_URL_1: ",", TOKENS_1: " , ", WRAPPED_NATIVE_1: ",,", API_KEYS_SHA256: "," })).toEqual([
      `API_KEYS_SHA256: ${wanted}, or none, got ","`,
      `RPC_URL_1: ${wanted}, got ","`,
      `TOKENS_1: ${wanted}, got ","`,
      `WRAPPED_NATIVE_1: ${wanted}, or none, got ",,"`,
    ])
    const { rpcUrls, wrappedNative } = chainOf({ RPC_URL_1: ",https://node.example,", WRAPPED_NATIVE_1: "none" })
    expect({ rpcUrls, wrappedNative }).toEqual({ rpcUrls: ["https://node.example"], wrappedNative: [] })
  })

  test("has a field for each setting that is given or has a default, and no others", () => {
    const { chains, supplies, upstreamsElsewhere, ...service } = configOf(unknownChain)
    const problems: Array<string> = []
    expect(upstreamsElsewhere).toEqual([])
    expect(supplies).toEqual(chains)
    expect(service).toEqual(readFields(serviceSettings, unknownChain, problems))
    const { audit, ...fields } = readFields(chainSettings, unknownChain, problems, { suffix: "_987654321" })
    const { facts, factories, nativePricedBy, chainId, ...chain } = chains[0]!
    expect({ ...chain, audit }).toEqual({ ...fields, audit: true })
    expect(nativePricedBy).toEqual([])
    expect<unknown>({ facts, factories, chainId, problems }).toEqual({
      facts: { factories: [], poolManagers: [], anchors: [] },
      factories: new Map(),
      chainId: "987654321",
      problems: [],
    })
  })

  test("a setting's field is its name in camel case, or the row's own; without a default it may be absent", () => {
    const parse = wholeNumber(0, 9)
    const table = {
      TRIAL_DEPTH: { parse, default: "7", meaning: "" },
      TRIAL_MS_2: { parse, meaning: "" },
      TRIAL: { field: "trialSeconds", parse: converted(parse, (minutes) => minutes * 60), default: "1", meaning: "" },
    } as const
    const fields: { readonly trialDepth: number; readonly trialMs2?: number; readonly trialSeconds: number } =
      readFields(table, {}, [])
    expect(fields).toEqual({ trialDepth: 7, trialSeconds: 60 })
    expect(readFields(table, { TRIAL_MS_2_5: " 3 " }, [], { suffix: "_5" })).toEqual({ ...fields, trialMs2: 3 })
    const problems: Array<string> = []
    expect(readFields(table, { TRIAL_DEPTH: "x" }, problems)).toEqual({ trialSeconds: 60 } as typeof fields)
    expect(problems).toEqual(['TRIAL_DEPTH: expected a whole number from 0 to 9, got "x"'])
  })

  test("a preset changes defaults alone: what is set by hand, and what is known of a chain, stands above it", () => {
    const frugal = configOf({ ...node, PROFILE: "frugal" })
    expect(frugal).toMatchObject({ profile: "frugal", priceIntervalMs: 300_000, priceHistory: false })
    const ofPreset = { tokenUris: false, auditSeconds: 3600, pollMs: 4000, receipts: true, verify: "range" }
    expect(frugal.chains[0]).toMatchObject({ ...ofPreset, wrappedNative: chainOf(node).wrappedNative })
    const byHand = configOf({ ...node, PROFILE: "Frugal", PRICE_HISTORY: "on", AUDIT_SECONDS_1: "60", POLL_MS_1: " " })
    expect(byHand).toMatchObject({ priceHistory: true, priceIntervalMs: 300_000 })
    expect(byHand.chains[0]).toMatchObject({ ...ofPreset, auditSeconds: 60 })
    expect(configOf({ ...node, PROFILE: "usual" })).toEqual(configOf(node))
    expect(problems({ ...node, PROFILE: "cheap" })).toEqual(['PROFILE: expected usual or frugal, got "cheap"'])
  })

  test("a preset is told of whole, by settings that there are and take its words", () => {
    expect(profileLine("usual")).toBeUndefined()
    for (const [name, { service, chain, meaning }] of Object.entries<Profile>(profiles)) {
      const found: Array<string> = []
      readFields(serviceSettings, service, found)
      readFields(chainSettings, { RPC_URL: "http://node.example", ...chain }, found)
      expect([name, found]).toEqual([name, []])
      const known = new Set([...Object.keys(serviceSettings), ...Object.keys(chainSettings)])
      expect([...Object.keys(service), ...Object.keys(chain)].filter((setting) => !known.has(setting))).toEqual([])
      expect(meaning.length).toBeGreaterThan(10)
    }
    expect(profileLine("frugal")).toBe(
      "PROFILE=frugal, where nothing else is set: PRICE_SECONDS=300, PRICE_HISTORY=off, POLL_MS_<id>=4000, TOKEN_URIS_<id>=off, AUDIT_SECONDS_<id>=3600",
    )
  })

  test("says exactly what to set when no node is configured", () => {
    expect(problems({})).toEqual([
      "RPC_URL_<chain id>: no node is configured; set at least one, for example RPC_URL_1=https://your-node.example",
    ])
  })

  test("reports every problem at once, and no secret with them", () => {
    const found = problems({
      RPC_URL_1: "node.example/secret-key",
      RPC_URL_main: "https://node.example",
      FINALITY_1: "soon",
      NETWORK_5: "testnet",
      TOKENS_1: "0x12,0x34",
      PORT: "99999",
      STRICT_KEYS: "on",
      API_KEYS_SHA256: "my-secret-key",
      DATABASE_URL: "mysql://user:secret@host/db",
    })
    expect(found).toEqual([
      'PORT: expected a whole number from 0 to 65535, got "99999"',
      "DATABASE_URL: expected a URL with postgres:// or postgresql://",
      "API_KEYS_SHA256: expected a comma-joined list, each the SHA-256 of a key, 64 hex digits",
      'RPC_URL_main: expected a chain id after RPC_URL_, got "main"',
      "NETWORK_5: chain 5 has no node; set RPC_URL_5",
      "RPC_URL_1: expected a comma-joined list, each a URL with http:// or https://",
      'TOKENS_1: expected a comma-joined list, each an address of 40 hex digits, got "0x12,0x34"',
      'FINALITY_1: expected a whole number from 1 to 100000, got "soon"',
    ])
    expect(found.join()).not.toContain("secret")
  })

  test("a chain's number that is written otherwise is a problem of every setting; what begins with no digit is another program's", () => {
    const node = { RPC_URL_1: "http://node.example" }
    expect(
      problems({ ...node, TOKENS_01: "0x1", START_BLOCK_0x1: "5", AUDIT_SECONDS_1e3: "60", FINALITY_1_000: "3" }),
    ).toEqual([
      'TOKENS_01: expected a chain id after TOKENS_, got "01"',
      'START_BLOCK_0x1: expected a chain id after START_BLOCK_, got "0x1"',
      'AUDIT_SECONDS_1e3: expected a chain id after AUDIT_SECONDS_, got "1e3"',
      'FINALITY_1_000: expected a chain id after FINALITY_, got "1_000"',
    ])
    expect(problems({ ...node, ROLE: "reader", DATABASE_URL: "postgres://host/db", TOKENS_01: "0x1" })).toEqual([
      'TOKENS_01: expected a chain id after TOKENS_, got "01"',
    ])
    const others = { NETWORK_NAME: "x", HISTORY_FILE: "/root/.history", NAME_OF_1: "x" }
    expect(configOf({ ...node, ...others })).toEqual(configOf(node))
  })

  test("a setting that is blank is not given, of a chain too that has no node", () => {
    const blank = { RPC_URL_137: "", FINALITY_137: " ", RPC_URL_main: "", TOKENS_01: "", ETHERSCAN_UPSTREAM_URL_5: "" }
    expect(configOf({ ...node, ...blank })).toEqual(configOf(node))
    expect(problems({ RPC_URL_1: " " })).toEqual(problems({}))
  })

  test("chains come in numeric order, lists are trimmed, lower-cased and without doubles", () => {
    const weth = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
    const config = readConfig({
      RPC_URL_43114: "http://a.example , http://b.example",
      RPC_URL_5: "http://c.example",
      WRAPPED_NATIVE_5: `${weth}, ${weth.toLowerCase()},`,
      ECOSYSTEMS_5: "avax, l1",
    })
    if ("problems" in config) throw new Error(config.problems.join())
    expect<ReadonlyArray<string>>(config.chains.map((chain) => chain.chainId)).toEqual(["5", "43114"])
    expect(config.chains[0]).toMatchObject({ wrappedNative: [weth.toLowerCase()], ecosystems: ["avax", "l1"] })
    expect(config.chains[1]!.rpcUrls).toEqual(["http://a.example", "http://b.example"])
  })

  test("a node that is written in several ways is one node", () => {
    const urls = (written: string) => chainOf({ RPC_URL_1: written }).rpcUrls
    expect(urls("http://n.example,http://n.example/,HTTP://N.example:80/,http://n.example#a")).toEqual([
      "http://n.example",
    ])
    expect(urls("https://N.example:443/Key?a=B, https://n.example/Key?a=B")).toEqual(["https://N.example:443/Key?a=B"])
    const others = ["https://n.example/a", "http://n.example/a", "https://n.example/A", "https://me:key@n.example/a"]
    expect(urls(others.join())).toEqual(others)
  })

  test("of Polygon, HyperEVM and their testnets say that they add logs beside their transactions", () => {
    const ids = ["1", "137", "998", "999", "80002"]
    const config = readConfig(Object.fromEntries(ids.map((id) => [`RPC_URL_${id}`, "http://127.0.0.1:8545"])))
    const { chains } = config as Exclude<typeof config, { readonly problems: unknown }>
    expect(chains.flatMap(({ chainId, addsLogs }) => (addsLogs ? [String(chainId)] : []))).toEqual(ids.slice(1))
  })

  test("a chain's budget of calls, its hints and its checks are taken as written", () => {
    const config = readConfig({ ...node, RPC_RATE_1: "25", BLOOM_1: "off", VERIFY_1: "FULL" })
    if ("problems" in config) throw new Error(config.problems.join())
    expect(config.chains[0]).toMatchObject({ rpcRate: 25, bloom: false, verify: "full" })
    expect(problems({ ...node, RPC_RATE_1: "0", BLOOM_1: "maybe", VERIFY_1: "some" })).toEqual([
      'RPC_RATE_1: expected a whole number from 1 to 1000000, got "0"',
      'BLOOM_1: expected on or off, got "maybe"',
      'VERIFY_1: expected range or full, got "some"',
    ])
  })

  test("an upstream's URL ends before its question mark, and neither it nor its key is shown", () => {
    const found = problems({
      ...node,
      ETHERSCAN_UPSTREAM_URL: "https://secret.example/api?apikey=secret",
      ETHERSCAN_UPSTREAM_URL_1: "ftp://secret.example",
      ETHERSCAN_UPSTREAM_KEY: "secret with blanks",
      ETHERSCAN_UPSTREAM_KEY_1: "secret",
    })
    const url = "expected a URL with http:// or https://, up to its question mark"
    const key = "expected a key of 8 to 200 characters without blanks"
    expect(found).toEqual([
      `ETHERSCAN_UPSTREAM_URL: ${url}`,
      `ETHERSCAN_UPSTREAM_KEY: ${key}`,
      `ETHERSCAN_UPSTREAM_URL_1: ${url}`,
      `ETHERSCAN_UPSTREAM_KEY_1: ${key}`,
    ])
  })

  test("a history is a folder that begins as one, or a URL: half a URL is refused, and not shown", () => {
    for (const written of [
      "https://portal.example/datasets/x?key=secret",
      "/data/history",
      "./history",
      "../history/x",
    ])
      expect(readConfig({ ...node, HISTORY_1: written })).not.toHaveProperty("problems")
    for (const written of [
      "portal.example/datasets/x?key=secret",
      "portal.example/datasets/x",
      "https:",
      "https;//portal.example/secret",
      "//user:secret@portal.example/datasets/x",
      "ftp://portal.example/x",
      "/data/history?key=secret",
    ])
      expect([written, problems({ ...node, HISTORY_1: written })]).toEqual([
        written,
        ["HISTORY_1: expected a folder that begins with /, ./ or ../, or a URL with http:// or https://"],
      ])
  })

  test("a token list is a file or a URL: half a URL is refused, and not shown", () => {
    for (const written of ["https://list.example/x?key=secret", "lists/tokens.json", "/data/tokens.json"])
      expect(readConfig({ ...node, TOKEN_LISTS: written })).not.toHaveProperty("problems")
    for (const written of [
      "list.example/x?key=secret",
      "https:list",
      "//list.example/x",
      "ftp://list.example/x",
      '"https://list.example/secret.json"',
      '"https://list.example/secret.json,https://other.example/x"',
      "'lists/tokens.json'",
      "=https://list.example/secret.json",
      "lists/https://list.example/secret.json",
    ])
      expect([written, problems({ ...node, TOKEN_LISTS: written })]).toEqual([
        written,
        ["TOKEN_LISTS: expected a comma-joined list, each a file or a URL with http:// or https://"],
      ])
  })

  test("an upstream's key goes to its own host", () => {
    const all = "https://all.example/v2/api"
    const placesOf = (given: Record<string, string>) => {
      const config = readConfig({ ...node, RPC_URL_5: "http://five.example", ...given })
      if ("problems" in config) throw new Error(config.problems.join())
      return Object.fromEntries(upstreamsOf(config).ofChain)
    }
    expect(placesOf({})).toEqual({})
    expect(placesOf({ ETHERSCAN_UPSTREAM_URL: all, ETHERSCAN_UPSTREAM_KEY: "key-for-all" })).toEqual({
      1: { url: all, key: "key-for-all" },
      5: { url: all, key: "key-for-all" },
    })
    expect(
      placesOf({
        ETHERSCAN_UPSTREAM_URL: all,
        ETHERSCAN_UPSTREAM_KEY: "key-for-all",
        ETHERSCAN_UPSTREAM_URL_1: "https://all.example/other",
        ETHERSCAN_UPSTREAM_URL_5: "https://five.example/api",
      }),
    ).toEqual({ 1: { url: "https://all.example/other", key: "key-for-all" }, 5: { url: "https://five.example/api" } })
    expect(
      placesOf({
        ETHERSCAN_UPSTREAM_KEY: "key-for-all",
        ETHERSCAN_UPSTREAM_URL_1: "https://one.example/api",
        ETHERSCAN_UPSTREAM_URL_5: "https://five.example/api",
        ETHERSCAN_UPSTREAM_KEY_5: "key-of-five",
      }),
    ).toEqual({
      1: { url: "https://one.example/api", key: "key-for-all" },
      5: { url: "https://five.example/api", key: "key-of-five" },
    })
  })

  test.each([
    ["a reader", { ROLE: "reader", DATABASE_URL: "postgres://host/db" }],
    ["a process that follows another chain", { RPC_URL_7: "http://node.example" }],
  ])("%s has upstreams for chains that it has no node of", (_, role) => {
    const all = { url: "https://all.example/api", key: "key-for-all" }
    const five = { ETHERSCAN_UPSTREAM_URL_5: "https://five.example/api" }
    const config = configOf({
      ...role,
      ...five,
      ETHERSCAN_UPSTREAM_URL: all.url,
      ETHERSCAN_UPSTREAM_KEY: all.key,
      ETHERSCAN_UPSTREAM_KEY_1: "key-of-one",
    })
    const { ofChain, others } = upstreamsOf(config)
    expect(config.chains.map(({ chainId }) => chainId).filter((id) => id !== "7")).toEqual([])
    const { 7: own, ...ofOthers } = Object.fromEntries(ofChain)
    expect(own).toEqual("RPC_URL_7" in role ? all : undefined)
    expect(ofOthers).toEqual({
      1: { url: all.url, key: "key-of-one" },
      5: { url: "https://five.example/api" },
    })
    expect(others).toEqual(all)
    expect(upstreamsOf(configOf({ ...role, ...five })).others).toBeUndefined()
    expect(problems({ ...role, ETHERSCAN_UPSTREAM_URL_5: "five.example" })).toEqual([
      "ETHERSCAN_UPSTREAM_URL_5: expected a URL with http:// or https://, up to its question mark",
    ])
  })

  test("strict keys need a key", () => {
    expect(problems({ ...node, STRICT_KEYS: "on" })).toEqual([
      "API_KEYS_SHA256: STRICT_KEYS is on, so at least one key's SHA-256 is needed, here or in API_KEYS_FILE",
    ])
  })

  test("a chain of the table has its own defaults, name, currency and facts", () => {
    expect(chainOf({ RPC_URL_43113: "http://node.example" })).toMatchObject({
      chainId: "43113",
      name: "Avalanche Fuji",
      nativeCurrency: { name: "Avalanche Fuji", symbol: "AVAX", decimals: 18 },
      network: "testnet",
      ecosystems: ["avalanche"],
      finality: 10,
      wrappedNative: ["0xd00ae08403b9bbb9124bb305c09058e32c39a48c"],
      facts: knownChain("43113").facts,
    })
  })

  test("what is given stands over the chain table, what is blank does not, and none takes a list away", () => {
    const given = { ...node, FINALITY_1: "7", NETWORK_1: " ", ECOSYSTEMS_1: "mine", WRAPPED_NATIVE_1: "none" }
    const { finality, network, ecosystems, wrappedNative } = chainOf(given)
    expect({ finality, network, ecosystems, wrappedNative }).toEqual({
      finality: 7,
      network: "mainnet",
      ecosystems: ["mine"],
      wrappedNative: [],
    })
    expect(problems({ ...node, TOKENS_1: "none" })).toEqual([
      'TOKENS_1: expected a comma-joined list, each an address of 40 hex digits, got "none"',
    ])
  })

  test("facts of the file stand over those of the table, and settings over both", () => {
    const mine = Address.make(`0x${"34".repeat(20)}`)
    const facts = { name: "Home", wrappedNative: { address: mine, mintedBy: "Deposit" as const } }
    expect(chainOf(node, { 1: facts })).toMatchObject({ name: "Home", wrappedNative: [mine] })
    expect(chainOf({ ...node, WRAPPED_NATIVE_1: "none" }, { 1: facts })).toMatchObject({ wrappedNative: [] })
    expect(chainOf({ RPC_URL_987654321: "http://node.example" }, { 987654321: facts }).facts).toEqual(mergeFacts(facts))
  })

  test("the native currency has the price of what is known to wrap it, however that mints", () => {
    const pricedBy = (id: string, more: Record<string, string> = {}) =>
      chainOf({ [`RPC_URL_${id}`]: "http://node.example", ...more }).nativePricedBy.map(String)
    const other = `0x${"34".repeat(20)}`
    expect(pricedBy("42161")).toEqual(["0x82af49447d8a07e3bd95bd0d56f35241523fbab1"])
    expect(pricedBy("42161", { WRAPPED_NATIVE_42161: other })).toEqual([
      "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
      other,
    ])
    expect(pricedBy("1")).toEqual(["0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"])
    // Whoever has CELO has it as an ERC-20 too.
    expect(pricedBy("42220")).toEqual([])
    // So it is with ether on zkSync, whose token is given no price then. The ledger counts its wrapped token by transfers alone.
    expect(pricedBy("324")).toEqual(["0x5aea5775959fbc2557cc8789bc1bf90a239d9a91"])
    expect(chainOf({ RPC_URL_324: "http://node.example" })).toMatchObject({
      wrappedNative: [],
      nativeToken: "0x000000000000000000000000000000000000800a",
    })
    expect(pricedBy("987654321")).toEqual([])
  })

  describe("swaps", () => {
    const manager = Address.make("0x000000000004444c5dc75cb358380d2e3de08a90")

    test("are on, with the table's pool managers and the names of its exchanges", () => {
      const { swaps, poolManagers, factories } = chainOf(node)
      expect({ swaps, poolManagers }).toEqual({ swaps: true, poolManagers: [manager] })
      expect(factories.get(Address.make("0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f"))).toEqual({ dex: "Uniswap V2" })
      expect(factories.get(manager)).toEqual({ dex: "Uniswap V4" })
    })

    test("have the pool managers and names that are given", () => {
      const [mine, factory] = [Address.make(`0x${"56".repeat(20)}`), Address.make(`0x${"78".repeat(20)}`)]
      const facts = { factories: { [factory]: { dex: "Home Swap", kind: "v2" as const, deployer: "Home" } } }
      const given = chainOf({ ...node, POOL_MANAGERS_1: mine }, { 1: facts })
      expect(given.poolManagers).toEqual([mine])
      expect(given.factories.get(factory)).toEqual({ dex: "Home Swap", label: "Home" })
      expect(chainOf({ ...node, POOL_MANAGERS_1: "none" }).poolManagers).toEqual([])
      expect(problems({ ...node, POOL_MANAGERS_1: "0x12", SWAPS_1: "some" })).toEqual([
        'SWAPS_1: expected on or off, got "some"',
        'POOL_MANAGERS_1: expected a comma-joined list, each an address of 40 hex digits, got "0x12"',
      ])
    })

    test("are none where they are switched off, or TOKENS says what is kept", () => {
      for (const setting of [{ SWAPS_1: "off" }, { TOKENS_1: `0x${"12".repeat(20)}` }]) {
        expect(chainOf({ ...node, ...setting })).toMatchObject({ swaps: false, poolManagers: [] })
      }
    })
  })

  test("facts of a chain that has no node are a problem", () => {
    expect(problems(node, { 5: { name: "Goerli" } })).toEqual(["chains.5: chain 5 has no node; set RPC_URL_5"])
  })
})
