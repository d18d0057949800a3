/** Bodies that do not end fill the room of those who send them, and nobody else's. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import { sha256 } from "../support.ts"
import { startWorld } from "../world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
beforeEach(async () => {
  service = await startWorld({
    storeLayer: MemoryStore.layer,
    apiKeysSha256: [sha256("secret")],
    compatShapes: ["alchemy"],
  })
})
afterEach(() => service.close())

const flooder = "192.0.2.1"
const other = "198.51.100.1"
const question = "module=getapilimit&action=getapilimit"
const large = new TextEncoder().encode(`${question}&filler=${"x".repeat(270_000)}`)
const form = { "content-type": "application/x-www-form-urlencoded" }

const post = (
  ip: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  path = "/43114/api",
  headers: Record<string, string> = form,
) => service.app.fetch(new Request(`http://localhost${path}`, { method: "POST", headers, body }), ip)

/** One that has no end until it is told. Settles when its first bytes are held, or it was refused. */
const open = async (ip: string, bytes = large) => {
  const ended = Promise.withResolvers<void>()
  const held = Promise.withResolvers<undefined>()
  let pulls = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (pulls++ === 0) return controller.enqueue(bytes)
        // Who asks for more has taken the first.
        held.resolve(undefined)
        await ended.promise
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const answer = post(ip, body)
  return { refused: await Promise.race([held.promise, answer]), end: ended.resolve, answer }
}
const openMany = (ip: string, count: number) => Promise.all(Array.from({ length: count }, () => open(ip)))

test("one address does not take all of it, and keeps small bodies", async () => {
  const opened = await openMany(flooder, 300)
  const held = opened.filter(({ refused }) => refused === undefined)
  expect(held.length).toBeLessThan(300 / 8)
  expect((await post(other, large)).status).toBe(200)
  expect(await (await post(flooder, question)).json()).toMatchObject({ status: "1" })
  // A configured key is a caller of its own, a made-up one is none.
  expect((await post(flooder, large, "/43114/api", { ...form, apikey: "secret" })).status).toBe(200)
  expect((await post(flooder, large, "/43114/api", { ...form, apikey: "made up" })).status).toBe(503)

  const refused = await post(flooder, large)
  expect([refused.status, await refused.json()]).toEqual([
    503,
    { status: "0", message: "NOTOK", result: "so many large bodies are being read: try again in 5 seconds" },
  ])
  const native = await post(flooder, large, "/data/v1/key/assets/tokens/by-address")
  expect([native.status, native.headers.get("retry-after")]).toEqual([503, "5"])

  for (const { end } of held) end()
  expect((await Promise.all(held.map(({ answer }) => answer))).map(({ status }) => status)).toEqual(held.map(() => 200))
  expect((await post(flooder, large)).status).toBe(200)
})

test("where many addresses take all of it, small bodies pass", async () => {
  const all = await Promise.all(Array.from({ length: 12 }, (_, index) => openMany(`203.0.113.${index}`, 40)))
  const held = all.flat().filter(({ refused }) => refused === undefined)
  expect(held.length).toBeGreaterThan(200)
  expect((await post(other, large)).status).toBe(503)
  const alchemy = "/data/v1/key/assets/tokens/by-address"
  expect([(await post(other, question)).status, (await post(other, "{}", alchemy, {})).status]).toEqual([200, 400])
  for (const { end } of held) end()
  await Promise.all(held.map(({ answer }) => answer))
  expect((await post(other, large)).status).toBe(200)
})
