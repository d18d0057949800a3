/** Joining the server that another Cowry runs: waited for until it is ready, and refused where it cannot be reached. */
import { expect, test } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { findJoinable } from "../../src/adapters/embedded/join.ts"
import { findProcess } from "../../src/adapters/embedded/processes.ts"
import { openTemporaryFolder } from "../support/postgres.ts"

/** A data folder whose owner is this very process, on that host. */
const ownedFolder = (host = hostname(), more: object = {}): string => {
  const folder = openTemporaryFolder("cowry-join-")
  const owner = { pid: process.pid, startedAt: findProcess(process.pid)?.startedAt, host, ...more }
  writeFileSync(join(folder, "lock"), JSON.stringify(owner))
  return folder
}
const find = (folder: string) => findJoinable(folder, new AbortController().signal)

test("a folder without a living Cowry has nothing to join", async () => {
  const folder = ownedFolder()
  writeFileSync(join(folder, "lock"), JSON.stringify({ pid: process.pid, startedAt: "before", host: hostname() }))
  expect(await find(folder)).toBeUndefined()
  rmSync(join(folder, "lock"))
  expect(await find(folder)).toBeUndefined()
  rmSync(folder, { recursive: true })
})

test("a server that is being started is waited for; its owner's end is seen", async () => {
  const folder = ownedFolder()
  mkdirSync(join(folder, "pgdata"))
  const pidFile = (state: string) =>
    writeFileSync(join(folder, "pgdata/postmaster.pid"), `7\n/data\n0\n5433\n\n127.0.0.1\n0\n${state}\n`)
  pidFile("starting")
  const finding = find(folder)
  writeFileSync(join(folder, "password"), "secret\n")
  pidFile("ready   ")
  const found = await finding
  expect(found).toMatchObject({ url: "postgres://cowry:secret@127.0.0.1:5433/cowry", owner: process.pid })
  expect(found?.lives()).toBe(true)
  rmSync(join(folder, "lock"))
  expect(found?.lives()).toBe(false)
  rmSync(folder, { recursive: true })
})

test("a server of another host is not reached: the command is to be run there", async () => {
  const folder = ownedFolder("elsewhere")
  const failed = await find(folder).catch((error) => error)
  expect(failed.message).toContain("in use by a Cowry on elsewhere")
  expect(failed.message).toContain("docker exec")
  rmSync(folder, { recursive: true })
})

test("nor is one of another container of the same host name", async () => {
  const folder = ownedFolder(hostname(), { pidNamespace: "pid:[7]" })
  const failed = await find(folder).catch((error) => error)
  expect(failed.message).toContain("docker exec")
  rmSync(folder, { recursive: true })
})
