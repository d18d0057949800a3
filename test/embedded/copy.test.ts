/** A copy of a running service's data folder is a folder of its own: its lock and its server's pid file are the original's. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { joinEmbedded } from "../../src/adapters/embedded/embedded.ts"
import { findJoinable } from "../../src/adapters/embedded/join.ts"
import { findProcess } from "../../src/adapters/embedded/processes.ts"
import { identityOf } from "../../src/adapters/embedded/sameFolder.ts"
import { stopOrphan } from "../../src/adapters/embedded/server.ts"
import { problemOf } from "../support/failure.ts"
import { openTemporaryFolder } from "../support/postgres.ts"
import { ask, isRunning, postmasterOf, type Service, startService, until } from "./support.ts"

let folder: string
let original: string
let service: Service
let url: string
beforeAll(async () => {
  folder = openTemporaryFolder("cowry-copy-")
  original = join(folder, "original")
  service = startService(original)
  url = (await service.said).url!
  await ask(url, "create table kept (id int primary key)")
  await ask(url, "checkpoint")
})
afterAll(async () => {
  service.child.kill("SIGTERM")
  await service.ended
  rmSync(folder, { recursive: true, force: true })
})

/** As a snapshot would be, taken while the service runs. */
const copyTo = (name: string): string => {
  const copy = join(folder, name)
  const { exitCode, stderr } = Bun.spawnSync(["cp", "-a", original, copy])
  if (exitCode !== 0) throw new Error(stderr.toString())
  return copy
}

const command = <A>(dataDir: string, use: (url: string) => Promise<A>): Promise<A> =>
  joinEmbedded({ dataDir, onGone: () => {} }).pipe(
    Effect.flatMap((joined) => Effect.promise(() => use(joined.url))),
    Effect.scoped,
    Effect.runPromise,
  )

test("a command on a copy works on the copy, and leaves the original and its server alone", async () => {
  const copy = copyTo("copy")
  await command(copy, (its) => ask(its, "drop table kept"))
  expect(await ask(url, "select count(*)::int as rows from kept")).toEqual([{ rows: 0 }])
  expect(isRunning(postmasterOf(original))).toBe(true)
  // In the original it joins the service.
  expect(await command(original, async (its) => its)).toBe(url)
})

test("a service starts on a copy beside the original", async () => {
  const copy = copyTo("beside")
  const other = startService(copy)
  const said = await other.said
  expect(said.failed).toBeUndefined()
  expect(await ask(said.url!, "select count(*)::int as rows from kept")).toEqual([{ rows: 0 }])
  other.child.kill("SIGTERM")
  await other.ended
  expect(isRunning(postmasterOf(original))).toBe(true)
})

test("a copy of a folder whose lock names none, as of earlier versions, is refused", async () => {
  const copy = copyTo("earlier")
  const { folder: _, ...owner } = JSON.parse(readFileSync(join(copy, "lock"), "utf8")) as Record<string, unknown>
  writeFileSync(join(copy, "lock"), JSON.stringify(owner))
  expect(await problemOf(command(copy, async (its) => its))).toContain("is in use by another Cowry")
})

test("a server that a killed service left is found by where it stands, whatever path leads there", async () => {
  const [at, path] = ["left", "another-path"].map((name) => join(folder, name)) as [string, string]
  mkdirSync(at)
  symlinkSync(at, path)
  const left = spawn("/bin/sleep", ["600"], { cwd: at, stdio: "ignore" })
  try {
    await until("it stands there", () => findProcess(left.pid!)?.workingFolder === at)
    writeFileSync(join(at, "postmaster.pid"), `${left.pid}\n${at}\n0\n5432\n\n\n\nready\n`)
    expect(await stopOrphan(path)).toBe(left.pid!)
    expect(isRunning(left.pid!)).toBe(false)
  } finally {
    left.kill("SIGKILL")
  }
})

test("while a service starts on a copy, the server that the copied pid file names is not taken for its own", async () => {
  const [source, copy] = ["source", "starting"].map((name) => join(folder, name)) as [string, string]
  for (const it of [source, copy]) mkdirSync(join(it, "pgdata"), { recursive: true })
  const ready = (of: string, port: number) => `7\n${of}/pgdata\n0\n${port}\n\n127.0.0.1\n0\nready   \n`
  writeFileSync(join(source, "pgdata/postmaster.pid"), ready(source, 5433))
  cpSync(join(source, "pgdata/postmaster.pid"), join(copy, "pgdata/postmaster.pid"))
  writeFileSync(join(copy, "password"), "secret\n")
  const startedAt = findProcess(process.pid)?.startedAt
  const lock = { pid: process.pid, startedAt, host: hostname(), folder: identityOf(copy) }
  writeFileSync(join(copy, "lock"), JSON.stringify(lock))
  const finding = findJoinable(copy, new AbortController().signal)
  writeFileSync(join(copy, "pgdata/postmaster.pid"), ready(copy, 5434))
  expect((await finding)?.url).toBe("postgres://cowry:secret@127.0.0.1:5434/cowry")
})
