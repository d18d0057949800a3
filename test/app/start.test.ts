/** What a start loads before the database's programs run: not the larger part of the program. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../src/", import.meta.url))

/** Files of src, and names of packages, that `entry` imports, directly or not, before it runs. */
const loadedBy = (entry: string): ReadonlySet<string> => {
  const transpiler = new Bun.Transpiler({ loader: "ts" })
  const found = new Set<string>()
  const waiting = [`${root}${entry}`]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue
    found.add(path)
    if (!path.endsWith(".ts")) continue
    for (const { path: name, kind } of transpiler.scanImports(readFileSync(path, "utf8"))) {
      if (kind !== "import-statement") continue
      if (name.startsWith(".")) waiting.push(Bun.resolveSync(name, dirname(path)))
      else found.add(name)
    }
  }
  return new Set([...found].map((path) => path.replace(root, "")))
}

test("the start command begins with the database, and loads HTTP, the stores and the domain beside it", () => {
  const early = [...loadedBy("app/commands/start.ts")]
  expect(early).toContain("adapters/embedded/embedded.ts")
  expect(early.filter((it) => /^(?:elysia|postgres$|domain\/|adapters\/(?:http|postgres|rpc)\/)/.test(it))).toEqual([])
  const late = loadedBy("app/serving.ts")
  // Where no collector is set nothing of it is loaded at all.
  expect([...early, ...late].filter((it) => /openTelemetry|observability/.test(it))).toEqual([])
  for (const name of ["elysia", "postgres", "adapters/http/app.ts"]) expect(late).toContain(name)
})

test("what only a command needs is loaded with that command", () => {
  const early = [...loadedBy("main.ts")]
  expect(early).toContain("app/commands/start.ts")
  const large = /^(?:app\/wiring|elysia|postgres$|domain\/|adapters\/(?:http|rpc|postgres\/(?!database\/))\/)/
  expect(early.filter((it) => large.test(it))).toEqual([])
})
