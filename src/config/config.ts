/** Settings as given → what the service runs with, or every problem there is with them. */
import type { Information } from "../adapters/lists/informationFile.ts"
import { type ChainConfig, chainConfig, chainIdsOf, type Given, type GivenFacts } from "./chain.ts"
import { checkManagers } from "./chains/facts.ts"
import { knownChain } from "./chains/registry.ts"
import { checkSupply } from "./chains/supply.ts"
import { chainSettings, type Setting, serviceSettings, type Values } from "./settings.ts"

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
  /** What the file of TOKEN_INFO says (`tokenInformation.ts` reads it); absent = nothing. */
  readonly tokenInformation?: Information
  /** Ascending by chain id; at least one, unless they were not read. */
  readonly chains: ReadonlyArray<ChainConfig>
}

/**
 * The settings, or every problem there is with them. `given`: name → text, as in the environment; `givenFacts`: what the
 * configuration file says of chains. What is not given comes from the chain table, then from `settings.ts`.
 * `withoutNodes`: chains are not read, and there are none.
 */
export const readConfig = (
  given: Given,
  givenFacts: GivenFacts = {},
  { withoutNodes = false }: { readonly withoutNodes?: boolean } = {},
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
  const chainIds = withoutNodes ? [] : chainIdsOf(given, givenFacts, problems)
  const chains = chainIds.map((chainId) => {
    const { defaults, facts } = knownChain(chainId, givenFacts[chainId])
    if (facts.supply !== undefined)
      checkSupply(`chains.${chainId}.supply`, facts.supply, facts.nativeCurrency, problems)
    const values = read(chainSettings, `_${chainId}`, defaults)
    checkManagers(chainId, facts, values.POOL_MANAGERS ?? [], problems)
    return chainConfig(chainId, values, facts)
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
