/** The programs of a data folder are copies: the package's own files are never changed. */
import { afterAll, expect, test } from "bun:test"
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { startEmbedded } from "../../src/adapters/embedded/embedded.ts"
import { findPrograms, installPrograms, platformPackage } from "../../src/adapters/embedded/programs.ts"
import { openTemporaryFolder } from "../support/postgres.ts"
import { ask } from "./support.ts"

const folders: Array<string> = []
const newFolder = (): string => {
  folders.push(openTemporaryFolder("cowry-programs-"))
  return folders.at(-1)!
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A package beside the real one, since those files are everybody's: a program with `mode`, one library. */
const makePackage = (mode: number): { readonly name: string; readonly native: string } => {
  const name = `cowry-programs-${mode.toString(8)}-${process.pid}`
  const modules = fileURLToPath(new URL("../../node_modules", import.meta.url))
  const root = join(modules, name)
  folders.push(root)
  const native = join(root, "native")
  for (const folder of ["dist", "native/bin", "native/lib"]) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, "package.json"), JSON.stringify({ name, version: "1.0.0", main: "dist/index.js" }))
  writeFileSync(join(root, "dist/index.js"), "")
  writeFileSync(join(native, "pg-symlinks.json"), "[]")
  writeFileSync(join(native, "bin/postgres"), "program")
  writeFileSync(join(native, "lib/library"), "library")
  chmodSync(join(native, "bin/postgres"), mode)
  return { name, native }
}

test("a program is copied and opened, whatever its mode, and the package's keeps its own", () => {
  const { name, native } = makePackage(0o700)
  const copy = installPrograms(name, join(newFolder(), "programs"))
  expect(statSync(join(copy, "bin/postgres")).mode & 0o777).toBe(0o755)
  const source = statSync(join(native, "bin/postgres"))
  expect(source.mode & 0o777).toBe(0o700)
  expect(statSync(join(copy, "bin/postgres")).ino).not.toBe(source.ino)
})

test("the real ones keep their modes and sizes when a database is made with them", async () => {
  const path = join(findPrograms(platformPackage).native, "bin/postgres")
  const before = statSync(path)
  const dataDir = join(newFolder(), "data")
  // Of a database that was here before: nobody knows it any more.
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, "password"), "of another database")
  const rows = await startEmbedded({ dataDir }).pipe(
    Effect.flatMap(({ url }) => Effect.promise(() => ask(url, "select current_database() as name"))),
    Effect.scoped,
    Effect.runPromise,
  )
  expect(rows).toEqual([{ name: "cowry" }])
  const after = statSync(path)
  expect([after.mode, after.size]).toEqual([before.mode, before.size])
})
