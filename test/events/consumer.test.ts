/** The consumer of docs/events.md, as it stands there: killed again and again while the chain changes, it ends with the ledger's rows. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Server, serve } from "../../src/adapters/http/server.ts"
import type { LedgerWriter } from "../../src/ports/Ledger.ts"
import { prefix, startService, type TestService } from "../http/support.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const program = /```js\n([\s\S]*?)```/.exec(readFileSync(join(root, "docs/events.md"), "utf8"))![1]!

let service: TestService
let server: Server
let writer: LedgerWriter
let folder: string
const chain = new TestChain()
let salt = 0

beforeAll(async () => {
  service = await startService({ heartbeatMs: 50 })
  server = await serve(service.app, { port: 0, hostname: "127.0.0.1", graceMs: 200 })
  writer = await service.open("43114")
  folder = mkdtempSync(join(tmpdir(), "cowry-consumer-"))
  writeFileSync(join(folder, "consumer.mjs"), program)
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
})
afterAll(async () => {
  service.app.endStreams()
  await server.stop()
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

test("has some twenty lines", () => {
  expect(program.trim().split("\n").length).toBeLessThanOrEqual(20)
})

test("ends with the ledger's rows, however often it is killed", async () => {
  const [zero, token, ann, bob] = [address(0), address(0x70), address(0xa1), address(0xb2)]
  const grow = async () => {
    chain.block([transfer(token, salt === 0 ? zero : ann, bob, BigInt(salt)), transfer(token, bob, ann, 1n)], {
      salt: `${salt++}`,
    })
    const from = chain.nextBlock - 1
    await service.run(writer.append(chain.segment(from, undefined, { finalizedBlock: from - 6 })))
  }
  const url = `http://127.0.0.1:${server.port}${prefix("43114")}/events?kinds=transfer`
  const file = join(folder, "state.json")
  const start = () => spawn(process.execPath, ["consumer.mjs", url, file], { cwd: folder, stdio: "ignore" })
  await grow()
  for (let round = 0; round < 6; round++) {
    const child = start()
    for (let change = 0; change < 5; change++) {
      await Bun.sleep(40)
      await grow()
      if (change % 2 === 1 && chain.nextBlock > 4) {
        const to = chain.nextBlock - 1 - (salt % 3)
        chain.truncate(to)
        await service.run(writer.rollback(to))
        await grow()
      }
    }
    child.kill("SIGKILL")
  }
  const child = start()
  const wanted = chain.blocks.flatMap(({ movements }) =>
    movements.map(({ txHash, logIndex }) => `${txHash} ${logIndex}`),
  )
  let found: ReadonlyArray<string> = []
  for (const deadline = Date.now() + 15_000; Date.now() < deadline; await Bun.sleep(50)) {
    const rows = Object.values<{ txHash: string; logIndex: number }>(stateOf(file).rows)
    found = rows.map(({ txHash, logIndex }) => `${txHash} ${logIndex}`)
    if (found.toSorted().join() === wanted.toSorted().join()) break
  }
  child.kill("SIGKILL")
  expect(found.toSorted()).toEqual(wanted.toSorted())
})

const stateOf = (file: string): { rows: Record<string, never> } => {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return { rows: {} }
  }
}
