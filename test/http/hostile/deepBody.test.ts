/** Bodies that are nested very deep: they can be parsed, and nothing that walks through them or writes them comes to an end. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { shapeNames } from "../../../src/adapters/http/shapes/shapes.ts"
import { sha256, startService, type TestService } from "../support.ts"

const key = "manager"
let service: TestService
beforeAll(async () => {
  service = await startService({ managersSha256: [sha256(key)], compatShapes: shapeNames })
})
afterAll(() => service.close())

const ask = async (path: string, body: string) => {
  const init = {
    method: "POST",
    body,
    headers: { apikey: key, "content-type": "application/json", accept: "application/json, text/event-stream" },
  }
  const response = await service.fetch(path, init)
  return { status: response.status, text: await response.text() }
}
const lists = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

const alchemy = "/data/v1/secret-word/assets/tokens/by-address"
test.each([
  ["/v2/webhooks", (deep: string) => `{"url":${deep}}`],
  ["/v2/webhooks", (deep: string) => `{"url":"http://127.0.0.1:1","filter":{"kind":${deep}}}`],
  [alchemy, (deep: string) => `{"addresses":${deep}}`],
  [alchemy, (deep: string) => `{"addresses":[{"address":${deep}}]}`],
  [
    "/mcp",
    (deep: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"x":${deep}}}}`,
  ],
  ["/mcp", (deep: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`],
])("%s is told that its body is too deep", async (path, bodyOf) => {
  for (const depth of [65, 30_000, 100_000]) {
    const { status, text } = await ask(path, bodyOf(lists(depth)))
    expect([depth, status, text]).toEqual([depth, 400, expect.stringContaining("nested at most 64 deep")])
  }
  expect((await ask(path, bodyOf(lists(60)))).text).not.toContain("nested at most")
})

test("brackets in a text count for nothing", async () => {
  const { text } = await ask("/v2/webhooks", JSON.stringify({ url: `\\"${"[{".repeat(1000)}`, filter: {} }))
  expect(text).not.toContain("nested at most")
})
