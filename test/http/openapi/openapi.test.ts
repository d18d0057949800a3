/** The OpenAPI document: valid, whole, derived from the tables, and each of its examples what the service answers today. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import { actions } from "../../../src/adapters/http/compat/actions.ts"
import { problems } from "../../../src/adapters/http/contract/statuses.ts"
import { endpoints } from "../../../src/adapters/http/endpoints.ts"
import { documentOf } from "../../../src/adapters/http/openapi/document.ts"
import { examples } from "../../../src/adapters/http/openapi/examples.ts"
import type { Json, TestService } from "../support.ts"
import { documented, pathOf, queryBeside, queryOf, recordExamples } from "./documented.ts"
import { eventEndpoints } from "./documentedEvents.ts"
import { startDocumented } from "./documentedWorld.ts"
import { validatorOf } from "./validator.ts"

let service: TestService
let published: Json
beforeAll(async () => {
  service = await startDocumented()
  published = (await service.get("/openapi.json")).body
})
afterAll(() => service.close())

/** Every object in it, with the way to it. */
const walk = (value: Json, visit: (node: Json, way: string) => void, way = "#"): void => {
  if (typeof value !== "object" || value === null) return
  visit(value, way)
  for (const [name, child] of Object.entries(value)) walk(child, visit, `${way}/${name}`)
}
const at = (pointer: string): Json =>
  pointer
    .slice(2)
    .split("/")
    .reduce((node, part) => node?.[part.replaceAll("~1", "/").replaceAll("~0", "~")], published)

describe("the document", () => {
  test("is valid OpenAPI 3.1 by a public validator, which refuses a broken one", async () => {
    expect(published.openapi).toBe("3.1.0")
    expect(await new Validator().validate(published)).toEqual({ valid: true })
    const { info: _, ...broken } = published
    expect((await new Validator().validate(broken)).valid).toBe(false)
  })

  test("has no dangling reference, and no schema of a record that nothing refers to", () => {
    const references = new Set<string>()
    walk(published, ({ $ref }) => $ref !== undefined && references.add($ref))
    expect([...references].filter((reference) => at(reference) === undefined)).toEqual([])
    const schemas = Object.keys(published.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect(schemas.filter((schema) => !references.has(schema))).toEqual([])
  })

  test("is published by @elysiajs/swagger as it was derived", () => {
    expect(published).toEqual(JSON.parse(JSON.stringify(documentOf([...endpoints, ...eventEndpoints]))))
  })

  test("has the version of the package", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"))
    expect(published.info.version).toBe(version)
  })

  test("says in prose which methods there are, as its operations have them", () => {
    const [, said = ""] = /\*\*Methods\.\*\* (.*)/.exec(published.info.description) ?? []
    const methods = Object.values<Json>(published.paths).flatMap((path) => Object.keys(path))
    for (const method of new Set(methods)) expect(said).toContain(method.toUpperCase())
  })

  test("has a GET for each path of the endpoint table, and a POST where forms are taken, each with an id of its own", () => {
    expect(Object.keys(published.paths)).toEqual([...documented, ...eventEndpoints].map(({ path }) => path))
    const operations = Object.values<Json>(published.paths).flatMap((path) => Object.values<Json>(path))
    const forms = documented.filter(({ style }) => style === "compat")
    const ofEvents = Object.keys(examples.methods).length
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(
      documented.length + forms.length + ofEvents,
    )
    expect(forms.every(({ path }) => published.paths[path].post.requestBody !== undefined)).toBe(true)
  })

  test("names the schemes by which a key may be sent, and asks none of health and readiness", () => {
    expect(published.security).toEqual([{}, { header: [] }, { query: [] }, { bearer: [] }])
    expect([published.paths["/health"].get.security, published.paths["/ready"].get.security]).toEqual([[], []])
  })
})

