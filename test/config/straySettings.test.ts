/** What looks like a setting and is none is named at a start; what is another program's is not. */
import { expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { strayLine } from "../../src/config/straySettings.ts"
import { program } from "../support/program.ts"

const said = "names like settings that are none, and count for nothing: "
const told = (...names: ReadonlyArray<string>) =>
  strayLine(Object.fromEntries(names.map((name) => [name, "secret"])), ["1", "43114"])
    ?.replace(said, "")
    .split(", ")

test("a chain's setting without its number, or with a name in its place, is told", () => {
  expect(told("TOKENS", "FINALITY", "RPC_URL", "TOKENS_mainnet", "RPC_RATE_base", "AUDIT_SECONDS_OP_MAINNET")).toEqual([
    "TOKENS (of a chain it is TOKENS_<chain id>)",
    "FINALITY (of a chain it is FINALITY_<chain id>)",
    "RPC_URL (of a chain it is RPC_URL_<chain id>)",
    "TOKENS_mainnet (of a chain it is TOKENS_<chain id>)",
    "RPC_RATE_base (of a chain it is RPC_RATE_<chain id>)",
    "AUDIT_SECONDS_OP_MAINNET (of a chain it is AUDIT_SECONDS_<chain id>)",
  ])
  expect(told("RPC_RATE_polygon", "FINALITY_ARBITRUM", "FINALITY_BNB_SMART_CHAIN")).toHaveLength(3)
})

test("what ends in the number of a chain that is followed and is no setting is told", () => {
  expect(told("TOKEN_1", "START_BLOCKS_1", "STRAT_BLOCK_43114", "PRICES_1", "TOKENS_1", "TOKEN_5")).toEqual([
    "TOKEN_1 (is TOKENS_1 meant?)",
    "START_BLOCKS_1 (is START_BLOCK_1 meant?)",
    "STRAT_BLOCK_43114 (is START_BLOCK_43114 meant?)",
    "PRICES_1",
  ])
})

test("a setting with one or two letters wrong is told, and the nearest one", () => {
  expect(told("RATE_LIMIT_RMP", "STRICT_KEY", "RATE_LIMIT", "DATABASE_URI", "DATADIR", "PRICE_DEPTH")).toEqual([
    "RATE_LIMIT_RMP (is RATE_LIMIT_RPM meant?)",
    "STRICT_KEY (is STRICT_KEYS meant?)",
    "RATE_LIMIT (is RATE_LIMITS meant?)",
    "DATABASE_URI (is DATABASE_URL meant?)",
    "DATADIR (is DATA_DIR meant?)",
  ])
})

test("other programs' names, settings and what is blank are not told", () => {
  const others = [
    "PATH",
    "HOME",
    "HOSTNAME",
    "NETWORK_NAME",
    "HISTORY_FILE",
    "UID",
    "LOGNAME",
    "LANG",
    "PWD",
    "NODE_ENV",
  ]
  const cluster = [
    "AUDIT_PORT",
    "COWRY_SERVICE_HOST",
    "COWRY_PORT_3000_TCP_ADDR",
    "DATABASE_PORT",
    "DATABASE_SERVICE_HOST",
  ]
  const ports = ["HISTORY_SERVICE_PORT_RPC_1", "RPC_URL_SERVICE_PORT_1"]
  const settings = [
    "PORT",
    "PRICES",
    "ETHERSCAN_UPSTREAM_URL",
    "ETHERSCAN_UPSTREAM_URL_5",
    "COWRY_CONFIG",
    "TOKENS_43114",
  ]
  expect(told(...others, ...cluster, ...ports, ...settings)).toBeUndefined()
  expect(strayLine({ TOKENS: "", FINALITY: " ", STRICT_KEY: undefined }, ["1"])).toBeUndefined()
})

test("the program says so once when it starts, and no value", () => {
  const env = {
    RPC_URL_1: "http://127.0.0.1:9",
    DATA_DIR: "/proc/nowhere",
    TOKENS_mainnet: "0xsecret",
    STRICT_KEY: "on",
  }
  const startWith = (format: string) =>
    spawnSync(process.execPath, [program], {
      cwd: fileURLToPath(new URL("../../", import.meta.url)),
      env: { PATH: process.env.PATH, ...env, LOG_FORMAT: format, PORT: "0" },
      encoding: "utf8",
    }).stderr.split("\n")
  const line = `${said}TOKENS_mainnet (of a chain it is TOKENS_<chain id>), STRICT_KEY (is STRICT_KEYS meant?)`
  expect(startWith("logfmt").filter((it) => it.includes("STRICT_KEY"))).toEqual([line])
  const asJson = startWith("json").filter((it) => it.includes("STRICT_KEY"))
  expect(asJson.map((it) => JSON.parse(it))).toEqual([{ time: expect.any(String), level: "WARN", message: line }])
})
