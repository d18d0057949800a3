/** The demo as its user runs it: what it prints works, and when it ends nothing of it is left. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type ChildProcess, execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type Child, startChild, stopChildren } from "../../demo/chain/child.ts"
import { freePort } from "../support/postgres.ts"
import { lacking, optionalFields, optionalIn } from "./optionalFields.ts"

const run = promisify(execFile)
const managerSha256 = createHash("sha256").update("the-manager").digest("hex")
const root = fileURLToPath(new URL("../../", import.meta.url))

/** The demo, with a temporary folder of its own. */
const startDemo = (port: number): Child & { readonly folder: string } => {
  const folder = mkdtempSync(join(tmpdir(), "cowry-demo-test-"))
  chmodSync(folder, 0o711)
  const child = startChild(process.execPath, ["demo/main.ts"], {
    cwd: root,
    env: { PATH: process.env.PATH, TMPDIR: folder, PORT: `${port}`, WEBHOOK_KEYS_SHA256: managerSha256 },
    folder,
  })
  return { ...child, folder }
}

let demo: ChildProcess
let folder: string
const calls: string[] = []

beforeAll(async () => {
  const started = startDemo(await freePort())
  demo = started.process
  folder = started.folder
  for await (const line of createInterface({ input: demo.stdout! })) {
    const url = line.match(/curl -s '(\S+)'/)?.[1]
    if (url !== undefined) calls.push(url)
    if (line.startsWith("Ctrl-C")) break
  }
})
afterAll(stopChildren)

const answerOf = async (url: string): Promise<unknown> => (await fetch(url)).json()

/** Asks until `lacks` finds nothing lacking any more, for a minute at most: what still lacks. */
const lackingInTheEnd = async (lacks: () => Promise<ReadonlyArray<string>>): Promise<ReadonlyArray<string>> => {
  for (const deadline = Date.now() + 60_000; ; await pause(200)) {
    const lacking = await lacks()
    if (lacking.length === 0 || Date.now() > deadline) return lacking
  }
}

const page = { next: expect.any(String), nextToken: expect.any(String) }
const counted = { items: expect.any(Array), count: expect.any(Number), countType: "exact", link: page }

test("the demo prints twelve calls that answer", async () => {
  const lengthOf = (answer: unknown) => (answer as { items?: ReadonlyArray<unknown> }).items?.length
  // Names, prices and token lists are found beside the ledger.
  const isNameless = (answer: unknown) => {
    const { result } = answer as { result?: unknown }
    return Array.isArray(result) && result.some((entry) => "tokenType" in entry && !entry.tokenName)
  }
  const unfinished = async (url: string) => {
    const answer = await answerOf(url)
    return lengthOf(answer) === 0 || isNameless(answer) ? [url] : []
  }
  expect(await lackingInTheEnd(async () => (await Promise.all(calls.map(unfinished))).flat())).toEqual([])
  const answers: ReadonlyArray<unknown> = await Promise.all(calls.map(answerOf))
  expect(answers).toEqual([
    { items: expect.any(Array), link: {} },
    { items: expect.any(Array), link: page },
    counted,
    { items: expect.any(Array), link: page },
    counted,
    { status: "1", message: "OK", result: expect.stringMatching(/^\d+$/) },
    { status: "1", message: "OK", result: expect.stringMatching(/^[1-9]\d+$/) },
    counted,
    { status: "1", message: "OK", result: expect.any(Array) },
    {
      status: "1",
      message: "OK",
      result: [expect.objectContaining({ tokenName: "Cowry Shell", website: "https://shell.example" })],
    },
    { items: expect.any(Array), link: page },
    {
      chainId: "31337",
      symbol: "ETH",
      totalSupply: "99994.75",
      circulatingSupply: "99994.75",
      blockNumber: expect.any(Number),
      timestamp: expect.any(String),
    },
  ])
  expect(answers.map(lengthOf).filter((length) => length !== undefined)).toEqual([10, 3, 5, 5, 5, 5, 5])
})

test("a record of each kind has every optional field of the interface", async () => {
  for (const { record, fields, schema } of optionalFields)
    if (schema !== undefined)
      expect({ record, fields: Object.keys(fields).sort() }).toEqual({ record, fields: [...optionalIn(schema)].sort() })
  const base = calls[0]!.slice(0, calls[0]!.indexOf("/erc20?"))
  const get = (path: string) => answerOf(base + path)
  const lacks = await Promise.all(
    optionalFields.map(async (row) => ({
      record: row.record,
      lacks: await lackingInTheEnd(async () => lacking(row, await row.find(get))),
    })),
  )
  expect(lacks).toEqual(optionalFields.map(({ record }) => ({ record, lacks: [] })))
})

test("the client's examples run against it as they stand", async () => {
  const readme = readFileSync(join(root, "client/README.md"), "utf8")
  const url = new URL(calls[0]!).origin
  const client = join(root, "client/src/index.ts")
  const examples = mkdtempSync(join(tmpdir(), "cowry-examples-"))
  // As a package, on three runtimes, test/client runs them.
  const files = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, text], index) => {
    const file = join(examples, `example${index}.mjs`)
    writeFileSync(
      file,
      text!.replaceAll("http://127.0.0.1:3000", url).replace('"cowry-client"', JSON.stringify(client)),
    )
    return file
  })
  const counts = ["erc20", "erc721", "erc1155"].map(async (standard) => {
    const answer = await fetch(`${url}/v2/network/mainnet/evm/31337/${standard}-transfers?limit=1&count=true`)
    return Number(((await answer.json()) as { readonly count: number }).count)
  })
  const before = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  const outputs = await Promise.all(files.map((file) => run(process.execPath, [file])))
  rmSync(examples, { recursive: true, force: true })
  expect(outputs.map(({ stderr }) => stderr).join("")).toBe("")
  const [lists, pages, asOf, errors, feed, webhooks] = outputs.map(({ stdout }) => stdout)
  expect(lists).toMatch(/^moved in all: [1-9]\d{20,}$/m)
  expect(pages).toMatch(/^1 of \d+ tokens at block \d{3,} \(0x[0-9a-f]{64}\), 20/m)
  expect(asOf).toMatch(/^\S+ [1-9]\d+n \S+ \d{3,}\n\[[\s\S]*0x[0-9a-f]{40} \d+/)
  expect(errors).toContain("400 INVALID_PARAMETER limit")
  const [, transfers] = /^([1-9]\d*) transfers, up to 31337\.\S+$/m.exec(feed ?? "") ?? []
  expect(Number(transfers)).toBeGreaterThanOrEqual(before)
  expect(webhooks).toMatch(/^verified with whsec_….*\nhttps:\/\/hook\.example\/cowry active \d+ /)
})

test("SIGTERM ends the demo without a trace", async () => {
  const ended = new Promise((resolve) => demo.once("exit", resolve))
  demo.kill("SIGTERM")
  expect(await ended).toBe(0)
  expect(readdirSync(folder)).toEqual([])
})

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
