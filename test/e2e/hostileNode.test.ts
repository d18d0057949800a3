/** A node whose refusals would clear the screen and forge lines: what the whole service and its commands print of it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import type { Json } from "../http/support.ts"
import { testDatabase } from "../support/postgres.ts"
import { program } from "../support/program.ts"
import { startService } from "../support/service.ts"

const evil = "\u001b[2J\u001b]0;owned\u0007no\r\nchain 7: live\u202e\u009b31m"
const shown = "\\u001b[2J\\u001b]0;owned\\u0007no\\r\\nchain 7: live\\u202e\\u009b31m"

/** Is of chain 7; refuses all else. */
const node = createServer((request, response) => {
  let body = ""
  request.on("data", (chunk) => {
    body += chunk
  })
  request.on("end", () => {
    const one = ({ id, method }: Json) =>
      method === "eth_chainId"
        ? { jsonrpc: "2.0", id, result: "0x7" }
        : { jsonrpc: "2.0", id, error: { code: -32000, message: evil } }
    const asked: Json = JSON.parse(body)
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(one) : one(asked)))
  })
})

let settings: Record<string, string>
beforeAll(async () => {
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve))
  const { port } = node.address() as AddressInfo
  settings = { DATABASE_URL: await testDatabase(), RPC_URL_7: `http://127.0.0.1:${port}`, NETWORK_7: "mainnet" }
})
afterAll(() => {
  node.close()
})

/** Lines of whole text, none of which holds what a terminal obeys. */
const linesOf = (output: string): ReadonlyArray<string> => {
  expect(output.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  return output.split("\n")
}

test("the service and `/ready` say it in one line, without what a terminal obeys", async () => {
  const service = await startService(settings)
  let problem: string | undefined
  for (const deadline = Date.now() + 60_000; Date.now() < deadline && !problem?.includes(shown); await Bun.sleep(50)) {
    problem = ((await (await fetch(`${service.url}/ready`)).json()) as Json).chains[0].problem
  }
  expect(problem).toContain(shown)
  // A line of its progress comes every five seconds, in the log there is one at once.
  const isSaid = () =>
    service
      .output()
      .split("\n")
      .some((line) => line.startsWith("chain 7: ") && line.includes(shown))
  for (const deadline = Date.now() + 60_000; Date.now() < deadline && !isSaid(); ) await Bun.sleep(50)
  await service.stop()
  const lines = linesOf(service.output())
  expect(isSaid()).toBe(true)
  expect(lines.filter((line) => line.startsWith("chain 7: live"))).toEqual([])
})

test("and so does a command", async () => {
  const child = spawn(process.execPath, [program, "resync", "7"], {
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    env: { PATH: process.env.PATH, ...settings },
  })
  let printed = ""
  const ended = new Promise((resolve) => child.once("close", resolve))
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      printed += chunk
      if (printed.includes(shown) || printed.includes(evil)) child.kill("SIGTERM")
    })
  await ended
  expect(printed).toContain(shown)
  linesOf(printed)
})
