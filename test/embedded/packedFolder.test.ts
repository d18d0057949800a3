/** A packed data folder against the one that `initdb` made: the same files, the same database, an identity of its own. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import { packDataFolder } from "../../docker/packDataFolder.ts"
import { serverAccount } from "../../src/adapters/embedded/account.ts"
import { initialize } from "../../src/adapters/embedded/cluster.ts"
import { crc32c } from "../../src/adapters/embedded/crc32c.ts"
import { startEmbedded } from "../../src/adapters/embedded/embedded.ts"
import { packedName, packFolder, unpackFolder } from "../../src/adapters/embedded/packedFolder.ts"
import { findPrograms, installPrograms, platformPackage } from "../../src/adapters/embedded/programs.ts"
import type { Installation } from "../../src/adapters/embedded/run.ts"
import { readPidFile } from "../../src/adapters/embedded/server.ts"
import { openTemporaryFolder } from "../support/postgres.ts"
import { ask, postmasterOf, until } from "./support.ts"

const folder = openTemporaryFolder("cowry-packed-")
const packedIn = join(folder, "dist")
const account = serverAccount()
let installation: Installation
let made: string
beforeAll(async () => {
  mkdirSync(packedIn)
  await packDataFolder(folder)
  const programs = installPrograms(platformPackage, join(folder, "programs"))
  installation = { programs, account, logFile: join(folder, "log"), onSpawn: () => {} }
  made = join(folder, "made")
  await initialize(installation, made)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a database holds before anybody made a table. */
const catalogue = `
  (select count(*)::int from pg_class where oid < 16384) as relations,
  (select string_agg(datname || ' ' || datcollate || ' ' || pg_encoding_to_char(encoding), ', ' order by datname)
   from pg_database) as databases`

const packedFile = () => join(packedIn, packedName(findPrograms(platformPackage).version))

/** Every path with its kind, mode, owner and bytes. */
const contentsOf = (of: string): ReadonlyMap<string, { readonly about: string; readonly bytes?: Buffer }> =>
  new Map(
    readdirSync(of, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const { mode, uid, gid, size } = statSync(path)
      const about = [mode.toString(8), uid, gid, entry.isFile() ? size : "folder"].join(" ")
      return [path.slice(of.length + 1), { about, ...(entry.isFile() && { bytes: readFileSync(path) }) }]
    }),
  )

test("what is unpacked is what was packed, but for the identifier and its checksum", () => {
  const unpacked = join(folder, "unpacked")
  unpackFolder(packFolder(made), unpacked, account)
  const [before, after] = [contentsOf(made), contentsOf(unpacked)]
  expect(before.size).toBeGreaterThan(900)
  expect([...after.keys()].sort()).toEqual([...before.keys()].sort())
  const differing = new Map<string, number>()
  for (const [path, { about, bytes }] of before) {
    const other = after.get(path)!
    expect(`${path} ${other.about}`).toBe(`${path} ${about}`)
    if (bytes?.equals(other.bytes!) === false)
      differing.set(path, bytes.filter((byte, at) => byte !== other.bytes![at]).length)
  }
  expect([...differing.keys()].sort()).toEqual(["global/pg_control", "pg_wal/000000010000000000000001"])
  expect(differing.get("pg_wal/000000010000000000000001")).toBeLessThanOrEqual(8)
  expect(differing.get("global/pg_control")).toBeLessThanOrEqual(12)
  expect(statSync(unpacked).mode & 0o777).toBe(0o700)
})

test("the identifier tells the second, as PostgreSQL's do", () => {
  const unpacked = join(folder, "dated")
  unpackFolder(packFolder(made), unpacked, account)
  const identifier = readFileSync(join(unpacked, "global/pg_control")).readBigUInt64LE()
  expect(Math.abs(Number(identifier >> 32n) - Date.now() / 1000)).toBeLessThan(600)
})

test("a checksum is PostgreSQL's", () => {
  // The check value of the catalogue of CRC algorithms.
  expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283)
  expect(crc32c(Buffer.alloc(0))).toBe(0)
})

