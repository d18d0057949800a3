/** The demo as its user runs it: what it prints works, and when it ends nothing of it is left. */
import { afterEach, expect, test } from "bun:test"
import { chmodSync, mkdtempSync, readdirSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type Child, startChild, stopChildren } from "../../demo/chain/child.ts"
import { freePort } from "../support/postgres.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** The demo, with a temporary folder of its own. */
const startDemo = (port: number): Child & { readonly folder: string } => {
  const folder = mkdtempSync(join(tmpdir(), "cowry-demo-test-"))
  chmodSync(folder, 0o711)
  const child = startChild(process.execPath, ["demo/main.ts"], {
    cwd: root,
    env: { PATH: process.env.PATH, TMPDIR: folder, PORT: `${port}` },
    folder,
  })
  return { ...child, folder }
}

afterEach(stopChildren)

test("the demo prints nine calls that answer, and SIGTERM ends it without a trace", async () => {
  const { process: demo, folder } = startDemo(await freePort())
  const calls: string[] = []
  for await (const line of createInterface({ input: demo.stdout! })) {
    const url = line.match(/curl -s '(\S+)'/)?.[1]
    if (url !== undefined) calls.push(url)
    if (line.startsWith("Ctrl-C")) break
  }
  const answers: ReadonlyArray<unknown> = await Promise.all(calls.map(async (url) => (await fetch(url)).json()))
  expect(answers).toEqual([
    { items: expect.any(Array), link: {} },
    {
      items: expect.any(Array),
      count: expect.any(Number),
      countType: "exact",
      link: { next: expect.any(String), nextToken: expect.any(String) },
    },
    { items: expect.any(Array), link: { next: expect.any(String), nextToken: expect.any(String) } },
    {
      items: expect.any(Array),
      count: expect.any(Number),
      countType: "exact",
      link: { next: expect.any(String), nextToken: expect.any(String) },
    },
    { status: "1", message: "OK", result: expect.stringMatching(/^\d+$/) },
    { status: "1", message: "OK", result: expect.stringMatching(/^[1-9]\d+$/) },
    {
      items: expect.any(Array),
      count: expect.any(Number),
      countType: "exact",
      link: { next: expect.any(String), nextToken: expect.any(String) },
    },
    { status: "1", message: "OK", result: expect.any(Array) },
    { items: expect.any(Array), link: { next: expect.any(String), nextToken: expect.any(String) } },
  ])
  const lists = answers.filter((answer) => Object.hasOwn(answer as object, "items"))
  expect(lists.map((list) => (list as { items: ReadonlyArray<unknown> }).items.length)).toEqual([10, 5, 5, 5, 5, 5])
  const ended = new Promise((resolve) => demo.once("exit", resolve))
  demo.kill("SIGTERM")
  expect(await ended).toBe(0)
  expect(readdirSync(folder)).toEqual([])
}, 120_000)

test("a taken port says so, and which setting changes it", async () => {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as { port: number }
  const { process: demo, folder } = startDemo(port)
  const ended = new Promise((resolve) => demo.once("exit", resolve))
  let said = ""
  for await (const chunk of demo.stderr!) said += chunk
  server.close()
  expect(said).toBe(`Port ${port} is taken. Set PORT to another one, such as PORT=${port + 1}, and start again.\n`)
  expect(await ended).toBe(1)
  expect(readdirSync(folder)).toEqual([])
})
