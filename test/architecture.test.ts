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

type Layer = "model" | "ports" | "domain" | "adapters" | "config" | "app"

const LAYERS: ReadonlyArray<Layer> = ["model", "ports", "domain", "adapters", "config", "app"]

const layerOf = (path: string): Layer => LAYERS.find((layer) => path.startsWith(`src/${layer}/`)) ?? "app"

/** The folders of src from the ground up: a file imports from its own folder and from those above it in this list. */
const ROOMS = [
  "model",
  "model/numbers",
  "model/outside",
  "model/time",
  "model/userFiles",
  "model/events",
  "model/transactions",
  "model/wallet",
  "model/search",
  "ports",
  "domain/turns",
  "domain/lag",
  "domain/ranges",
  "domain/reads",
  "domain/events",
  "domain/prices",
  "domain/ingest/decode",
  "domain/logs",
  "domain/ingest/status",
  "domain/audit/missing",
  "domain/audit/judging",
  "domain/audit",
  "domain/wallet",
  "domain/enrich",
  "domain/registry",
  "domain/ingest/verify",
  "domain/ingest/evidence",
  "domain/ingest/history",
  "domain/ingest/pools",
  "domain/ingest/state",
  "domain/ingest/backfill",
  "domain/ingest/live",
  "domain/ingest",
  "adapters/memory",
  "adapters/unconfigured",
  "adapters/keys",
  "adapters/terminal",
  "adapters/web",
  "adapters/webhooks",
  "adapters/lists",
  "adapters/prices",
  "adapters/supply",
  "adapters/embedded",
  "adapters/rpc/wire",
  "adapters/rpc/hashing",
  "adapters/rpc/transport",
  "adapters/rpc/chain",
  "adapters/rpc/history",
  "adapters/rpc/contracts",
  "adapters/rpc/pools",
  "adapters/rpc/origins",
  "adapters/rpc/passing",
  "adapters/postgres/url",
  "adapters/postgres/database/locks",
  "adapters/postgres/database",
  "adapters/postgres/servers",
  "adapters/postgres/registry",
  "adapters/postgres/ledger/wire",
  "adapters/postgres/ledger/ids",
  "adapters/postgres/ledger/balances",
  "adapters/postgres/ledger/state",
  "adapters/postgres/ledger/heal",
  "adapters/postgres/ledger/bulk",
  "adapters/postgres/ledger",
  "adapters/postgres/rebuild",
  "adapters/postgres/reads/common",
  "adapters/postgres/reads/feed",
  "adapters/postgres/reads/chains",
  "adapters/postgres/reads/holders",
  "adapters/postgres/reads/nfts",
  "adapters/postgres/reads/audit",
  "adapters/postgres/reads/tokens",
  "adapters/postgres/reads/transfers/walk",
  "adapters/postgres/reads/transfers/marks",
  "adapters/postgres/reads/transfers",
  "adapters/postgres/reads/approvals",
  "adapters/postgres/reads/logs",
  "adapters/postgres/reads/swaps",
  "adapters/postgres/reads/events",
  "adapters/postgres/reads/prices",
  "adapters/postgres/reads/wallet",
  "adapters/postgres/reads/notes",
  "adapters/postgres/reads/codes",
  "adapters/postgres",
  "adapters/http/contract",
  "adapters/http/newEnough",
  "adapters/http/turns",
  "adapters/http/encoding",
  "adapters/http/kept",
  "adapters/http/pipeline",
  "adapters/http/native",
  "adapters/http/native/wallet",
  "adapters/http/native/single",
  "adapters/http/shapes",
  "adapters/http/events",
  "adapters/http/compat/outside",
  "adapters/http/compat",
  "adapters/http/openapi",
  "adapters/http/page",
  "adapters/http/health",
  "adapters/http/mcp",
  "adapters/http/metrics",
  "adapters/http",
  "config/chains",
  "config",
  "app",
  "app/commands",
  ".",
]

/** The folder below src in which a file lies. */
const roomOf = (path: string): string => dirname(path).slice("src/".length) || "."

