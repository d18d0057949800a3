/** The words after `cowry`: what they start, and what is said of wrong ones. */
import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Command } from "../../src/app/commands/command.ts"
import { helpOf, readLine } from "../../src/app/commands/commandLine.ts"
import { runCommand } from "../support/command.ts"
import { ownFolder } from "../support/postgres.ts"

const weigh: Command = {
  name: "weigh",
  takes: ["<chainId>", "[<token>]"],
  options: {
    block: { value: "<number>", meaning: "at which block" },
    of: { value: "<address>,…", meaning: "of these accounts" },
    quiet: { value: true, meaning: "say nothing" },
  },
  meaning: "weigh a token",
  run: () => Effect.succeed(0),
}
const read = (...words: ReadonlyArray<string>) => readLine(words, [weigh])

test("no word and `start` are the service; help and version are asked for in either way", () => {
  expect([read(), read("start")]).toEqual([{ kind: "start" }, { kind: "start" }])
  for (const word of ["--help", "-h", "help"]) expect(read(word)).toEqual({ kind: "help" })
  for (const word of ["--version", "-v"]) expect(read(word)).toEqual({ kind: "version" })
  expect(read("weigh", "1", "--help")).toEqual({ kind: "help" })
})

test("a command gets its words in order and its options by name, wherever they stand", () => {
  expect(read("weigh", "--quiet", "1", "--block=7", "0xa")).toEqual({
    kind: "command",
    command: weigh,
    typed: { words: ["1", "0xa"], options: { quiet: true, block: "7" } },
  })
  expect(read("weigh", "--block", "7", "1")).toMatchObject({ typed: { words: ["1"], options: { block: "7" } } })
})

test("what is wrong is said in one sentence", () => {
  const usage = "expected: cowry weigh <chainId> [<token>] [--block=<number>] [--of=<address>,…] [--quiet]"
  for (const [words, message] of [
    [["weight"], 'there is no command "weight": expected one of start, weigh'],
    [["start", "1"], 'start takes nothing, got "1"'],
    [["weigh"], `weigh needs <chainId>; ${usage}`],
    [["weigh", "1", "2", "3"], `weigh does not take "3"; ${usage}`],
    [["weigh", "1", "--blocks=3"], `weigh has no option --blocks=3; ${usage}`],
    [["weigh", "1", "-x"], `weigh has no option -x; ${usage}`],
    [["weigh", "1", "--block"], `weigh: option --block is not written as it should be; ${usage}`],
    [["weigh", "1", "--block=7", "--block", "8"], `weigh: --block is given twice; ${usage}`],
    [["weigh", "--quiet", "1", "--quiet"], `weigh: --quiet is given twice; ${usage}`],
    [
      ["weigh", "1", "--of=0xa", "--quiet", "--of", "0xb"],
      `weigh: --of is given twice: name several as --of=<address>,…; ${usage}`,
    ],
    [["weigh", "1", "--quiet=1"], `weigh: option --quiet=1 is not written as it should be; ${usage}`],
  ] as const) {
    expect(read(...words)).toEqual({ kind: "misused", message })
  }
})

test("the help has a line for each command and option", () => {
  const lines = helpOf([weigh])
    .split("\n")
    .filter((line) => line.startsWith("  "))
    .map((line) => line.trim().split(/ {2,}/u))
  expect(lines).toEqual([
    ["start", "run the service (also without any command)"],
    ["weigh <chainId> [<token>] [--block=<number>] [--of=<address>,…] [--quiet]", "weigh a token"],
    ["--block=<number>", "at which block"],
    ["--of=<address>,…", "of these accounts"],
    ["--quiet", "say nothing"],
    ["--help", "this text"],
    ["--version", "the version"],
  ])
})

test("the program ends with 2 where it is misused or its settings are wrong, and has done nothing", async () => {
  const runs = await Promise.all([
    runCommand(["resync"]),
    runCommand(["resync", "1"]),
    runCommand(["resync", "5"], { RPC_URL_1: "http://127.0.0.1:9", DATA_DIR: "/proc/nowhere" }),
    // A standby is nothing to work on, and an embedded database in its place would be empty.
    ...[["drop", "1", "--yes"], ["audit"]].map((words) =>
      runCommand(words, {
        ...{
          ROLE: "reader",
          DATABASE_READ_URL: "postgres://user:secret@standby:5432/d",
          RPC_URL_1: "http://127.0.0.1:9",
        },
        DATA_DIR: "/proc/nowhere",
      }),
    ),
    // A reader without nodes has no chain to compare.
    runCommand(["audit"], { ROLE: "reader", DATABASE_URL: "postgres://127.0.0.1:9/d" }),
    runCommand(["--version"]),
  ])
  expect(runs).toEqual([
    { code: 2, output: "cowry: resync needs <chainId>; expected: cowry resync <chainId> [--anew]\n" },
    { code: 2, output: expect.stringContaining("RPC_URL_<chain id>: no node is configured") },
    { code: 2, output: expect.stringContaining("chain 5 is not configured (those that are: 1): set RPC_URL_5") },
    ...["drop", "audit"].map((name) => ({
      code: 2,
      output: `cowry cannot ${name}; one setting needs attention:
  DATABASE_URL: DATABASE_READ_URL names standbys, so the database that they follow is needed for a command
All settings: docs/operations.md
`,
    })),
    { code: 2, output: "cowry audit: no chain is configured: set RPC_URL_<chain id> to the node it is compared by\n" },
    { code: 0, output: expect.stringMatching(/^cowry \d+\.\d+\.\d+\n$/) },
  ])
})

test("a database that cannot be reached is 1 of a command, and 2 of an audit, whose 1 is what it found", async () => {
  const env = { RPC_URL_1: "http://127.0.0.1:9", DATABASE_URL: "postgres://127.0.0.1:9/d" }
  const runs = await Promise.all([["drop", "1", "--yes"], ["audit"]].map((words) => runCommand(words, env)))
  expect(runs).toEqual([
    { code: 1, output: expect.stringMatching(/^cowry drop: .*127\.0\.0\.1/mu) },
    { code: 2, output: expect.stringMatching(/^cowry audit: .*127\.0\.0\.1/mu) },
  ])
})

test("a command that works on what is stored makes no database where there is none", async () => {
  using folder = ownFolder("cowry-none-")
  const dataDir = join(folder.path, "data")
  const env = { RPC_URL_1: "http://127.0.0.1:9", DATA_DIR: dataDir }
  for (const words of [["drop", "1", "--yes"], ["audit"], ["add", "1"]]) {
    expect(await runCommand(words, env)).toEqual({
      code: 2,
      output: `cowry ${words[0]}: DATA_DIR ${dataDir} holds no database: set DATA_DIR or DATABASE_URL to the service's, or run the command as the service's user\n`,
    })
  }
  expect(existsSync(dataDir)).toBe(false)
})
