/** Joining the server that another Cowry runs: waited for until it is ready, and refused where it cannot be reached. */
import { expect, test } from "bun:test"
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { joinEmbedded } from "../../src/adapters/embedded/embedded.ts"
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

test("an owner elsewhere that may have been killed is waited for, until it is told whether it lives", async () => {
  const [left, ours] = [ownedFolder("elsewhere"), ownedFolder()]
  const ahead = new Date(Date.now() + 10_000)
  utimesSync(join(left, "lock"), ahead, ahead)
  mkdirSync(join(left, "pgdata"))
  writeFileSync(join(left, "pgdata/postmaster.pid"), "7\n/data\n0\n5433\n\n127.0.0.1\n0\nready   \n")
  writeFileSync(join(left, "password"), "secret\n")
  const joining = Effect.runPromise(Effect.scoped(joinEmbedded({ dataDir: left, onGone: () => {} })))
  // One that lives on this host has taken it.
  renameSync(join(ours, "lock"), join(left, "lock"))
  expect(await joining).toEqual({ url: "postgres://cowry:secret@127.0.0.1:5433/cowry" })
  for (const folder of [left, ours]) rmSync(folder, { recursive: true })
})
