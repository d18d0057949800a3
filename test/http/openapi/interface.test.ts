/** The prose for users against the service: it names all there is, and its examples are answers that the service can give. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { actions } from "../../../src/adapters/http/compat/actions.ts"
import { problems } from "../../../src/adapters/http/contract/statuses.ts"
import { endpoints } from "../../../src/adapters/http/endpoints.ts"
import { documentOf } from "../../../src/adapters/http/openapi/document.ts"
import { rateHeaderNames } from "../support.ts"
import { documented } from "./documented.ts"
import { eventEndpoints } from "./documentedEvents.ts"
import { withPathsTable } from "./pathsTable.ts"
import { validatorOf } from "./validator.ts"

const prose = readFileSync(new URL("../../../docs/interface.md", import.meta.url), "utf8")
const base = "/v2/network/mainnet/evm/31337"
const { complaint } = validatorOf(JSON.parse(JSON.stringify(documentOf(endpoints))))

/** Path and answer of each example that has a body. */
const examples = [...prose.matchAll(/^\$ curl -s "?(\S+?)"?\n(\{[\s\S]*?)\n```/gm)].map(([, url = "", body = ""]) => ({
  path: url.replace("$base", base).replace("http://127.0.0.1:3000", "").split("?")[0]!,
  body: JSON.parse(body),
}))

/** The row of the endpoint table that a path belongs to. */
const rowOf = (path: string): string | undefined =>
  documented.find((endpoint) => new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))?.path

test("every example is an answer that the document describes", () => {
  expect(examples.length).toBeGreaterThan(14)
  const complaints = examples.map(({ path, body }) => {
    const row = rowOf(path)
    return [path, row === undefined ? "no such path" : complaint(row, { status: body.statusCode ?? 200, body })]
  })
  expect(complaints).toEqual(examples.map(({ path }) => [path, undefined]))
})

test("every path, parameter, action, code and header is named", () => {
  const paths = documented.map(({ path }) => path.replace("/v2/network/{networkId}/evm/{chainId}", ""))
  const parameters = [...documented, ...actions].flatMap(({ doc }) => Object.keys(doc.query))
  const codes = Object.values(problems).map(({ code }) => code)
  const words = [...paths, ...parameters, ...actions.map(({ action }) => action), ...codes, ...rateHeaderNames]
  const missing = new Set(words.filter((word) => !prose.includes(word)))
  expect([...missing]).toEqual([])
})

test("every path, parameter, method and event of the stream and of webhooks is named in their own prose", () => {
  const own = readFileSync(new URL("../../../docs/events.md", import.meta.url), "utf8")
  const calls = eventEndpoints.flatMap(({ path, doc }) =>
    path.startsWith("/v2/webhooks") ? Object.keys(doc.methods!).map((method) => `${method.toUpperCase()} ${path}`) : [],
  )
  const parameters = eventEndpoints.flatMap(({ doc }) => Object.keys(doc.query))
  const events = eventEndpoints.flatMap(({ doc }) => Object.keys(doc.methods!.get?.parts ?? {}))
  expect(calls.length).toBe(6)
  expect(events.length).toBe(7)
  expect([...calls, ...parameters, ...events].filter((word) => !own.includes(word))).toEqual([])
})

test("the table of paths is that of the endpoints", () => {
  // Not so any more? `bun test/http/openapi/documented.ts` writes it down anew.
  expect(withPathsTable(prose)).toBe(prose)
})

test("every link within it leads to a heading", () => {
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
    text!
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .trim()
      .replaceAll(" ", "-"),
  )
  const links = [...prose.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor]) => anchor!)
  expect(links.length).toBeGreaterThan(0)
  expect(links.filter((link) => !headings.includes(link))).toEqual([])
})
