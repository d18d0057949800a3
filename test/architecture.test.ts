/** The rules of ARCHITECTURE.md that a program can check: imports point inwards, files are small and say what they are for. */
import { describe, expect, test } from "bun:test"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Tracked and new files, of whoever's checkout this is. */
const listFiles = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const args = ["-c", `safe.directory=${root}`, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  const printed = execFileSync("git", [...args, "--", ...patterns], { cwd: root, encoding: "utf8" })
  return printed.split("\0").filter((path) => path !== "" && existsSync(join(root, path)))
}

const read = (path: string): string => readFileSync(join(root, path), "utf8")

const IMPORT =
  /^import\s[^"]*?"([^"]+)"|^export\s+(?:type\s+)?[{*][^"]*?\bfrom\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm

const importsOf = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(IMPORT)].map(([, plain, again, late]) => plain ?? again ?? late ?? "")

type Layer = "model" | "ports" | "domain" | "adapters" | "main"

const layerOf = (path: string): Layer => {
  if (path.startsWith("src/domain/model/")) return "model"
  if (path.startsWith("src/ports/")) return "ports"
  if (path.startsWith("src/domain/")) return "domain"
  return path.startsWith("src/adapters/") ? "adapters" : "main"
}

const INWARDS: Readonly<Record<Layer, ReadonlyArray<Layer>>> = {
  model: ["model"],
  ports: ["model", "ports"],
  domain: ["model", "ports", "domain"],
  adapters: ["model", "ports", "domain", "adapters"],
  main: ["model", "ports", "domain", "adapters", "main"],
}

/** The packages a layer may use; an adapter's own are those of the thing it adapts. */
const PACKAGES: Readonly<Record<string, ReadonlyArray<string>>> = {
  model: ["effect"],
  ports: ["effect"],
  domain: ["effect"],
  main: ["effect", "node"],
  "adapters/http": ["effect", "node", "elysia", "@elysiajs/swagger"],
  "adapters/keys": ["effect", "node"],
  "adapters/lists": ["effect", "node"],
  "adapters/memory": ["effect"],
  "adapters/postgres": ["effect", "node", "postgres"],
  "adapters/prices": ["effect"],
  "adapters/rpc": ["effect", "node", "@noble/hashes"],
  "adapters/supply": ["effect", "node"],
  "adapters/terminal": ["effect", "node"],
  "adapters/unconfigured": ["effect"],
  "adapters/web": ["effect"],
}

const adapterOf = (path: string): string => path.split("/").slice(1, 3).join("/")

/** What a file may not import, each as "file → import". */
const strayImports = (path: string, source: string): ReadonlyArray<string> => {
  const layer = layerOf(path)
  const place = layer === "adapters" ? adapterOf(path) : layer
  const isStray = (imported: string): boolean => {
    if (!imported.startsWith(".")) {
      const name = imported.startsWith("node:") ? "node" : imported.match(/^(?:@[^/]+\/)?[^/]+/)![0]
      return !(PACKAGES[place] ?? []).includes(name)
    }
    const target = normalize(join(dirname(path), imported))
    if (!target.startsWith("src/") || !INWARDS[layer].includes(layerOf(target))) return true
    return layer === "adapters" && layerOf(target) === "adapters" && adapterOf(target) !== place
  }
  return importsOf(source)
    .filter(isStray)
    .map((imported) => `${path} → ${imported}`)
}

const sources = listFiles("src/*.ts", "src/**/*.ts")

describe("imports point inwards", () => {
  test("domain/model → ports → domain → adapters → main, each with its own packages", () => {
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.flatMap((path) => strayImports(path, read(path)))).toEqual([])
  })

  test("a stray import of every kind is seen", () => {
    const stray = (path: string, imported: string): boolean =>
      strayImports(path, `import { a } from "effect"\nimport {\n  type B,\n} from "${imported}"\n`).length > 0
    expect([
      stray("src/domain/model/token.ts", "../../ports/TokenStore.ts"),
      stray("src/ports/TokenStore.ts", "../domain/tokens.ts"),
      stray("src/domain/tokens.ts", "../adapters/memory/state.ts"),
      stray("src/domain/tokens.ts", "node:fs"),
      stray("src/domain/ingest/follow.ts", "postgres"),
      stray("src/adapters/memory/state.ts", "../postgres/client.ts"),
      stray("src/adapters/postgres/client.ts", "../../config.ts"),
      stray("src/adapters/postgres/client.ts", "elysia"),
      stray("src/main.ts", "../test/support/postgres.ts"),
      strayImports("src/domain/tokens.ts", `export * from "postgres"\nawait import("elysia")\nimport "msw"`).length ===
        3,
    ]).toEqual(Array(10).fill(true))
  })

  test("a permitted import of every kind is let through", () => {
    const fine = (path: string, imported: string): boolean =>
      strayImports(path, `import * as It from "${imported}"\nexport const text = "postgres"\n`).length === 0
    expect([
      fine("src/domain/tokens.ts", "../ports/TokenStore.ts"),
      fine("src/domain/tokens.ts", "effect/Schema"),
      fine("src/adapters/postgres/ledger/append.ts", "../client.ts"),
      fine("src/adapters/postgres/client.ts", "../../domain/model/page.ts"),
      fine("src/main.ts", "./adapters/postgres/embedded.ts"),
    ]).toEqual(Array(5).fill(true))
  })
})

describe("every source file", () => {
  test("begins by saying what it is for", () => {
    const silent = sources.filter((path) => !/^\/\*\* \S.*[^ ] \*\/$/.test(read(path).split("\n")[0] ?? ""))
    const migrations = listFiles("src/**/*.sql").filter((path) => !/^-- \S/.test(read(path)))
    expect([...silent, ...migrations]).toEqual([])
  })

  test("has at most 220 lines", () => {
    expect(sources.filter((path) => read(path).trimEnd().split("\n").length > 220)).toEqual([])
  })

  test("runs on any runtime: nothing of one runtime's own", () => {
    expect(sources.filter((path) => /\b(?:Bun|Deno)\.[a-z]|"bun:/.test(read(path)))).toEqual([])
  })
})

test("the gate runs the test command of the README, as typed", () => {
  const command = read("README.md")
    .split("\n")
    .find((line) => line.startsWith("npx ") && line.endsWith(" run test"))
  expect(command).toBeDefined()
  expect(read(".ci/run").trimEnd().split("\n").at(-1)).toBe(command!)
})

test("no file names a package registry's host or a place on one machine", () => {
  // Put together here, so that this file does not hold them.
  const hosts = [
    ["registry", "npmjs", "org"],
    ["registry", "yarnpkg", "com"],
    ["registry", "npmmirror", "com"],
    ["npm", "jsr", "io"],
    ["npm", "pkg", "github", "com"],
    ["proxy", "golang", "org"],
  ].map((parts) => parts.join("."))
  const places = ["work/main", "work/shared", "tmp/tools", "home/"].map((path) => `/${path}`)
  const found = listFiles().flatMap((path) =>
    [...hosts, ...places].filter((word) => read(path).includes(word)).map((word) => `${path}: ${word}`),
  )
  expect(found).toEqual([])
})
