/** Every setting of a chain, whole: what it takes, its default, its meaning. A new one is a row here; `bun run format` documents it. */

import type { Setting } from "./deriveFields.ts"
import {
  bareUrl,
  contract,
  folderPlace,
  foreignKey,
  list,
  nameOfUrl,
  oneOf,
  switchValue,
  text,
  url,
  wholeNumber,
} from "./parseValues.ts"

const contracts = list(contract)
const names = list(text(/^[a-z0-9][a-z0-9-]*$/u, "a name of lower-case letters, digits and hyphens"))
export const chainSettings = {
  RPC_URL: {
    field: "rpcUrls",
    // A node that stood there twice would be its own second witness, and have RPC_RATE twice.
    parse: list(url("http:", "https:"), nameOfUrl),
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
    parse: folderPlace,
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
  ACCOUNT_CODES: {
    parse: switchValue,
    default: "on",
    meaning:
      "on = the 100 largest holders of the 1,000 tokens with most holders, and who is met in lists of holders, are asked for their code, one eth_getCode each and up to 40 a second",
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
  ETHERSCAN_UPSTREAM_URL: {
    field: "upstreamUrl",
    parse: bareUrl,
    meaning: "the same of this chain; absent = the one for all",
  },
  ETHERSCAN_UPSTREAM_KEY: { field: "upstreamKey", parse: foreignKey, meaning: "its key; absent = the one for all" },
} as const satisfies Record<string, Setting>
