/** The stream of events and webhooks in the document: every method, what it is sent, what it answers and refuses. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { examples } from "../../../src/adapters/http/openapi/examples.ts"
import type { Json, TestService } from "../support.ts"
import { eventEndpoints, framesOf } from "./documentedEvents.ts"
import { startDocumented } from "./documentedWorld.ts"
import { validatorOf } from "./validator.ts"

let service: TestService
let published: Json
beforeAll(async () => {
  service = await startDocumented()
  published = (await service.get("/openapi.json")).body
})
afterAll(async () => {
  service.app.endStreams()
  await service.close()
})

const rows = eventEndpoints.flatMap(({ path, doc, methods }) =>
  Object.entries(doc.methods!).map(([method, row]) => ({ path, method, methods, ...row })),
)
const [streamPath] = eventEndpoints.map(({ path }) => path)

test("has the methods that the paths answer, each with examples", () => {
  expect(rows.map(({ path, method }) => published.paths[path][method].operationId).sort()).toEqual(
    Object.keys(examples.methods).sort(),
  )
  for (const { path, methods } of eventEndpoints) {
    const shown = Object.keys(published.paths[path]).map((method) => method.toUpperCase())
    const answered = (methods ?? ["GET"]).filter((method) => method !== "OPTIONS")
    expect([path, shown]).toEqual([path, [...answered]])
  }
})

test.each(rows)(
  "$operationId: what is sent, answered and refused fits its schemas",
  ({ path, method, operationId, status = 200, media }) => {
    const { complaint, requestComplaint } = validatorOf(published)
    const { answer, refusals } = examples.methods[operationId]!
    expect([answer.status, complaint(path, answer, { method, media })]).toEqual([status, undefined])
    if (published.paths[path][method].requestBody !== undefined) {
      expect(requestComplaint(path, method, answer.sent)).toBeUndefined()
      expect(requestComplaint(path, method, { filters: {} })).toBeDefined()
    }
    const complaints = Object.entries(refusals).map(([name, refusal]) => [name, complaint(path, refusal, { method })])
    expect(complaints).toEqual(Object.keys(refusals).map((name) => [name, undefined]))
    expect(Object.keys(refusals).length).toBeGreaterThan(0)
    expect(complaint(path, { ...answer, body: { id: 7 } }, { method, media })).toBeDefined()
  },
)

test.each(rows)("$operationId: every parameter has a description, a schema and an example", ({ path, method }) => {
  const { parameters } = published.paths[path][method]
  for (const { name, description, schema, example } of parameters) {
    const isWhole = description !== "" && schema?.type !== undefined && example !== undefined
    expect([name, isWhole]).toEqual([name, true])
  }
})

describe("the data of events", () => {
  test("of every kind of row, and of a heartbeat, fits the shape that is shown", async () => {
    const { eventComplaint } = validatorOf(published)
    const path = streamPath!.replace("{networkId}", "mainnet").replace("{chainId}", "43114")
    const text = await framesOf(service, `${path}?after=beginning`, (text) => /^event: heartbeat$/m.test(text))
    const frames = text.split("\n\n").flatMap((frame) => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/m.exec(frame) ?? []
      return name === undefined ? [] : [{ name, data: JSON.parse(data!) as Json }]
    })
    expect(frames.map(({ name, data }) => eventComplaint(streamPath!, name, data)).filter(Boolean)).toEqual([])
    expect([...new Set(frames.map(({ name }) => name))].sort()).toEqual([
      "finalized",
      "heartbeat",
      "swap",
      "token",
      "transfer",
    ])
    const { data } = frames.find(({ name }) => name === "heartbeat")!
    expect(eventComplaint(streamPath!, "heartbeat", { ...data, block: "7" })).toBeDefined()
  })
})

test("every header of their answers is documented", async () => {
  const own = (headers: Headers) =>
    [...headers.keys()].filter((name) => /^(?:x-(?!accel)|etag$|cache-control$)/.test(name))
  const over = new AbortController()
  const path = streamPath!.replace("{networkId}", "mainnet").replace("{chainId}", "43114")
  const answers = [
    [streamPath!, await service.fetch(`${path}?foo=1`, { signal: over.signal })],
    ["/v2/webhooks", await service.fetch("/v2/webhooks?foo=1")],
  ] as const
  for (const [of, { status, headers, body }] of answers) {
    const shown = Object.keys(published.paths[of].get.responses[status].headers)
    expect([of, own(headers).filter((name) => !shown.includes(name) && name !== "x-ignored-parameters")]).toEqual([
      of,
      [],
    ])
    await body?.cancel()
  }
  over.abort()
})