/** Imports that run back to a later folder, each as "file → import". */
const backImports = (path: string, source: string): ReadonlyArray<string> => {
  const own = ROOMS.indexOf(roomOf(path))
  return importsOf(source)
    .filter((imported) => imported.startsWith("."))
    .filter((imported) => ROOMS.indexOf(roomOf(normalize(join(dirname(path), imported)))) > own)
    .map((imported) => `${path} → ${imported}`)
}

/** The packages a layer may use; an adapter's own are those of the thing it adapts. */
const PACKAGES: Readonly<Record<string, ReadonlyArray<string>>> = {
  model: ["effect"],
  ports: ["effect"],
  domain: ["effect"],
  config: ["effect", "node"],
  app: ["effect", "node"],
  "adapters/embedded": ["effect", "node"],
  "adapters/http": ["effect", "node", "elysia", "@elysiajs/swagger", "@modelcontextprotocol/server"],
  "adapters/keys": ["effect", "node"],
  "adapters/lists": ["effect", "node"],
  "adapters/memory": ["effect"],
  "adapters/postgres": ["effect", "node", "postgres"],
  "adapters/prices": ["effect"],
  "adapters/rpc": ["effect", "node", "hash-wasm", "hyparquet", "hyparquet-compressors"],
  "adapters/supply": ["effect", "node"],
  "adapters/terminal": ["effect", "node"],
  "adapters/unconfigured": ["effect"],
  "adapters/web": ["effect"],
  "adapters/webhooks": ["effect", "node"],
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
    if (!target.startsWith("src/") || LAYERS.indexOf(layerOf(target)) > LAYERS.indexOf(layer)) return true
    return layer === "adapters" && layerOf(target) === "adapters" && adapterOf(target) !== place
  }
  return importsOf(source)
    .filter(isStray)
    .map((imported) => `${path} → ${imported}`)
}

/** What a browser runs: not of the service's program, and of no room. */
const ofBrowsers = "src/adapters/http/page/files/"
const sources = listFiles("src/*.ts", "src/**/*.ts").filter((path) => !path.startsWith(ofBrowsers))
const scripts = listFiles(`${ofBrowsers}*.js`)

describe("imports point inwards", () => {
  test("model → ports → domain → adapters → config → app, each with its own packages", () => {
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.flatMap((path) => strayImports(path, read(path)))).toEqual([])
  })

  test("a stray import of every kind is seen", () => {
    const stray = (path: string, imported: string): boolean =>
      strayImports(path, `import { a } from "effect"\nimport {\n  type B,\n} from "${imported}"\n`).length > 0
    expect([
      stray("src/model/token.ts", "../ports/TokenStore.ts"),
      stray("src/ports/TokenStore.ts", "../domain/reads/tokens.ts"),
      stray("src/domain/reads/tokens.ts", "../../adapters/memory/state.ts"),
      stray("src/domain/reads/tokens.ts", "node:fs"),
      stray("src/domain/ingest/follow.ts", "postgres"),
      stray("src/adapters/memory/state.ts", "../postgres/database/client.ts"),
      stray("src/adapters/postgres/database/client.ts", "../../../config/readConfig.ts"),
      stray("src/adapters/postgres/database/client.ts", "elysia"),
      stray("src/main.ts", "../test/support/postgres.ts"),
      strayImports("src/domain/reads/tokens.ts", `export * from "postgres"\nawait import("elysia")\nimport "msw"`)
        .length === 3,
    ]).toEqual(Array(10).fill(true))
  })

  test("a permitted import of every kind is let through", () => {
    const fine = (path: string, imported: string): boolean =>
      strayImports(path, `import * as It from "${imported}"\nexport const text = "postgres"\n`).length === 0
    expect([
      fine("src/domain/reads/tokens.ts", "../../ports/TokenStore.ts"),
      fine("src/domain/reads/tokens.ts", "effect/Schema"),
      fine("src/adapters/postgres/ledger/append.ts", "../database/client.ts"),
      fine("src/adapters/postgres/database/client.ts", "../../../model/page.ts"),
      fine("src/main.ts", "./adapters/embedded/embedded.ts"),
    ]).toEqual(Array(5).fill(true))
  })
})

