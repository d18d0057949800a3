/** What stands in the log and on the terminal when nodes, contracts and callers say what a terminal would obey. */
import { describe, expect, test } from "bun:test"
import { Cause, Effect, Logger } from "effect"
import { colorful, errorLines, json, logFmt } from "../../src/adapters/terminal/loggers.ts"

const evil = "\u001b[2J\u001b]0;owned\u0007done\r\nlevel=INFO message=forged\u202e\u009b1m\u2028end"
const shown = "\\u001b[2J\\u001b]0;owned\\u0007done\\r\\nlevel=INFO message=forged\\u202e\\u009b1m\\u2028end"

const entriesOf = async (logger: Logger.Logger<unknown, string>, effect: Effect.Effect<void>) => {
  const entries: Array<string> = []
  const layer = Logger.layer([Logger.make((entry) => void entries.push(logger.log(entry)))])
  await Effect.runPromise(Effect.provide(effect, layer))
  return entries
}

const evilError = () => new Error(evil, { cause: new TypeError(evil) })
const sayings: ReadonlyArray<readonly [string, Effect.Effect<void>]> = [
  ["a message", Effect.logWarning(evil)],
  ["a word without a space", Effect.logWarning("\u001b[2J")],
  ["a cause", Effect.suspend(() => Effect.logError("it failed", Cause.fail(evilError())))],
  ["a defect", Effect.suspend(() => Effect.logError("it failed", Cause.die(evilError())))],
  ["an error beside the message", Effect.suspend(() => Effect.logWarning("it failed", evilError()))],
  ["a value beside the message", Effect.logWarning("it failed", { reason: evil })],
  ["a text that was thrown", Effect.logWarning("it failed", Cause.die(evil))],
]

describe.each(sayings)("%s", (_, saying) => {
  test("is one line of logfmt", async () => {
    const [entry] = await entriesOf(logFmt, saying)
    expect(entry).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(entry?.startsWith("timestamp=")).toBe(true)
  })

  test("is one JSON object, which has the words as they were", async () => {
    const [entry = ""] = await entriesOf(json, Effect.annotateLogs(saying, { requestId: "r-1" }))
    expect(entry).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    const read = JSON.parse(entry)
    expect(read).toMatchObject({ time: expect.any(String), level: expect.any(String), requestId: "r-1" })
    expect(`${read.message} ${read.cause}`.replaceAll("\\u001b", "\u001b")).toContain("\u001b[2J")
  })

  test("has on a terminal no line and no colour of its own", async () => {
    const [entry = ""] = await entriesOf(colorful, saying)
    const lines = Bun.stripANSI(entry).split("\n")
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(lines.some((line) => line.includes("\\u001b[2J"))).toBe(true)
    expect(lines.filter((line) => /^\s*(level=INFO|forged)/.test(line))).toEqual([])
  })
})

test("an error is its message on one line, its places, and its cause", () => {
  const lines = errorLines(Object.assign(evilError(), { name: "NodeError" }))
  expect(lines[0]).toBe(`NodeError: ${shown}`)
  expect(lines.some((line) => /^ +at .*loggers\.test\.ts/.test(line))).toBe(true)
  expect(lines).toContain(`  TypeError: ${shown}`)
})

test("places that a message makes up do not stand among the true ones", () => {
  const lines = errorLines(Object.assign(new Error("x\n    at evil (y.ts:1:1)"), { name: "NodeError" }))
  expect(lines.filter((line) => line.includes("evil"))).toEqual(["NodeError: x\\n    at evil (y.ts:1:1)"])
})