describe("every parameter", () => {
  test("of the table is documented, with a description, a schema and an example", () => {
    for (const { path, doc, open, style, about } of documented) {
      const { parameters } = published.paths[path].get
      const strict = open === true || style === "compat" ? [] : [["query", "strict"]]
      const ofChain = style === "compat" || about.kind !== "service" ? [["header", "x-min-block"]] : []
      const inHeader = open === true ? [] : [["header", "If-None-Match"], ...ofChain]
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ["path", name])
      const inQuery = Object.keys(doc.query).map((name) => ["query", name])
      expect(parameters.map((parameter: Json) => [parameter.in, parameter.name])).toEqual([
        ...inPath,
        ...inQuery,
        ...strict,
        ...inHeader,
      ])
      for (const { name, description, schema, example } of parameters) {
        const complete = description !== "" && schema.type !== undefined && example !== undefined
        expect([path, name, complete]).toEqual([path, name, true])
      }
    }
  })

  test("shows the default and the bounds that its row has", () => {
    const find = (path: string, name: string) =>
      published.paths[`/v2/network/{networkId}/evm/{chainId}${path}`].get.parameters.find(
        (parameter: Json) => parameter.name === name,
      ).schema
    expect(find("/erc20", "limit")).toEqual({ type: "integer", minimum: 1, maximum: 1000, default: 25 })
    expect(find("/erc20", "sort").default).toBe("createdAt,desc")
    expect(find("/top-erc20", "sort").default).toBe("marketCap,desc")
    expect(find("/erc721-transfers", "tokenId").maxItems).toBe(50)
    expect(find("/erc20-transfers", "blockNumberTo")).toEqual({ type: "integer", minimum: 0, maximum: 2 ** 53 - 1 })
    expect(find("/compat/api", "page")).toEqual({ type: "integer", minimum: 1, maximum: 10_000, default: 1 })
  })

  test("has an example that fits its own schema and that the service answers with rows", async () => {
    const ajv = new Ajv2020({ coerceTypes: true })
    const questions = documented.filter(({ doc }) => Object.hasOwn(doc.query, "limit"))
    for (const endpoint of questions) {
      const { parameters } = published.paths[endpoint.path].get
      for (const parameter of parameters.filter((one: Json) => one.in === "query")) {
        const { name, example, schema } = parameter
        const fits = ajv.validate(schema, example)
        const text = [example].flat().join(",")
        const beside =
          name === "tokenId" && parameters.some((one: Json) => one.name === "tokenAddress")
            ? `&tokenAddress=${parameters.find((one: Json) => one.name === "tokenAddress").example}`
            : ""
        const { status, body } = await service.get(
          pathOf(endpoint) + queryBeside(endpoint, name, `${name}=${text}${beside}`),
        )
        const hasRows = (body.items ?? []).length > 0
        expect([endpoint.id, name, fits, status, hasRows]).toEqual([endpoint.id, name, true, 200, true])
      }
    }
  })
})

const pathOfId = (id: string): string => documented.find((endpoint) => endpoint.id === id)!.path

describe("every answer", () => {
  test("that the document shows is what the service answers", async () => {
    // Not so any more? `bun test/http/openapi/documented.ts && bun run format` writes them down anew.
    expect(JSON.parse(JSON.stringify(await recordExamples()))).toEqual(examples as unknown as Json)
  })

  test("of each endpoint and each refusal fits the schema of its status", () => {
    const { complaint } = validatorOf(published)
    const natives = documented.filter(({ style }) => style === "native")
    const exchanges = [
      ...natives.map(({ id, path }) => [path, examples.answers[id]!] as const),
      ...Object.entries(examples.refusals).flatMap(([id, refusals]) =>
        Object.values(refusals).map((exchange) => [pathOfId(id), exchange] as const),
      ),
      ...Object.values(examples.actions).map((exchange) => [pathOfId("compat"), exchange] as const),
      ...Object.values(examples.common.compat).map((exchange) => [pathOfId("compat"), exchange] as const),
      ...Object.entries(examples.common.native).flatMap(([code, exchange]) =>
        code === "NOT_FOUND"
          ? []
          : natives
              .filter(({ open, about, cost }) => {
                const readsLedger = about.kind !== "service" && cost !== undefined
                return open !== true && (!["CHAIN_SYNCING", "BEHIND_MIN_BLOCK"].includes(code) || readsLedger)
              })
              .map(({ path }) => [path, exchange] as const),
      ),
    ]
    expect(exchanges.map(([path, exchange]) => [path, exchange.request, complaint(path, exchange)])).toEqual(
      exchanges.map(([path, exchange]) => [path, exchange.request, undefined]),
    )
  })

  test("of each action has a result that fits the action's own schema", () => {
    const { actionComplaint } = validatorOf(published)
    const results = actions.map(({ module, action }) => (examples.actions[`${module}/${action}`]!.body as Json).result)
    expect(results.map((result, index) => actionComplaint(index, result))).toEqual(results.map(() => undefined))
  })

  test("with a field missing, a field too many or a value of another kind does not fit", () => {
    const { complaint, actionComplaint } = validatorOf(published)
    const path = pathOfId("erc20/holders")
    const { body } = examples.answers["erc20/holders"] as { readonly body: Json }
    const [{ balance, ...rest }] = body.items
    const withItem = (item: Json) => complaint(path, { status: 200, body: { ...body, items: [item] } })
    expect(
      [
        withItem({ ...rest, balance }),
        withItem(rest),
        withItem({ ...rest, balance, extra: 1 }),
        withItem({ ...rest, balance: 7 }),
        complaint(path, { status: 200, body: { items: [] } }),
        complaint(path, { status: 418, body }),
        complaint(path, { status: 400, body: { statusCode: 400, code: "NOT_FOUND", error: "", message: "" } }),
        actionComplaint(0, 7),
      ].map((complaint) => complaint === undefined),
    ).toEqual([true, false, false, false, false, false, false, false])
  })
})