/** Files that import one another in a ring, types included; each ring once, as the files on it. */
const ringsOf = (imports: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const rings: Array<string> = []
  const done = new Set<string>()
  const way: Array<string> = []
  const visit = (path: string): void => {
    if (way.includes(path)) rings.push([...way.slice(way.indexOf(path)), path].join(" → "))
    if (way.includes(path) || done.has(path)) return
    way.push(path)
    for (const target of imports.get(path) ?? []) visit(target)
    way.pop()
    done.add(path)
  }
  for (const path of imports.keys()) visit(path)
  return rings
}

describe("folders are rooms", () => {
  test("each stands in the list of them", () => {
    expect([...new Set(sources.map(roomOf))].sort()).toEqual([...ROOMS].sort())
  })

  test("imports run from later rooms to earlier ones", () => {
    expect(sources.flatMap((path) => backImports(path, read(path)))).toEqual([])
    expect(backImports("src/model/token.ts", `import type { A } from "../ports/TokenStore.ts"\n`)).toHaveLength(1)
    expect(backImports("src/adapters/rpc/wire/abi.ts", `import { a } from "../chain/logs.ts"\n`)).toHaveLength(1)
  })

  test("no file of the whole repository is on a ring of imports, types included", () => {
    const all = listFiles("*.ts", "**/*.ts")
    const targetsOf = (path: string) =>
      importsOf(read(path))
        .filter((imported) => imported.startsWith("."))
        .map((imported) => normalize(join(dirname(path), imported)))
    const rings = ringsOf(new Map(all.map((path) => [path, targetsOf(path)])))
    expect(rings).toEqual([])
    const ring = { a: ["b"], b: ["c", "d"], c: [], d: ["a"] }
    expect(ringsOf(new Map(Object.entries(ring)))).toEqual(["a → b → d → a"])
  })

  test("none holds more than 20 files, but for those with one file a port, and the migrations", () => {
    const counts = Map.groupBy(listFiles("src", "test", "demo", "bench"), dirname)
    const full = [...counts].filter(
      ([folder, files]) =>
        files.length > 20 && !/^src\/(ports|adapters\/memory|adapters\/postgres\/database\/migrations)$/.test(folder),
    )
    expect(full.map(([folder]) => folder)).toEqual([])
  })
})

describe("every source file", () => {
  test("begins by saying what it is for", () => {
    const silent = [...sources, ...scripts].filter(
      (path) => !/^\/\*\* \S.*[^ ] \*\/$/.test(read(path).split("\n")[0] ?? ""),
    )
    const migrations = listFiles("src/**/*.sql").filter((path) => !/^-- \S/.test(read(path)))
    expect([...silent, ...migrations]).toEqual([])
  })

  test("is TypeScript, SQL or JSON, but for what a browser runs", () => {
    const ours = listFiles("src").filter((path) => !path.startsWith(ofBrowsers))
    expect(ours.filter((path) => !/\.(?:ts|sql|json)$/.test(path))).toEqual([])
    expect(scripts.length).toBeGreaterThan(0)
  })

  test("has at most 220 lines", () => {
    expect([...sources, ...scripts].filter((path) => read(path).trimEnd().split("\n").length > 220)).toEqual([])
  })

  test("prints through one of three files: words from outside are made printable there", () => {
    const printing = ["src/adapters/terminal/print.ts", "src/adapters/terminal/progress.ts", "src/main.ts"]
    const isPrinting = (path: string): boolean => /\bconsole\.|\bprocess\.std(?:err|out)\b(?!\.isTTY)/.test(read(path))
    // The first asks a question on the terminal, the second prints where nobody says how.
    const others = ["src/app/commands/drop.ts", "src/adapters/postgres/database/driverFault.ts"]
    expect(sources.filter(isPrinting).sort()).toEqual([...printing, ...others].sort())
  })

  test("runs on any runtime: nothing of one runtime's own", () => {
    expect(sources.filter((path) => /\b(?:Bun|Deno)\.[a-z]|"bun:/.test(read(path)))).toEqual([])
  })
})

test("no test waits inside a matcher for a promise: it would stop its own process meanwhile", () => {
  expect(listFiles("test/*.ts").filter((path) => /\)\s*\.(?:rejects|resolves)\s*\./.test(read(path)))).toEqual([])
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
