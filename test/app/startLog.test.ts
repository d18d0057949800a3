/** The log of a start: the embedded server's lines are in the format, and from the level, that the settings say. */
import { expect, test } from "bun:test"
import { startService } from "../support/service.ts"

test("as JSON every line of it is JSON, those of the embedded server too", async () => {
  const service = await startService({ RPC_URL_1: "http://127.0.0.1:1", LOG_FORMAT: "json", LOG_LEVEL: "debug" })
  expect(await service.stop()).toBe(0)
  const lines = service.output().split("\n").filter(Boolean)
  const messages = lines.map((line) => JSON.stringify(JSON.parse(line)))
  for (const words of [/start: PostgreSQL runs/, /start: the server was looked at/, /cowry listens on/])
    expect(messages.filter((message) => words.test(message))).toHaveLength(1)
})
