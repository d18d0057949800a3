/** The packed client: what is in it, its README's examples typed and run by three runtimes, and types that are those of the document. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { callsText, operationsText } from "../../client/generate/operationsText.ts"
import { codesOf, operationsOf, reducedOf } from "../../client/generate/reduced.ts"
import { isMadeOf } from "../../client/generate/stamp.ts"
import { endpoints } from "../../src/adapters/http/endpoints.ts"
import { makeEvents } from "../../src/adapters/http/events/events.ts"
import { publish } from "../../src/adapters/http/openapi/published.ts"
import { type Server, serve } from "../../src/adapters/http/server.ts"
import { startDocumented } from "../http/openapi/documentedWorld.ts"
import type { TestService } from "../http/support.ts"
import { clientFolder, installPacked, tsc } from "./package.ts"

const run = promisify(execFile)
const root = fileURLToPath(new URL("../../", import.meta.url))
const read = (path: string): string => readFileSync(join(clientFolder, path), "utf8")
const digest = (text: string): string => createHash("sha256").update(text).digest("hex")

let service: TestService
let server: Server
let folder: string
const examples = [...read("README.md").matchAll(/```(js|ts)\n([\s\S]*?)```/g)].map(([, kind, text], index) => ({
  file: `example${index}.${kind === "js" ? "mjs" : "mts"}`,
  text: text!,
}))

beforeAll(async () => {
  service = await startDocumented({ heartbeatMs: 50, managersSha256: [digest("the-manager")] })
  server = await serve(service.app, { port: 0, hostname: "127.0.0.1", graceMs: 200 })
  folder = installPacked()
  for (const { file, text } of examples) {
    const ours = text
      .replaceAll("http://127.0.0.1:3000", `http://127.0.0.1:${server.port}`)
      .replaceAll(/(?<=chain\(|chainIds: \[")31337/g, "43114")
    writeFileSync(join(folder, file), ours)
  }
  const scripts = examples.filter(({ file }) => file.endsWith(".mjs"))
  writeFileSync(join(folder, "all.mjs"), scripts.map(({ file }) => `await import("./${file}")`).join("\n"))
  const options = {
    module: "NodeNext",
    target: "ES2022",
    lib: ["ES2022", "DOM"],
    types: [],
    strict: true,
    noEmit: true,
  }
  const compilerOptions = { ...options, checkJs: true, allowJs: true, noUncheckedIndexedAccess: true }
  const files = examples.map(({ file }) => file)
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
})
afterAll(async () => {
  service.app.endStreams()
  await server.stop()
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

describe("what is generated", () => {
  const stale = "the client's types are out of date: run `bun run client:types`"

  test("is made of the document as it is now, and by nobody's hand", async () => {
    const document = JSON.parse(await publish([...endpoints, ...makeEvents({}).endpoints]))
    const operations = operationsOf(document)
    expect(read("src/generated/operations.ts"), stale).toBe(operationsText(operations, codesOf(document)))
    expect(read("src/generated/calls.ts"), stale).toBe(callsText(operations))
    const [types, reduced] = [read("src/generated/schema.ts"), JSON.stringify(reducedOf(document))]
    expect(isMadeOf(types, reduced, digest), stale).toBe(true)
    expect(isMadeOf(types.replace("amount: string", "amount: number"), reduced, digest)).toBe(false)
    expect(isMadeOf(types, reduced.replaceAll("Holder", "Owner"), digest)).toBe(false)
  })

  test("types every object: none takes fields that it does not name, and none is unknown", () => {
    const [, records = ""] = /^export interface components \{\n([\s\S]*?)\n {4}responses: /m.exec(
      read("src/generated/schema.ts"),
    )!
    expect(records).toContain("Erc20Transfer: {")
    expect(records.match(/.*(?:: unknown|Record<string, never>).*/g)).toBeNull()
  })
})

describe("the package", () => {
  const packed = () => join(folder, "node_modules/cowry-client")

  test("has code and types of each module, its README and its licence, and nothing else", () => {
    const modules = readdirSync(join(clientFolder, "src"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .flatMap((path) => [path.replace(/ts$/, "js"), path.replace(/ts$/, "d.ts")])
      .map((path) => join("dist", path))
    const found = readdirSync(packed(), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(packed().length + 1))
    expect(found.toSorted()).toEqual(["LICENSE", "README.md", "package.json", ...modules].toSorted())
    expect(readFileSync(join(packed(), "LICENSE"), "utf8")).toBe(readFileSync(join(root, "LICENSE"), "utf8"))
  })

  test("is of no runtime: it imports itself and openapi-fetch", () => {
    const scripts = readdirSync(join(packed(), "dist"), { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".js"),
    )
    const texts = scripts.map((path) => readFileSync(join(packed(), "dist", path), "utf8")).join("\n")
    const foreign = [...texts.matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"/g)].map(([, one, two]) => one ?? two!)
    expect([...new Set(foreign.filter((name) => !name.startsWith(".")))]).toEqual(["openapi-fetch"])
    expect(foreign.filter((name) => name.endsWith(".ts"))).toEqual([])
    expect(texts).not.toMatch(/\b(?:Bun|Deno|process|Buffer|require)\b[.(]/)
  })

  test("has the service's version, and is not installed where that runs", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    expect(manifest.workspaces).toEqual(["client"])
    expect(JSON.parse(read("package.json")).version).toBe(manifest.version)
    expect(manifest.scripts.start).toContain("--filter cowry ")
    expect(readFileSync(join(root, "Dockerfile"), "utf8")).not.toContain("client")
  })
})

describe("the README's examples", () => {
  test("are there", () => {
    expect(examples.length).toBeGreaterThan(5)
  })

  test("are typed as they stand, against the packed types", async () => {
    const checked = await run(process.execPath, [tsc, "-p", folder]).catch((error: { stdout: string }) => error)
    expect(checked.stdout).toBe("")
  })

  test("say the same on Bun, on Node.js and on Deno", async () => {
    const deno = readdirSync(join(root, "node_modules/@deno")).map((name) =>
      join(root, "node_modules/@deno", name, "deno"),
    )
    const programs: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      [process.execPath, []],
      ["node", []],
      [deno.find((path) => existsSync(path))!, ["run", "--allow-net", "--no-lock", "--node-modules-dir=manual"]],
    ]
    const shown: Array<string> = []
    // One after the other: each lists the webhooks that there are.
    for (const [program, words] of programs) {
      const { stdout, stderr } = await run(program, [...words, "all.mjs"], {
        cwd: folder,
        env: { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      })
      shown.push(shownOf(stdout) + stderr)
    }
    const [onBun, onNode, onDeno] = shown
    expect(onBun).toContain("moved in all: 1250251505000000000006000000")
    expect(onNode).toBe(onBun!)
    expect(onDeno).toBe(onBun!)
  })

  test("run as TypeScript too", async () => {
    const typed = examples.filter(({ file }) => file.endsWith(".mts"))
    expect(typed.length).toBeGreaterThan(0)
    for (const { file } of typed) {
      const { stdout } = await run(process.execPath, [file], { cwd: folder })
      expect(stdout.trim().split("\n").length).toBeGreaterThan(1)
    }
  })
})

/** Runtimes print structures each in their own way: blanks, quotes and line breaks do not count. */
const shownOf = (text: string): string => text.replaceAll(/[\s"']+/g, " ")
