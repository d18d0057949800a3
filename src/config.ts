/** Settings as given → what the service runs with, or every problem there is with them. */
import type { ChainFacts, NativeCurrency, WrittenFacts } from "./chains/facts.ts"
import { knownChain } from "./chains/registry.ts"
import type { Address, ChainId } from "./domain/model/primitives.ts"
import type { Chain } from "./ports/Networks.ts"
import { chainSettings, type Setting, serviceSettings, type Values } from "./settings.ts"

export interface ChainConfig {
  readonly chainId: ChainId
  /** Absent = not known. */
  readonly name?: string
  readonly nativeCurrency?: NativeCurrency
  /** Where Multicall3 is; absent = where it is on most chains, if it is there. */
  readonly multicall3?: Address
  readonly rpcUrls: ReadonlyArray<string>
  readonly startBlock: number
  /** Absent = every token. */
  readonly tokens?: ReadonlyArray<Address>
  readonly network: string
  readonly ecosystems: ReadonlyArray<string>
  /** Blocks behind the head after which a block never changes. */
  readonly finality: number
  readonly maxLag: number
  readonly pollMs: number
  readonly rpcConcurrency: number
  /** Calls per second and URL; absent = no limit. */
  readonly rpcRate?: number
  readonly wrappedNative: ReadonlyArray<Address>
  /** Whether swaps are stored: never where `tokens` narrows what is. */
  readonly swaps: boolean
  /** Uniswap V4 pool managers whose swaps are; none where swaps are not. */
  readonly poolManagers: ReadonlyArray<Address>
  /** Exchanges by the address of their factory or pool manager. */
  readonly factories: NonNullable<Chain["factories"]>
  readonly bloom: boolean
  readonly verify: "range" | "full"
  /** Whether ERC-721 ids are asked for their `tokenURI`. */
  readonly tokenUris: boolean
  /** Of the chain table and the configuration file. */
  readonly facts: ChainFacts
}

export interface PriceConfig {
  /** In the order asked; none = no prices. */
  readonly sources: ReadonlyArray<"swaps" | "http">
  /** Dollars. */
  readonly minDepth: number
  readonly intervalMs: number
  /** Holds secrets. */
  readonly url: string
}

export interface Config {
  readonly port: number
  readonly host: string
  /** Absent = the embedded PostgreSQL. */
  readonly databaseUrl?: string
  readonly databaseSchema: string
  /** Absent = the default of the embedded PostgreSQL. */
  readonly dataDir?: string
  /** Of the balance caches of all chains together. */
  readonly cacheBytes: number
  readonly logLevel: "Trace" | "Debug" | "Info" | "Warn" | "Error"
  readonly strictKeys: boolean
  readonly apiKeysSha256: ReadonlyArray<string>
  /** Absent = no limit. */
  readonly rateLimitRpm?: number
  readonly rateLimitRpd?: number
  readonly trustProxy: boolean
  readonly prices: PriceConfig
  /** URLs and files of token lists, and milliseconds between two looks at them. */
  readonly tokenLists: ReadonlyArray<string>
  readonly tokenListsInterval: number
  /** A file; absent = none. */
  readonly tokenInfo?: string
  /** Ascending by chain id; at least one. */
  readonly chains: ReadonlyArray<ChainConfig>
}

type Given = Readonly<Record<string, string | undefined>>
type GivenFacts = Readonly<Record<ChainId, WrittenFacts>>

/**
 * The settings, or every problem there is with them. `given`: name → text, as in the environment; `givenFacts`: what the
 * configuration file says of chains. What is not given comes from the chain table, then from `settings.ts`.
 */
