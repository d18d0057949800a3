/**
 * The HTTP suite, answered by a reader at a real standby, and by one whose role is read-only at a primary: all of it is as on
 * the store in memory, and no statement that writes is tried there. ROLE_HTTP=whole takes every file instead of a few.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import postgres from "postgres"
import { keepLevel, readerVariable, readingRole } from "../support/readerStore.ts"
import { type Replicated, startReplicated } from "../support/standby.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const isWhole = process.env.ROLE_HTTP === "whole"
const limitMs = isWhole ? 900_000 : 120_000

let servers: Replicated
beforeAll(async () => {
  servers = await startReplicated()
}, 120_000)
afterAll(() => servers?.stop())

const suite = async (files: ReadonlyArray<string>, server: string): Promise<void> => {
  const child = spawn(process.execPath, ["test", "--timeout=120000", ...files], {
    cwd: root,
    env: { ...process.env, [readerVariable]: server },
    stdio: ["ignore", "ignore", "pipe"],
  })
  let report = ""
  child.stderr!.on("data", (chunk) => {
    report += chunk
  })
  const code = await new Promise((resolve) => child.once("exit", resolve))
  const failed = report.split("\n").filter((line) => line.startsWith("(fail)"))
  expect([failed, code]).toEqual([[], 0])
  expect(Number(report.match(/(\d+) pass/)?.[1])).toBeGreaterThan(isWhole ? 200 : 10)
}

/** What a server refuses because it would write; a transaction that says that it writes is one that the setting of a role alone lets pass. */
const refusedWrites = /cannot execute|cannot set transaction read-write|permission denied/

/** That such a one would be found. */
const plant = async (url: string, log: () => string): Promise<void> => {
  const before = log()
  expect(before).not.toMatch(refusedWrites)
  for (const statement of ["create table planted ()", "create temporary table planted ()"]) {
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    const length = log().length
    await sql.begin("read write", (tx) => tx.unsafe(statement)).catch(() => {})
    await sql.end()
    expect(log().slice(length)).toMatch(refusedWrites)
  }
}

test(
  "at a role whose sessions are read-only, and its log has no write that was tried",
  async () => {
    const { primary } = servers
    const url = await readingRole(primary.url)
    const files = isWhole ? ["test/http/"] : ["test/http/native/nfts.test.ts"]
    await suite(files, `${primary.url},${url},alone`)
    await plant(url, primary.log)
  },
  limitMs,
)

test(
  "at a standby, and its log has no write that was tried",
  async () => {
    const { primary, standby, level } = servers
    await level()
    await keepLevel(primary.url)
    const files = isWhole
      ? ["test/http/native/", "test/http/compat/", "test/http/pipeline/validators.test.ts"]
      : ["test/http/native/nfts.test.ts", "test/http/native/swaps.test.ts", "test/http/compat/transfers.test.ts"]
    await suite(files, `${primary.url},${standby.url}`)
    await plant(standby.url, standby.log)
  },
  limitMs,
)
