/** The documentation page: all it names comes from the service itself, and it may load nothing else. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { checkCommonHeaders, type Json, startService, type TestService } from "../support.ts"

let service: TestService
let html: string
let assets: ReadonlyArray<string>
beforeAll(async () => {
  service = await startService()
  html = await (await service.fetch("/docs")).text()
  assets = [...html.matchAll(/(?:src|href)="(\/docs\/[^"]*)"/g)].map(([, path]) => path!)
})
afterAll(() => service.close())

const root = new URL("../../../", import.meta.url)
const textOf = async (path: string): Promise<string> => (await service.fetch(path)).text()
const ofKind = async (extension: string): Promise<ReadonlyArray<string>> =>
  Promise.all(assets.filter((path) => path.endsWith(extension)).map(textOf))

describe("the page", () => {
  test("names files of the service alone, and the document", () => {
    const named = [...html.matchAll(/\b(?:src|href|action|srcset|data|content)="([^"]*)"/g)].map(([, value]) => value!)
    const elsewhere = named.filter((value) => !assets.includes(value) && value !== "/openapi.json")
    expect(elsewhere).toEqual(["width=device-width, initial-scale=1"])
    expect(assets.map((path) => path.replace(/-[0-9a-f]{16}\./, "."))).toEqual([
      "/docs/swagger-ui.css",
      "/docs/docs.css",
      "/docs/swagger-ui.js",
      "/docs/docs.js",
      "/docs/icon.svg",
    ])
  })

  test("holds no script and no style of its own: the policy would not run them", () => {
    expect(html.match(/<script(?! src=)|<style|\son\w+=|\sstyle=/g)).toBeNull()
  })

  test("may load from the service alone, and be shown in no other page", async () => {
    const { headers } = await service.fetch("/docs")
    const policy = Object.fromEntries(
      (headers.get("content-security-policy") ?? "").split("; ").map((rule) => rule.split(/ (.*)/)),
    )
    expect(policy).toMatchObject({
      "default-src": "'none'",
      "script-src": "'self'",
      "style-src": "'self'",
      "img-src": "'self' data:",
      "connect-src": "'self'",
      "frame-ancestors": "'none'",
    })
  })

  test("is the same with a slash behind its path", async () => {
    expect(await textOf("/docs/")).toBe(html)
  })
})

describe("its files", () => {
  test("are of the kind that their name says, and may be kept for ever", async () => {
    const answers = await Promise.all(assets.map(async (path) => (await service.fetch(path)).headers))
    expect(
      answers.map((headers) => [
        headers.get("content-type"),
        headers.get("cache-control"),
        headers.get("x-content-type-options"),
      ]),
    ).toEqual(
      [
        "text/css; charset=utf-8",
        "text/css; charset=utf-8",
        "text/javascript; charset=utf-8",
        "text/javascript; charset=utf-8",
        "image/svg+xml",
      ].map((type) => [type, "public, max-age=31536000, immutable", "nosniff"]),
    )
  })

  test("of style name pictures that stand in them, and no other file", async () => {
    const named = (await ofKind(".css")).flatMap((text) => text.match(/url\([^)]{0,12}|@import[^;]*/g) ?? [])
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((name) => !/^url\(["']?data:/.test(name))).toEqual([])
  })

  test("of script load no further file, and no map of sources", async () => {
    const loads = (await ofKind(".js")).flatMap(
      (text) => text.match(/\bimportScripts\(|\bimport\(|[#@] sourceMappingURL=/g) ?? [],
    )
    expect(loads).toEqual([])
  })

  test("the script of ours asks for the document and the chains, and for no validator", async () => {
    const own = (await ofKind(".js")).at(-1)!
    expect(own.match(/(?:fetch|json)\([^)]*\)/g)).toEqual([
      "fetch(path)",
      "json()",
      'json("/ready")',
      'json("/openapi.json")',
    ])
    expect(own).toContain("validatorUrl: null")
    expect(own).not.toContain("://")
  })

  test("that the page does not name are 404", async () => {
    for (const path of ["/docs/swagger-ui.js", "/docs/..%2fpackage.json", "/docs/%00", "/docs/index.html"]) {
      const { status, body } = await service.get(path)
      expect([path, status, body.code]).toEqual([path, 404, "NOT_FOUND"])
    }
  })
})

describe("every answer about the documentation", () => {
  test("carries the six rate headers and CORS, also to HEAD, to a preflight and as a refusal", async () => {
    for (const path of ["/docs", "/docs/", "/openapi.json", assets[0]!, "/docs/none"])
      for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) checkCommonHeaders(await service.fetch(path, { method }))
  })

  test("to HEAD has no body and the length of the one it would have", async () => {
    for (const path of ["/docs", "/openapi.json", ...assets]) {
      const head = await service.fetch(path, { method: "HEAD" })
      const bytes = (await (await service.fetch(path)).arrayBuffer()).byteLength
      expect([path, head.status, await head.text(), head.headers.get("content-length")]).toEqual([
        path,
        200,
        "",
        `${bytes}`,
      ])
    }
  })

  test("needs no key in strict mode and counts for no limit", async () => {
    const strict = await startService({ strictKeys: true, rateLimitRpm: 1 })
    const seen = []
    for (const path of ["/docs", "/openapi.json", assets[0]!, "/docs"]) seen.push((await strict.fetch(path)).status)
    const { headers } = await strict.fetch("/docs")
    await strict.close()
    expect([...seen, headers.get("x-ratelimit-rpm-remaining")]).toEqual([200, 200, 200, 200, "1"])
  })
})

test("no package runs a script of its own when it is installed", () => {
  const settings = readFileSync(new URL("bunfig.toml", root), "utf8")
  const manifest: Json = JSON.parse(readFileSync(new URL("package.json", root), "utf8"))
  expect(settings).toContain("ignoreScripts = true")
  expect(manifest.trustedDependencies).toBeUndefined()
})
