/**
 * The HTTP suite, answered by a reader at a real standby, and by one whose role is read-only at a primary: all of it is as on
 * the store in memory, and no statement that writes is tried there. ROLE_HTTP=whole takes every file instead of a few.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import postgres from "postgres"
import { sha256, startService } from "../http/support.ts"
import { keepLevel, readerVariable, readingRole, splitStore } from "../support/readerStore.ts"
import { type Replicated, startReplicated } from "../support/standby.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const isWhole = process.env.ROLE_HTTP === "whole"
const limitMs = isWhole ? 1_800_000 : 600_000

let servers: Replicated
beforeAll(async () => {
  servers = await startReplicated()
})
afterAll(() => servers?.stop())

const countOf = async (url: string, statement: string): Promise<number> => {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const [row] = await sql.unsafe<Array<{ count: number }>>(statement)
    return row!.count
  } finally {
    await sql.end()
  }
}
const stores = "select count(*)::int as count from pg_namespace where nspname ~ '^t[0-9]+_[0-9]+$'"
const tableReads =
  "select coalesce(sum(coalesce(seq_scan, 0) + coalesce(idx_scan, 0)), 0)::int as count from pg_stat_user_tables"

/** `but`: tests of that name are left out. */
const suite = async (files: ReadonlyArray<string>, reader: string, isAlone: boolean, but?: string): Promise<void> => {
  // Who writes is not counted among those who read, where both are at one server.
  const server = `${servers.primary.url}?track_counts=off,${reader}${isAlone ? ",alone" : ""}`
  const counts = async () => [await countOf(servers.primary.url, stores), await countOf(reader, tableReads)] as const
  const before = await counts()
  const named = but === undefined ? [] : ["-t", `^(?!.*${but})`]
  const child = spawn(process.execPath, ["test", `--timeout=240000`, ...named, ...files], {
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
  // The files know of no reader: that they had one is seen at the servers.
  const [made, read] = await counts()
  expect(made - before[0]).toBeGreaterThanOrEqual(files.length)
  expect(read - before[1]).toBeGreaterThan(100)
}

/**
 * What speaks of the process or of memory, not of reads: `/ready`, `/metrics` and the examples tell of a reader's servers;
 * webhooks are written; the others count what is asked of sources of their own, or rely on answers that come at once.
 */
const ofProcesses = /(?:openapi|health|metrics|webhooks|events|rareLines|turns|unconfigured|hostile\.socket)\.test\.ts$/
const everyFile = (): ReadonlyArray<string> =>
  (readdirSync(`${root}test/http`, { recursive: true }) as Array<string>)
    .filter((file) => file.endsWith(".test.ts") && !ofProcesses.test(file))
    .map((file) => `./test/http/${file}`)

/** Whom callers met is written where a server takes writes: who reaches none forgets it. */
const written = "whom a list shows and nobody knows is wanted"

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
    const files = isWhole ? everyFile() : ["nfts", "narrowed"].map((it) => `test/http/native/${it}.test.ts`)
    await suite(files, url, true, written)
    await plant(url, primary.log)
  },
  limitMs,
)

test("a webhook is managed where writes go, and seen at once; where no server takes them it is refused, and not tried", async () => {
  const { primary, standby, level, pause, resume } = servers
  const open = async (isAlone: boolean) => {
    const service = await startService({
      managersSha256: [sha256("key")],
      split: splitStore(primary.url, standby.url, isAlone),
    })
    const ask = async (method: string, path: string, body?: object) =>
      service.get(`/v2/webhooks${path}`, {
        method,
        headers: { apikey: "key" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    return { service, ask }
  }
  const [near, far] = [await open(false), await open(true)]
  await level()
  await pause()
  try {
    const made = await near.ask("POST", "", { url: "https://example.com/", after: "beginning" })
    expect([made.status, made.body.id]).toEqual([201, expect.any(String)])
    expect((await near.ask("GET", `/${made.body.id}`)).body.url).toBe("https://example.com/")
    expect((await far.ask("GET", "")).body.items).toEqual([])
    const refused = await far.ask("POST", "", { url: "https://example.com/", after: "beginning" })
    expect([refused.status, refused.body.code]).toEqual([503, "UNAVAILABLE"])
    expect(refused.body.message).toContain("this process reaches none: ask one whose DATABASE_URL leads to the primary")
    expect(standby.log()).not.toMatch(refusedWrites)
  } finally {
    await resume()
    await near.service.close()
    await far.service.close()
  }
})

test(
  "at a standby, and its log has no write that was tried",
  async () => {
    const { primary, standby, level } = servers
    await level()
    await keepLevel(primary.url)
    const files = isWhole
      ? everyFile()
      : ["native/nfts", "native/narrowed", "native/swaps", "compat/transfers"].map((it) => `test/http/${it}.test.ts`)
    await suite(files, standby.url, false)
    await plant(standby.url, standby.log)
  },
  limitMs,
)
