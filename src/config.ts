/** Every setting: its name, its default, what it takes, one line of meaning. Read from the environment and the file of COWRY_CONFIG. */
import { checksum, list, oneOf, type Parse, switchValue, text, url, wholeNumber } from "./configValues.ts"
import type { Address, ChainId } from "./domain/model/primitives.ts"

export interface ChainConfig {
  readonly chainId: ChainId
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
  readonly bloom: boolean
  readonly verify: "range" | "full"
}

export interface Config {
  readonly port: number
  readonly host: string
  /** Absent = the embedded PostgreSQL. */
  readonly databaseUrl?: string
  readonly databaseSchema: string
  /** Absent = the default of the embedded PostgreSQL. */
  readonly dataDir?: string
  readonly logLevel: "Trace" | "Debug" | "Info" | "Warn" | "Error"
  readonly strictKeys: boolean
  readonly apiKeysSha256: ReadonlyArray<string>
  /** Absent = no limit. */
  readonly rateLimitRpm?: number
  readonly rateLimitRpd?: number
  readonly trustProxy: boolean
  /** Ascending by chain id; at least one. */
  readonly chains: ReadonlyArray<ChainConfig>
}

interface Setting {
  readonly parse: Parse<unknown>
  /** As it would be written; absent = no value. */
  readonly default?: string
  readonly meaning: string
}

const addresses = list(text(/^0x[0-9a-fA-F]{40}$/u, "an address of 40 hex digits"), (value) => value.toLowerCase())
const names = list(text(/^[a-z0-9][a-z0-9-]*$/u, "a name of lower-case letters, digits and hyphens"))

export const serviceSettings = {
  PORT: { parse: wholeNumber(0, 65535), default: "3000", meaning: "port to listen on; 0 = any free one" },
  HOST: { parse: text(/^\S+$/u, "an address to listen on"), default: "0.0.0.0", meaning: "address to listen on" },
  DATABASE_URL: {
    parse: url("postgres:", "postgresql:"),
    meaning: "PostgreSQL 15 or newer; absent = the embedded one",
  },
  DATABASE_SCHEMA: {
    parse: text(/^[a-z_][a-z0-9_]{0,40}$/u, "a schema name of lower-case letters, digits and underscores"),
    default: "cowry",
    meaning: "schema of the registry and prefix of each chain's schema",
  },
  DATA_DIR: { parse: text(/^[^\0]+$/u, "a folder"), meaning: "folder of the embedded PostgreSQL" },
  LOG_LEVEL: {
    parse: oneOf("trace", "debug", "info", "warn", "error"),
    default: "info",
    meaning: "least level that is logged",
  },
  STRICT_KEYS: { parse: switchValue, default: "off", meaning: "on = every call needs a configured key" },
  API_KEYS_SHA256: { parse: list(checksum), default: "", meaning: "SHA-256 of each API key, in hex" },
  RATE_LIMIT_RPM: { parse: wholeNumber(1, 1e9), meaning: "calls a caller may make in a minute; absent = no limit" },
  RATE_LIMIT_RPD: { parse: wholeNumber(1, 1e9), meaning: "calls a caller may make in a day; absent = no limit" },
  TRUST_PROXY: {
    parse: switchValue,
    default: "off",
    meaning: "on = the caller's address is the last one in X-Forwarded-For",
  },
} satisfies Record<string, Setting>

