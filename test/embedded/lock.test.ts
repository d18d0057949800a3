/** The lock of a data folder: touched through errors, made again where it is gone, given up where another Cowry has it. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { keepLock } from "../../src/adapters/embedded/keepLock.ts"
import { findOwner, lockFolder, untilTold } from "../../src/adapters/embedded/lock.ts"
import { openTemporaryFolder } from "../support/postgres.ts"
import { isRunning, postmasterOf, startService, until } from "./support.ts"

let dataDir: string
beforeEach(() => {
  dataDir = openTemporaryFolder("cowry-lock-")
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const another = JSON.stringify({ pid: 7, startedAt: "now", host: "elsewhere" })

/** What each touch says in turn, five seconds apart; what was logged, and whether touching goes on after them. */
const touchedBy = (says: ReadonlyArray<() => "ours" | "another's">) => {
  const lines: Array<string> = []
  let touches = 0
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${message}`))
  return Effect.gen(function* () {
    const keeping = yield* Effect.forkChild(keepLock({ touch: () => says[touches++]!() }, dataDir))
    for (const _ of says) yield* TestClock.adjust(5_000)
    const goesOn = keeping.pollUnsafe() === undefined
    yield* Fiber.interrupt(keeping)
    return { lines, touches, goesOn }
  }).pipe(Effect.provide([TestClock.layer(), Logger.layer([logger])]), Effect.runPromise)
}

test("its touch goes on after errors, of which the log has the first, and says when it is touched again", async () => {
  const fail = () => {
    throw new Error("EIO: i/o error, utime")
  }
  const ours = () => "ours" as const
  const { lines, touches, goesOn } = await touchedBy([ours, fail, fail, ours, fail])
  expect(lines.map((line) => line.replaceAll(dataDir, "…").split(":")[0])).toEqual([
    "Error the lock in DATA_DIR … cannot be touched, and is tried every 5 s",
    "Info the lock in DATA_DIR … is touched again",
    "Error the lock in DATA_DIR … cannot be touched, and is tried every 5 s",
  ])
  expect(lines[0]).toContain("EIO: i/o error, utime. After 30 s")
  expect([touches, goesOn]).toEqual([5, true])
})

test("its touch ends where the folder is another's", async () => {
  const { touches, goesOn } = await touchedBy([() => "ours", () => "another's", () => "ours"])
  expect([touches, goesOn]).toEqual([2, false])
})

test("one that is gone is made again, and one that is empty", () => {
  const path = join(dataDir, "lock")
  const { touch, release } = lockFolder(dataDir)
  const content = readFileSync(path, "utf8")
  rmSync(path)
  expect(touch()).toBe("ours")
  expect(readFileSync(path, "utf8")).toBe(content)
  const old = new Date(Date.now() - 20_000)
  writeFileSync(path, "")
  utimesSync(path, old, old)
  expect([touch(), touch()]).toEqual(["ours", "ours"])
  expect(readFileSync(path, "utf8")).toBe(content)
  release()
})

test("one of another Cowry is neither touched nor removed", () => {
  const path = join(dataDir, "lock")
  const { touch, release } = lockFolder(dataDir)
  const old = new Date(Date.now() - 20_000)
  writeFileSync(path, another)
  utimesSync(path, old, old)
  expect(touch()).toBe("another's")
  release()
  expect(readFileSync(path, "utf8")).toBe(another)
  expect(statSync(path).mtimeMs).toBe(old.getTime())
})

test("one of a container that was killed is nobody's where it is not touched, though its touch lies ahead of the clock", async () => {
  const left = { pid: 7, startedAt: "now", host: hostname(), pidNamespace: "another" }
  const path = join(dataDir, "lock")
  writeFileSync(path, JSON.stringify(left))
  const tomorrow = new Date(Date.now() + 86_400_000)
  utimesSync(path, tomorrow, tomorrow)
  expect(findOwner(dataDir)).toEqual(left)
  await untilTold(dataDir, AbortSignal.timeout(60_000), { believedMs: 200, watchedMs: 100 })
  expect(findOwner(dataDir)).toBeUndefined()
  lockFolder(dataDir).release()
})

test("one under another host name, whose touch lies ahead of the clock, is nobody's where it is not touched, and is believed where it is", async () => {
  const path = join(dataDir, "lock")
  const tomorrow = new Date(Date.now() + 86_400_000)
  writeFileSync(path, another)
  utimesSync(path, tomorrow, tomorrow)
  const touched = untilTold(dataDir, AbortSignal.timeout(60_000))
  utimesSync(path, new Date(), new Date(Date.now() + 86_000_000))
  await touched
  expect(() => lockFolder(dataDir)).toThrow(
    `process 7 on elsewhere: stop that one, or set DATA_DIR to another folder. Its lock is ${path}`,
  )
  await untilTold(dataDir, AbortSignal.timeout(60_000), { believedMs: 200, watchedMs: 100 })
  expect(findOwner(dataDir)).toBeUndefined()
  lockFolder(dataDir).release()
})

test("so is one whose touch the clock catches up with while it is waited for", async () => {
  const path = join(dataDir, "lock")
  writeFileSync(path, another)
  const soon = new Date(Date.now() + 500)
  utimesSync(path, soon, soon)
  await untilTold(dataDir, AbortSignal.timeout(60_000), { believedMs: 1_500, watchedMs: 1_000 })
  expect(findOwner(dataDir)).toBeUndefined()
  lockFolder(dataDir).release()
})

test("one elsewhere is no older for a clock ahead of its owner's: untouched it is watched, touched it is the owner's", async () => {
  const path = join(dataDir, "lock")
  writeFileSync(path, another)
  const touchBehind = (ms: number) => utimesSync(path, new Date(), new Date(Date.now() - ms))
  touchBehind(60_000)
  expect(findOwner(dataDir)).toEqual(JSON.parse(another))
  expect(() => lockFolder(dataDir)).toThrow("process 7 on elsewhere")
  const touched = untilTold(dataDir, AbortSignal.timeout(60_000))
  touchBehind(40_000)
  await touched
  expect(() => lockFolder(dataDir)).toThrow("process 7 on elsewhere")
  await untilTold(dataDir, AbortSignal.timeout(60_000), { believedMs: 30_000, watchedMs: 200 })
  expect(findOwner(dataDir)).toBeUndefined()
  lockFolder(dataDir).release()
})

test("nor is it left for what a machine that stood still did not see", async () => {
  const path = join(dataDir, "lock")
  writeFileSync(path, another)
  utimesSync(path, new Date(), new Date(Date.now() - 60_000))
  const told = untilTold(dataDir, AbortSignal.timeout(60_000), { believedMs: 2_000, watchedMs: 2_000 })
  // As where the disk of both hangs: nothing can be touched meanwhile, and nothing is looked at.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500)
  await Bun.sleep(200)
  utimesSync(path, new Date(), new Date(Date.now() - 1_000))
  await told
  expect(() => lockFolder(dataDir)).toThrow("process 7 on elsewhere")
})

test("where another Cowry has taken the folder the server is stopped, and not started again", async () => {
  const service = startService(join(dataDir, "data"))
  await service.said
  const server = postmasterOf(join(dataDir, "data"))
  writeFileSync(join(dataDir, "data/lock"), another)
  await until("the server is stopped", () => !isRunning(server))
  // A server that died is started again after a second at most.
  await Bun.sleep(2_000)
  // Its pid file might be the other's by now: it is left.
  expect([postmasterOf(join(dataDir, "data")), isRunning(server)]).toEqual([server, false])
  service.child.kill("SIGTERM")
  expect(await service.ended).toBe(0)
})