export const readConfig = (
  given: Given,
  givenFacts: GivenFacts = {},
): Config | { readonly problems: ReadonlyArray<string> } => {
  const problems: Array<string> = []
  const read = <Settings extends Record<string, Setting>>(settings: Settings, suffix = "", known: Given = {}) => {
    const values: Record<string, unknown> = {}
    for (const [name, setting] of Object.entries<Setting>(settings)) {
      const full = name + suffix
      const written = given[full]?.trim() || known[name] || setting.default
      if (written === undefined) continue
      const isEmptyList = setting.default === "" && (written === "" || written === "none")
      const parsed = isEmptyList ? { value: [] } : setting.parse(written)
      if ("value" in parsed) values[name] = parsed.value
      else problems.push(`${full}: expected ${parsed.wanted}${parsed.secret ? "" : `, got ${JSON.stringify(written)}`}`)
    }
    return values as Values<Settings>
  }

  const service = read(serviceSettings)
  const chains = chainIdsOf(given, givenFacts, problems).map((chainId) => {
    const { defaults, facts } = knownChain(chainId, givenFacts[chainId])
    if (facts.supply !== undefined && facts.nativeCurrency === undefined) {
      problems.push(`chains.${chainId}.supply: the chain's nativeCurrency is not known; say it too`)
    }
    return chainConfig(chainId, read(chainSettings, `_${chainId}`, defaults), facts)
  })
  if (service.STRICT_KEYS === true && service.API_KEYS_SHA256?.length === 0) {
    problems.push("API_KEYS_SHA256: STRICT_KEYS is on, so at least one key's SHA-256 is needed")
  }
  if (problems.length > 0) return { problems }
  return {
    port: service.PORT,
    host: service.HOST,
    ...(service.DATABASE_URL === undefined ? {} : { databaseUrl: service.DATABASE_URL }),
    databaseSchema: service.DATABASE_SCHEMA,
    ...(service.DATA_DIR === undefined ? {} : { dataDir: service.DATA_DIR }),
    cacheBytes: service.CACHE_MB * 1024 * 1024,
    logLevel: logLevels[service.LOG_LEVEL],
    strictKeys: service.STRICT_KEYS,
    apiKeysSha256: service.API_KEYS_SHA256,
    ...(service.RATE_LIMIT_RPM === undefined ? {} : { rateLimitRpm: service.RATE_LIMIT_RPM }),
    ...(service.RATE_LIMIT_RPD === undefined ? {} : { rateLimitRpd: service.RATE_LIMIT_RPD }),
    trustProxy: service.TRUST_PROXY,
    prices: {
      sources: priceSources[service.PRICES],
      minDepth: service.PRICE_MIN_DEPTH,
      intervalMs: service.PRICE_SECONDS * 1000,
      url: service.PRICE_URL,
    },
    tokenLists: service.TOKEN_LISTS,
    tokenListsInterval: service.TOKEN_LISTS_MINUTES * 60_000,
    ...(service.TOKEN_INFO === undefined ? {} : { tokenInfo: service.TOKEN_INFO }),
    chains,
  }
}

const logLevels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

const priceSources = {
  off: [],
  swaps: ["swaps"],
  http: ["http"],
  "swaps,http": ["swaps", "http"],
  "http,swaps": ["http", "swaps"],
} as const

/** Chain ids that have a node, ascending; chains that are spoken of and have none are problems. */
const chainIdsOf = (given: Given, givenFacts: GivenFacts, problems: Array<string>): ReadonlyArray<ChainId> => {
  const configured = new Set<string>()
  const prefixes = Object.keys(chainSettings).join("|")
  for (const [name, value] of Object.entries(given)) {
    const [, prefix, id] = name.match(new RegExp(`^(${prefixes})_(.+)$`, "u")) ?? []
    if (prefix === undefined || id === undefined || value === undefined) continue
    const isChainId = /^[1-9]\d{0,15}$/u.test(id) && Number.isSafeInteger(Number(id))
    if (prefix === "RPC_URL" && !isChainId)
      problems.push(`${name}: expected a chain id after RPC_URL_, got ${JSON.stringify(id)}`)
    if (!isChainId) continue
    if (given[`RPC_URL_${id}`]?.trim()) configured.add(id)
    else problems.push(`${name}: chain ${id} has no node; set RPC_URL_${id}`)
  }
  for (const id of Object.keys(givenFacts)) {
    if (!configured.has(id)) problems.push(`chains.${id}: chain ${id} has no node; set RPC_URL_${id}`)
  }
  if (configured.size === 0 && problems.length === 0) {
    problems.push(
      "RPC_URL_<chain id>: no node is configured; set at least one, for example RPC_URL_1=https://your-node.example",
    )
  }
  return [...configured].sort((a, b) => Number(a) - Number(b))
}

const chainConfig = (chainId: ChainId, values: Values<typeof chainSettings>, facts: ChainFacts): ChainConfig => ({
  chainId,
  ...swapsOf(values, facts),
  ...(facts.name === undefined ? {} : { name: facts.name }),
  ...(facts.nativeCurrency === undefined ? {} : { nativeCurrency: facts.nativeCurrency }),
  ...(facts.multicall3 === undefined ? {} : { multicall3: facts.multicall3 }),
  rpcUrls: values.RPC_URL ?? [],
  startBlock: values.START_BLOCK,
  ...(values.TOKENS === undefined ? {} : { tokens: values.TOKENS }),
  network: values.NETWORK,
  ecosystems: values.ECOSYSTEMS,
  finality: values.FINALITY,
  maxLag: values.MAX_LAG,
  pollMs: values.POLL_MS,
  rpcConcurrency: values.RPC_CONCURRENCY,
  ...(values.RPC_RATE === undefined ? {} : { rpcRate: values.RPC_RATE }),
  wrappedNative: values.WRAPPED_NATIVE,
  bloom: values.BLOOM,
  verify: values.VERIFY,
  tokenUris: values.TOKEN_URIS,
  facts,
})

const swapsOf = (values: Values<typeof chainSettings>, facts: ChainFacts) => {
  const swaps = values.SWAPS && values.TOKENS === undefined
  const exchanges = [...facts.factories, ...facts.poolManagers].map(
    ({ address, dex, deployer }) => [address, { dex, ...(deployer === undefined ? {} : { label: deployer }) }] as const,
  )
  return { swaps, poolManagers: swaps ? values.POOL_MANAGERS : [], factories: new Map(exchanges) }
}