test("two services begin of one packed file: their servers differ, hold the same catalogue, and survive being killed", async () => {
  const facts = await Promise.all(
    ["one", "two"].map((name) => {
      const dataDir = join(folder, name)
      const work = Effect.gen(function* () {
        const { url } = yield* startEmbedded({ dataDir, packedIn })
        const askIt = (text: string) => Effect.promise(() => ask(url, text))
        yield* askIt("create table kept as select generate_series(1, 10000) as number")
        const killed = postmasterOf(dataDir)
        process.kill(killed, "SIGKILL")
        yield* Effect.promise(() =>
          until("PostgreSQL is back", async () => {
            const server = readPidFile(join(dataDir, "pgdata"))
            if (server === undefined || server.pid === killed || !server.isReady) return false
            return ask(url, "select 1").then(
              () => true,
              () => false,
            )
          }),
        )
        return yield* askIt(`
          select (select system_identifier::text from pg_control_system()) as identifier,
            (select sum(number)::int from kept) as sum, current_database() as database,
            ${catalogue},
            current_setting('data_checksums') as checksums, current_setting('dynamic_shared_memory_type') as memory`)
      })
      return work.pipe(Effect.scoped, Effect.runPromise) as Promise<ReadonlyArray<Record<string, unknown>>>
    }),
  )
  const [[one], [two]] = facts as [[Record<string, unknown>], [Record<string, unknown>]]
  expect(one.identifier).not.toBe(two.identifier)
  expect({ ...one, identifier: "" }).toEqual({ ...two, identifier: "" })
  expect(one).toMatchObject({ sum: 50_005_000, database: "cowry", checksums: "on" })
  const own = await startEmbedded({ dataDir: join(folder, "own") }).pipe(
    Effect.flatMap(({ url }) => Effect.promise(() => ask(url, `select ${catalogue}`))),
    Effect.scoped,
    Effect.runPromise,
  )
  expect(one).toMatchObject((own as ReadonlyArray<Record<string, unknown>>)[0]!)
})

test("one that is cut short is refused in words, and leaves nothing that looks like a database", async () => {
  const broken = join(folder, "broken")
  mkdirSync(broken)
  const whole = readFileSync(packedFile())
  const dataDir = join(folder, "of-broken")
  const start = () => startEmbedded({ dataDir, packedIn: broken }).pipe(Effect.scoped, Effect.flip, Effect.runPromise)
  const name = packedName(findPrograms(platformPackage).version)
  for (const bytes of [whole.subarray(0, whole.length / 2), gzipSync("{}"), Buffer.from("nothing")]) {
    writeFileSync(join(broken, name), bytes)
    expect((await start()).message).toContain(`The embedded PostgreSQL in ${dataDir} failed`)
    expect(readdirSync(dataDir)).not.toContain("pgdata")
  }
  writeFileSync(join(broken, name), whole)
  const rows = await startEmbedded({ dataDir, packedIn: broken }).pipe(
    Effect.flatMap(({ url }) => Effect.promise(() => ask(url, "select 1 as one"))),
    Effect.scoped,
    Effect.runPromise,
  )
  expect(rows).toEqual([{ one: 1 }])
})

test("where there are only those of another version, initdb makes the files", async () => {
  const other = join(folder, "other")
  mkdirSync(other)
  writeFileSync(join(other, packedName("0.0.0")), "of programs that are not these")
  const rows = await startEmbedded({ dataDir: join(folder, "of-other"), packedIn: other }).pipe(
    Effect.flatMap(({ url }) => Effect.promise(() => ask(url, "select current_database() as name"))),
    Effect.scoped,
    Effect.runPromise,
  )
  expect(rows).toEqual([{ name: "cowry" }])
})

test("a folder that PostgreSQL did not make is not packed", () => {
  const strange = join(folder, "strange")
  mkdirSync(join(strange, "global"), { recursive: true })
  writeFileSync(join(strange, "global/pg_control"), Buffer.alloc(8192))
  expect(() => packFolder(strange)).toThrow("does not bear the identifier")
})