describe("every refusal", () => {
  test("that the table of problems has is documented with an example: status and code", () => {
    const shown = new Set<string>()
    walk(published, ({ value }) => {
      if (value?.statusCode !== undefined) shown.add(`${value.statusCode} ${value.code}`)
    })
    const listed = Object.values(problems).map(({ status, code }) => `${status} ${code}`)
    expect([...shown].sort()).toEqual([...new Set(listed)].sort())
  })

  test("of an operation, and every other answer, has a description and an example for each of its codes", () => {
    const operations = Object.entries<Json>(published.paths).flatMap(([path, { get, ...others }]) => {
      const isOfEvents = eventEndpoints.some((endpoint) => endpoint.path === path)
      const all = isOfEvents ? [get, ...Object.values<Json>(others)] : [get]
      return all.filter((operation) => operation !== undefined).map((operation) => [path, operation] as const)
    })
    for (const [path, { responses }] of operations) {
      const withBody = Object.entries<Json>(responses).filter(([status]) => status !== "304")
      for (const [status, { description, content }] of withBody) {
        const { schema, examples: shown = {} } = content["application/json"] ?? content["text/event-stream"]
        const codes: ReadonlyArray<string> = schema.allOf?.[1]?.properties.code.enum ?? []
        const given = Object.values<Json>(shown).map(({ value }) => value.code)
        expect([path, status, codes.filter((code) => !given.includes(code))]).toEqual([path, status, []])
        expect([path, status, given.length > 0, description !== ""]).toEqual([path, status, true, true])
      }
    }
  })

  test("of the compatibility endpoint is shown in its own words", () => {
    const { examples: shown } = published.paths[pathOfId("compat")].get.responses[200].content["application/json"]
    const texts = Object.values<Json>(shown)
      .filter(({ value }) => value.status === "0")
      .map(({ value }) => value.result ?? value.message)
    expect(texts).toEqual([
      "Error! Missing Or invalid Module name",
      "Error! Missing Or invalid Action name",
      "Error! Invalid address format",
      "Error! Invalid contract address format",
      "Error! Invalid block number",
      "Error! Invalid block number: expected a block up to the indexed head 1000003, got 2000000",
      "Error! Invalid block number: block 1 is before the indexed history, which starts at block 1000000",
      "Error! Invalid block number",
      "Error! chainid 1 is not the chain of this path, which is 43114",
      "Result window is too large, PageNo x Offset size must be less than or equal to 10000",
      "Error! the supply is not known: the ledger, which starts at block 1000000, has no event of the contract, and it could not be asked",
      "chain not supported",
      "Invalid API Key",
    ])
  })
})

describe("every header", () => {
  test("that an answer carries is documented for it", async () => {
    /** Which say what block a time came to mean. */
    const ofBlock: Array<string> = []
    for (const endpoint of documented.filter(({ style }) => style === "native")) {
      const { id, path, doc } = endpoint
      const asked = [queryOf(endpoint)]
      if (Object.hasOwn(doc.query, "timestamp")) asked.push(queryOf(endpoint, "timestamp=2026-01-01T00:00:40Z"))
      const shown = Object.keys(published.paths[path].get.responses[200].headers)
      for (const query of asked) {
        const { status, headers } = await service.fetch(pathOf(endpoint) + query)
        const own = [...headers.keys()].filter((name) => /^(?:x-|etag$|cache-control$)/.test(name))
        expect([id, query, status, own.filter((name) => !shown.includes(name))]).toEqual([id, query, 200, []])
        if (headers.has("x-at-block")) ofBlock.push(id)
      }
    }
    expect(ofBlock.length).toBeGreaterThan(5)
    expect(ofBlock).toContain("address/portfolio")
  })

  test("of an answer with a tag is one of a 304 too, which has no body", async () => {
    for (const { path, open } of documented) {
      const { 200: whole, 304: known } = published.paths[path].get.responses
      expect([path, known?.headers, known?.content]).toEqual([
        path,
        open === true ? undefined : whole.headers,
        undefined,
      ])
      expect([path, whole.headers.etag !== undefined]).toEqual([path, open !== true])
    }
  })

  test("has an example", () => {
    const silent = Object.entries<Json>(published.components.headers).filter(([, { example }]) => example === undefined)
    expect(silent).toEqual([])
  })
})
