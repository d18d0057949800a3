/** Every setting of the service, whole: what it takes, its default, its meaning. A new one is a row here, in `outwardSettings.ts` or in `chainSettings.ts`; `bun run format` documents it. */

import type { Setting } from "./deriveFields.ts"
import { outwardSettings } from "./outwardSettings.ts"
import {
  checksum,
  converted,
  databaseUrl,
  list,
  oneOf,
  place,
  switchValue,
  text,
  url,
  wholeNumber,
} from "./parseValues.ts"
import { telemetrySettings } from "./telemetrySettings.ts"

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
  PROFILE: {
    parse: oneOf("usual", "frugal"),
    default: "usual",
    meaning: "a preset of other settings, which wins over their defaults alone; frugal = fewer calls to nodes",
  },
  PORT: { parse: wholeNumber(0, 65535), default: "3000", meaning: "port to listen on; 0 = any free one" },
  HOST: { parse: text(/^\S+$/u, "an address to listen on"), default: "0.0.0.0", meaning: "address to listen on" },
  DATABASE_URL: {
    parse: databaseUrl,
    meaning: "PostgreSQL 15 or newer; absent = the embedded one",
  },
  ROLE: {
    parse: oneOf("both", "writer", "reader"),
    default: "both",
    meaning: "writer = follows chains and answers health and metrics only; reader = answers and follows none",
  },
  DATABASE_READ_URL: {
    field: "readUrls",
    parse: list(databaseUrl),
    default: "",
    meaning: "standbys that reads go to, in order of preference, before the server of DATABASE_URL; none = that one",
  },
  MAX_READ_LAG_MS: {
    parse: wholeNumber(50, 3_600_000),
    default: "2000",
    meaning: "milliseconds that a standby may be behind; one that is further is passed over",
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
    default: "64",
    meaning:
      "megabytes for answers that are kept until their chain's ledger changes, figures until a block has a row of their contract or account, half of them for short ones (up to 4,096 characters, 2 GB at most), and a quarter as many for them compressed; 0 = none are",
  },
  KEPT_TRANSACTIONS: {
    parse: wholeNumber(0, 1e9),
    default: "1000000",
    meaning:
      "transactions of final blocks whose columns (nonce, gas, …) are kept for tokentx and its like, 200 MB a million; 0 = none are",
  },
  LOG_LEVEL: {
    parse: converted(oneOf("trace", "debug", "info", "warn", "error"), (word) => logLevels[word]),
    default: "info",
    meaning: "least level that is logged",
  },
  LOG_FORMAT: {
    parse: oneOf("auto", "logfmt", "json"),
    default: "auto",
    meaning: "how the log is written: one JSON object a line, or logfmt; auto = for people on a terminal, else logfmt",
  },
  ...telemetrySettings,
  STRICT_KEYS: { parse: switchValue, default: "off", meaning: "on = every call needs a configured key" },
  API_KEYS_SHA256: { parse: list(checksum), default: "", meaning: "SHA-256 of each API key, in hex" },
  API_KEYS_FILE: {
    parse: text(/^[^\0]+$/u, "a file"),
    meaning: "file of more keys, the SHA-256 of one a line, looked at every second: keys come and go without a restart",
  },
  RATE_LIMIT_RPM: { parse: wholeNumber(1, 1e9), meaning: "calls a caller may make in a minute; absent = no limit" },
  RATE_LIMIT_RPD: { parse: wholeNumber(1, 1e9), meaning: "calls a caller may make in a day; absent = no limit" },
  RATE_LIMITS: {
    parse: oneOf("own", "shared"),
    default: "own",
    meaning: "who counts a caller's calls: each instance its own, or all instances of the database together",
  },
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
    meaning:
      "where prices come from, in the order asked: the chain's own swaps, an API over HTTP; off = none of now, and none of hours to come",
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
    meaning:
      "seconds between two looks at prices: each asks about tokens with swaps since, and of all others that have a price about 200 in turn",
  },
  PRICE_HISTORY: {
    parse: switchValue,
    default: "on",
    meaning:
      "off = no prices of hours from before prices were kept, that a first sync passed by, of an outage of a day or more, or behind `cowry add`: there no amountInUsd, no valueUsd, and portfolios without them",
  },
  PRICE_URL: {
    parse: url("http:", "https:"),
    default: "https://coins.llama.fi",
    meaning: "the API over HTTP, in the shape of DefiLlama's coins API",
  },
  ...outwardSettings,
} as const satisfies Record<string, Setting>