export const chainSettings = {
  RPC_URL: { parse: list(url("http:", "https:")), meaning: "JSON-RPC nodes; the only setting a chain needs" },
  START_BLOCK: {
    parse: wholeNumber(0, 2 ** 31 - 1),
    default: "0",
    meaning: "first block of the ledger; above 0 old tokens are incomplete",
  },
  TOKENS: { parse: addresses, meaning: "tokens to keep; absent = every token" },
  NETWORK: {
    parse: text(/^[a-z0-9][a-z0-9-]*$/u, "a name of lower-case letters, digits and hyphens"),
    default: "mainnet",
    meaning: "network of the path",
  },
  ECOSYSTEMS: { parse: names, default: "", meaning: "ecosystems the chain belongs to" },
  FINALITY: {
    parse: wholeNumber(1, 100_000),
    default: "64",
    meaning: "blocks behind the head after which a block never changes",
  },
  MAX_LAG: {
    parse: wholeNumber(0, 2 ** 31 - 1),
    default: "10",
    meaning: "blocks behind the head up to which /ready says yes",
  },
  POLL_MS: {
    parse: wholeNumber(50, 3_600_000),
    default: "1000",
    meaning: "milliseconds between two looks at the head",
  },
  RPC_CONCURRENCY: { parse: wholeNumber(1, 256), default: "4", meaning: "calls to the node at once" },
  RPC_RATE: { parse: wholeNumber(1, 1e6), meaning: "calls to each node in a second; absent = no limit" },
  WRAPPED_NATIVE: {
    parse: addresses,
    default: "",
    meaning: "wrapped native tokens, whose Deposit and Withdrawal count",
  },
  BLOOM: { parse: switchValue, default: "on", meaning: "off = the node's logsBloom is not read as a hint" },
  VERIFY: {
    parse: oneOf("range", "full"),
    default: "range",
    meaning: "headers checked below finality: of range ends and blocks with logs, or all",
  },
} satisfies Record<string, Setting>

type Value<Of extends Setting> = Extract<ReturnType<Of["parse"]>, { readonly value: unknown }>["value"]

type Values<Settings extends Record<string, Setting>> = {
  readonly [Name in keyof Settings]:
    | Value<Settings[Name]>
    | (Settings[Name] extends { readonly default: string } ? never : undefined)
}

/** The settings, or every problem there is with them. `given`: name → text, as in the environment. */
export const readConfig = (
  given: Readonly<Record<string, string | undefined>>,
): Config | { readonly problems: ReadonlyArray<string> } => {
  const problems: Array<string> = []
  const read = <Settings extends Record<string, Setting>>(settings: Settings, suffix = "") => {
    const values: Record<string, unknown> = {}
    for (const [name, setting] of Object.entries<Setting>(settings)) {
      const full = name + suffix
      const written = given[full]?.trim() || setting.default
      if (written === undefined) continue
      const parsed = written === "" ? { value: [] } : setting.parse(written)
      if ("value" in parsed) values[name] = parsed.value
      else problems.push(`${full}: expected ${parsed.wanted}${parsed.secret ? "" : `, got ${JSON.stringify(written)}`}`)
    }
    return values as Values<Settings>
  }

  const service = read(serviceSettings)
  const chains = chainIdsOf(given, problems).map((chainId) => chainConfig(chainId, read(chainSettings, `_${chainId}`)))
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
    logLevel: logLevels[service.LOG_LEVEL],
    strictKeys: service.STRICT_KEYS,
    apiKeysSha256: service.API_KEYS_SHA256,
    ...(service.RATE_LIMIT_RPM === undefined ? {} : { rateLimitRpm: service.RATE_LIMIT_RPM }),
    ...(service.RATE_LIMIT_RPD === undefined ? {} : { rateLimitRpd: service.RATE_LIMIT_RPD }),
    trustProxy: service.TRUST_PROXY,
    chains,
  }
}

const logLevels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** Chain ids that have a node, ascending; chains that are spoken of and have none are problems. */
const chainIdsOf = (
  given: Readonly<Record<string, string | undefined>>,
  problems: Array<string>,
): ReadonlyArray<ChainId> => {
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
  if (configured.size === 0 && problems.length === 0) {
    problems.push(
      "RPC_URL_<chain id>: no node is configured; set at least one, for example RPC_URL_1=https://your-node.example",
    )
  }
  return [...configured].sort((a, b) => Number(a) - Number(b))
}

const chainConfig = (chainId: ChainId, values: Values<typeof chainSettings>): ChainConfig => ({
  chainId,
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
})
