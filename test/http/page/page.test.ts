/** The page at `/`: all it names comes from the service itself, it is small, and `UI=off` leaves none of it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { startService, type TestService } from "../support.ts"

let service: TestService
let html: string
let named: ReadonlyArray<string>
beforeAll(async () => {
  service = await startService()
  html = await (await service.fetch("/")).text()
  named = [...html.matchAll(/\b(?:src|href|action)="([^"]*)"/g)].map(([, path]) => path!)
})
afterAll(() => service.close())

const folder = new URL("../../../src/adapters/http/page/files/", import.meta.url)
const root = () => named.find((path) => path.endsWith("/main.js"))!.replace("main.js", "")
const served = readdirSync(folder).filter((name) => /\.(?:js|css|svg)$/.test(name))
const plots = ["uPlot.iife.min.js", "uPlot.min.css"]
const textOf = async (path: string): Promise<string> => (await service.fetch(path)).text()

describe("the page", () => {
  test("is answered with a policy that lets it load from the service alone", async () => {
    const response = await service.fetch("/")
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
    const policy = response.headers.get("content-security-policy")!.split("; ")
    expect(policy[0]).toBe("default-src 'none'")
    expect(policy.slice(1).filter((rule) => !/ '(?:self|none)'$/.test(rule))).toEqual([])
  })

  test("names nothing outside the service, and holds no script and no style of its own", async () => {
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((path) => !/^(?:\/|#)(?!\/)/.test(path))).toEqual([])
    expect(html.match(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/g)).toBeNull()
    for (const name of served) {
      const addresses = (await textOf(root() + name)).match(/https?:\/\/[^\s"'`)]+/g) ?? []
      expect(addresses.filter((url) => url !== "http://www.w3.org/2000/svg")).toEqual([])
    }
  })

  test("has every file that it and its scripts name, kept for ever, of the type that it is", async () => {
    const types = { js: "text/javascript", css: "text/css", svg: "image/svg+xml" } as const
    for (const name of [...served, ...plots]) {
      const response = await service.fetch(root() + name)
      expect([name, response.status]).toEqual([name, 200])
      expect(response.headers.get("content-type")).toStartWith(types[name.split(".").at(-1) as keyof typeof types])
      expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
      const text = await response.text()
      const imports = [...text.matchAll(/\bfrom "\.\/([^"]+)"/g)].map(([, file]) => file!)
      expect(imports.filter((file) => !served.includes(file))).toEqual([])
    }
    const old = await service.fetch(`/ui/0000000000000000/main.js`)
    expect(old.status).toBe(404)
    expect((await service.fetch(`${root()}..%2f..%2fapp.ts`)).status).toBe(404)
  })

  test("is under 150 kB compressed in all", async () => {
    const texts = await Promise.all(["/", ...[...served, ...plots].map((name) => root() + name)].map(textOf))
    expect(texts.reduce((sum, text) => sum + gzipSync(text).length, 0)).toBeLessThan(150_000)
  })

  test("is told the chains with their networks", async () => {
    const chains = (await (await service.fetch("/ui/chains.json")).json()) as ReadonlyArray<Record<string, string>>
    const found = chains.find(({ chainId }) => chainId === "43114")
    expect(found?.network).toBe("mainnet")
  })
})

test("UI=off leaves nothing of it", async () => {
  const without = await startService({ ui: false })
  for (const path of ["/", "/ui/chains.json", `${root()}main.js`]) expect((await without.fetch(path)).status).toBe(404)
  await without.close()
})

test("dollars are rounded, not cut: to cents, and below one to four digits", async () => {
  const { dollars, dollarsOf18 } = await import(new URL("format.js", folder).href)
  const shown = {
    "0.0199": "$0.0199",
    "0.9996": "$0.9996",
    "0.99996": "$1.00",
    "0.123456": "$0.1235",
    "0.5": "$0.50",
    "0.00001234549": "$0.00001235",
    "0.000001": "$0.000001",
    "0.00999996": "$0.01",
    "0": "$0.00",
    "0.000": "$0.00",
    "1": "$1.00",
    "1.004999": "$1.00",
    "1.005": "$1.01",
    "9.999": "$10.00",
    "999999.995": "$1\u202f000\u202f000.00",
    "123456789012345678901.239": "$123\u202f456\u202f789\u202f012\u202f345\u202f678\u202f901.24",
  }
  expect(Object.fromEntries(Object.keys(shown).map((text) => [text, dollars(text)]))).toEqual(shown)
  expect([dollars(undefined), dollarsOf18("19900000000000000"), dollarsOf18("1")]).toEqual([
    "–",
    "$0.0199",
    "$0.000000000000000001",
  ])
})

test("an amount of which nobody knows the decimals is said to be raw, and one that is not known is none", async () => {
  const { amount } = await import(new URL("format.js", folder).href)
  expect(amount("1234567", 6)).toBe("1.234567")
  expect(amount("1234567", 0)).toBe("1\u202f234\u202f567")
  expect(amount("-1234567", undefined)).toBe("−1\u202f234\u202f567 raw")
  expect(amount(undefined, 18)).toBe("–")
})
