/** Every setting, whole: what it takes, its default, its meaning. A new one is a row here; `bun run format` documents it. */

import type { Setting } from "./deriveFields.ts"
import {
  checksum,
  contract,
  converted,
  list,
  oneOf,
  place,
  switchValue,
  text,
  url,
  wholeNumber,
} from "./parseValues.ts"

const contracts = list(contract)
const names = list(text(/^[a-z0-9][a-z0-9-]*$/u, "a name of lower-case letters, digits and hyphens"))
const logLevels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const
/** In the order asked; none = no prices. */
const priceSources = {
  off: [],
  swaps: ["swaps"],
  http: ["http"],
  "swaps,http": ["swaps", "http"],
  "http,swaps": ["http", "swaps"],
} as const

export const serviceSettings = {
  PORT: { parse: wholeNumber(0, 65535), default: "3000", meaning: "port to listen on; 0 = any free one" },
  HOST: { parse: text(/^\S+$/u, "an address to listen on"), default: "0.0.0.0", meaning: "address to listen on" },
  DATABASE_URL: {
    parse: url("postgres:", "postgresql:"),
    meaning: "PostgreSQL 15 or newer; absent = the embedded one",
  },
  DATABASE_SCHEMA: {
    parse: text(/^[a-z_][a-z0-9_]{0,39}$/u, "a schema name of at most 40 lower-case letters, digits and underscores"),
    default: "cowry",
    meaning: "schema of the registry and prefix of each chain's schema",
  },
  DATA_DIR: { parse: text(/^[^\0]+$/u, "a folder"), meaning: "folder of the embedded PostgreSQL" },
  CACHE_MB: {
    field: "cacheBytes",
    parse: converted(wholeNumber(1, 1_000_000), (megabytes) => megabytes * 1024 * 1024),
    default: "256",
    meaning: "megabytes for the balance caches of all chains together",
  },
  ANSWERS_MB: {
    field: "answerCacheBytes",
    parse: converted(wholeNumber(0, 100_000), (megabytes) => megabytes * 1024 * 1024),
    default: "32",
    meaning: "megabytes for answers that are kept until their chain's ledger changes; 0 = none are",
  },
  LOG_LEVEL: {
    parse: converted(oneOf("trace", "debug", "info", "warn", "error"), (word) => logLevels[word]),
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
  TOKEN_LISTS: {
    parse: list(place),
    default: "",
    meaning: "token lists (tokenlists.org), files or URLs: who stands on one is trusted",
  },
  TOKEN_LISTS_MINUTES: {
    field: "tokenListsIntervalMs",
    parse: converted(wholeNumber(1, 10_080), (minutes) => minutes * 60_000),
    default: "60",
    meaning: "minutes between two looks at a token list",
  },
  TOKEN_INFO: { parse: text(/^[^\0]+$/u, "a file"), meaning: "file of websites, descriptions and links of tokens" },
  PRICES: {
    field: "priceSources",
    parse: converted(
      oneOf("off", "swaps", "http", "swaps,http", "http,swaps"),
      (words): ReadonlyArray<"swaps" | "http"> => priceSources[words],
    ),
    default: "swaps",
    meaning: "where prices come from, in the order asked: the chain's own swaps, an API over HTTP; off = no prices",
  },
  PRICE_MIN_DEPTH: {
    parse: wholeNumber(1, 1e12),
    default: "10000",
    meaning: "dollars of stablecoins or wrapped native that a pool must hold to be believed",
  },
  PRICE_SECONDS: {
    field: "priceIntervalMs",
    parse: converted(wholeNumber(1, 86_400), (seconds) => seconds * 1000),
    default: "60",
    meaning: "seconds between two looks at prices",
  },
  PRICE_URL: {
    parse: url("http:", "https:"),
    default: "https://coins.llama.fi",
    meaning: "the API over HTTP, in the shape of DefiLlama's coins API",
  },
} as const satisfies Record<string, Setting>

export const chainSettings = {
  RPC_URL: {
    field: "rpcUrls",
    parse: list(url("http:", "https:")),
    required: true,
    meaning: "JSON-RPC nodes; the only setting a chain needs",
  },
  START_BLOCK: {
    parse: wholeNumber(0, 2 ** 31 - 1),
    default: "0",
    meaning: "first block of the ledger; above 0 old tokens are incomplete",
  },
  TOKENS: { parse: contracts, meaning: "tokens to keep; absent = every token" },
  NETWORK: {
    parse: text(/^[a-z0-9][a-z0-9-]*$/u, "a name of lower-case letters, digits and hyphens"),
    default: "mainnet",
    meaning: "network of the path",
  },
  ECOSYSTEMS: { parse: names, default: "", meaning: "ecosystems the chain belongs to; none = none" },
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
    meaning: "milliseconds between two looks at the head; fewer, down to 50, where blocks come faster",
  },
  RPC_CONCURRENCY: { parse: wholeNumber(1, 256), default: "4", meaning: "calls to the node at once" },
  RPC_RATE: { parse: wholeNumber(1, 1e6), meaning: "calls to each node in a second; absent = no limit" },
  WRAPPED_NATIVE: {
    parse: contracts,
    default: "",
    meaning: "wrapped native tokens of WETH9's kind, whose Deposit and Withdrawal count; none = no token",
  },
  BULK: {
    parse: oneOf("auto", "on", "off"),
    default: "auto",
    meaning:
      "whether the first sync is loaded in bulk: faster, and read only when it is whole; auto = where about 250,000 logs or more are to come",
  },
  SWAPS: {
    parse: switchValue,
    default: "on",
    meaning: "off = swaps are not stored; never where TOKENS is set, whose pools are not asked for",
  },
  POOL_MANAGERS: {
    parse: contracts,
    default: "",
    meaning: "Uniswap V4 pool managers whose swaps are stored; none = none",
  },
  APPROVALS: {
    parse: switchValue,
    default: "off",
    meaning: "on = Approval and ApprovalForAll are stored, for /address/{address}/approvals; about 350 bytes each",
  },
  BLOOM: { parse: switchValue, default: "on", meaning: "off = the node's logsBloom is not read as a hint" },
  RECEIPTS: {
    parse: switchValue,
    default: "on",
    meaning: "off = the newest blocks' receipts are not read to prove their logs, one call a block",
  },
  VERIFY: {
    parse: oneOf("range", "full"),
    default: "range",
    meaning: "headers checked below finality: of range ends and blocks with logs, or all",
  },
  HISTORY: {
    parse: place,
    meaning: "where blocks below finality come from: a portal's dataset or a folder of files; absent = the node",
  },
  HISTORY_CHECK: {
    parse: oneOf("auto", "all", "sample"),
    default: "auto",
    meaning:
      "how much of it is compared with the node's own logs: long histories from some point on by sample, all, or by sample at once",
  },
  TOKEN_URIS: {
    parse: switchValue,
    default: "on",
    meaning: "on = each ERC-721 id is asked for its tokenURI, one eth_call for up to 30 ids and up to 60 ids a second",
  },
  AUDIT_SECONDS: {
    parse: wholeNumber(1, 86_400),
    default: "60",
    meaning: "seconds between two looks at tokens that are compared with the node: a few dozen calls each",
  },
  AUDIT: {
    parse: switchValue,
    default: "on",
    meaning: "off = tokens are not compared with what their contracts answer, but by the command",
  },
} as const satisfies Record<string, Setting>
