/** A start with faults of every kind ends at once, with one message that names them all and no secret. */
import { afterAll, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readSettings } from "../../src/app/commands/configured.ts"
import { tokenInformation } from "../../src/config/tokenInformation.ts"
import { Address } from "../../src/model/primitives.ts"
import { program } from "../support/program.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "cowry-start-"))
afterAll(() => rmSync(folder, { recursive: true }))

const fileOf = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** What a start prints to standard error, and its exit code. */
const startWith = (env: Record<string, string>) => {
  const ended = spawnSync(process.execPath, [program], {
    cwd: root,
    env: { PATH: process.env.PATH, DATA_DIR: join(folder, "data"), ...env },
    encoding: "utf8",
  })
  return { code: ended.status, message: ended.stderr, printed: ended.stdout }
}

test("five different faults, of the environment and of both files, are one message", () => {
  const dead = "0x000000000000000000000000000000000000dEaD"
  const information = fileOf(
    "information.json",
    JSON.stringify({ 1: { [dead]: { website: "javascript:alert(1)" } }, main: {} }),
  )
  const config = fileOf(
    "config.json",
    JSON.stringify({
      NO_SUCH: 1,
      TOKEN_INFO: information,
      chains: { 30: { supply: { kind: "halving", reward: "0.0000000000000000001", interval: 210_000 } } },
    }),
  )
  const started = startWith({
    COWRY_CONFIG: config,
    RPC_URL_30: "https://node.example/secretkey123",
    RPC_URL_1: "ftp://node.example/secretkey123",
    PORT: "many",
  })
  expect(started).toEqual({
    code: 1,
    printed: "",
    message: `cowry cannot start; 6 settings need attention:
  NO_SUCH: no such setting (in the file of COWRY_CONFIG)
  PORT: expected a whole number from 0 to 65535, got "many"
  RPC_URL_1: expected a comma-joined list, each a URL with http:// or https://
  chains.30.supply.reward: expected at most 18 decimals, got "0.0000000000000000001"
  TOKEN_INFO: ${JSON.stringify(information)}: 1.${dead}.website: expected a text of 1 to 2000 characters, links with https://
  TOKEN_INFO: ${JSON.stringify(information)}: main: expected a chain id
All settings: docs/operations.md
`,
  })
})

test("a missing file of token information is told with the settings that are wrong, not after them", () => {
  const missing = join(folder, "none.json")
  expect(startWith({ TOKEN_INFO: missing, POLL_MS_1: "1" })).toEqual({
    code: 1,
    printed: "",
    message: `cowry cannot start; 3 settings need attention:
  POLL_MS_1: chain 1 has no node; set RPC_URL_1
  POLL_MS_1: expected a whole number from 50 to 3600000, got "1"
  TOKEN_INFO: ${JSON.stringify(missing)}: cannot be read (ENOENT)
All settings: docs/operations.md
`,
  })
})

test("a file of token information that cannot be read says why", () => {
  mkdirSync(join(folder, "folder"))
  const problemOf = (path: string) =>
    tokenInformation(path).problems[0]?.replace(`TOKEN_INFO: ${JSON.stringify(path)}: `, "")
  expect(problemOf(join(folder, "folder"))).toBe("cannot be read (it is no file)")
  expect(problemOf(fileOf("latin.json", new Uint8Array([0x7b, 0xe9, 0x7d])))).toBe("cannot be read (it is no UTF-8)")
  expect(problemOf(fileOf("half.json", "{"))).toBe("it is not JSON")
  expect(problemOf(fileOf("list.json", "[]"))).toBe("the file: expected an object")
})

test("a file of token information that is right is what the service starts with", () => {
  const token = Address.make(`0x${"ab".repeat(20)}`)
  const path = fileOf("right.json", JSON.stringify({ 1: { [token]: { website: "https://token.example" } } }))
  const before = { ...process.env }
  try {
    Object.assign(process.env, { RPC_URL_1: "https://node.example", TOKEN_INFO: path })
    expect<unknown>(readSettings("start")?.tokenInformation).toEqual(
      new Map([["1", new Map([[token, { website: "https://token.example" }]])]]),
    )
  } finally {
    for (const name of ["RPC_URL_1", "TOKEN_INFO"]) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  }
})

test("without a file of token information nothing is said", () => {
  expect([undefined, "", "  "].map(tokenInformation)).toEqual(Array(3).fill({ problems: [] }))
})
