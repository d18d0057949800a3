/** The log of a start: the embedded server's lines are in the format, and from the level, that the settings say. */
import { expect, test } from "bun:test"
import { runCommand } from "../support/command.ts"
import { testDatabase } from "../support/postgres.ts"
import { startService } from "../support/service.ts"

test("as JSON every line of it is JSON, those of the embedded server too", async () => {
  const service = await startService({ RPC_URL_1: "http://127.0.0.1:1", LOG_FORMAT: "json", LOG_LEVEL: "debug" })
  expect(await service.stop()).toBe(0)
  const lines = service.output().split("\n").filter(Boolean)
  const messages = lines.map((line) => JSON.stringify(JSON.parse(line)))
  for (const words of [/start: PostgreSQL runs/, /start: the server was looked at/, /cowry listens on/])
    expect(messages.filter((message) => words.test(message))).toHaveLength(1)
})

test("the log of a command is in the format of the settings too; what it says itself stays plain", async () => {
  const url = await testDatabase()
  const env = { DATABASE_URL: url, LOG_LEVEL: "debug" }
  const run = async (format: string) => {
    const { code, output } = await runCommand(["drop", "7", "--yes"], { ...env, LOG_FORMAT: format })
    const lines = output.split("\n").filter(Boolean)
    expect([code, lines.pop()]).toEqual([1, expect.stringMatching(/^cowry drop: there is no chain 7 in the database/)])
    expect(lines.length).toBeGreaterThan(0)
    return lines
  }
  for (const line of await run("json")) expect(JSON.parse(line)).toMatchObject({ level: "DEBUG" })
  for (const line of await run("auto")) expect(line).toContain("level=DEBUG")
})
