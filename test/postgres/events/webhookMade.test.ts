/** A webhook whose making lost its answer on the way: it is made once, and its maker hears of it. */
import { expect, test } from "bun:test"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as PostgresDatabase from "../../../src/adapters/postgres/database/PostgresDatabase.ts"
import * as PostgresWebhooks from "../../../src/adapters/postgres/registry/PostgresWebhooks.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { WebhookStore } from "../../../src/ports/WebhookStore.ts"
import { testSettings } from "../../support/givenServer.ts"

/** Between a client and the server of `url`: ends the connection in place of the first answer that says `words`. */
const startLosing = async (url: URL, words: string) => {
  const sockets = new Set<Socket>()
  let lost = 0
  const server = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => {})
    }
    client.on("data", (data) => void upstream.write(data))
    client.on("close", () => upstream.destroy())
    upstream.on("close", () => client.destroy())
    upstream.on("data", (data) => {
      if (lost > 0 || !data.includes(words)) return void client.write(data)
      lost++
      client.destroy()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { port, lost: () => lost, stop }
}

test("the connection goes between its commit and the answer", async () => {
  const settings = await testSettings()
  const losing = await startLosing(new URL(settings.url), "INSERT 0 1")
  const url = Object.assign(new URL(settings.url), { hostname: "127.0.0.1", port: String(losing.port) }).href
  // The registry is made over the server itself.
  await Effect.runPromise(Effect.scoped(Layer.build(PostgresDatabase.layer(settings))))
  const runtime = ManagedRuntime.make(
    PostgresWebhooks.layer.pipe(Layer.provide(PostgresDatabase.layer({ ...settings, url }))),
  )
  const store = <A, E>(work: (it: WebhookStore["Service"]) => Effect.Effect<A, E>) =>
    runtime.runPromise(WebhookStore.use(work))
  const webhook = { id: "one", url: "https://example.com/", secret: "whsec_none", chains: [ChainId.make("1")] }
  try {
    await store((it) => it.create({ ...webhook, filter: {}, onlyFinal: false, createdAt: 1, positions: "" }))
    expect(losing.lost()).toBe(1)
    expect((await store((it) => it.list)).map(({ id }) => id)).toEqual(["one"])
    // A change of what was seen is none where a batch went out since.
    const seen = (await store((it) => it.find("one")))!
    const batch = { id: "msg_1", body: "{}", positions: "", awaited: {} }
    expect(await store((it) => it.begin(seen, batch))).toBe(true)
    expect(await store((it) => it.change("one", { state: "paused" }, seen))).toBe(false)
    expect(await store((it) => it.change("one", { state: "paused" }, { ...seen, batch }))).toBe(true)
    // What its receiver may have is kept with its positions, where it is made and where they are changed.
    const awaited = { "1": [7, 9] as const }
    const another = { ...webhook, id: "two", filter: {}, onlyFinal: false, createdAt: 2, positions: "", awaited }
    await store((it) => it.create(another))
    expect((await store((it) => it.find("two")))!.awaited).toEqual(awaited)
    expect(await store((it) => it.change("one", { positions: "", awaited }))).toBe(true)
    const changed = (await store((it) => it.find("one")))!
    expect([changed.awaited, changed.batch]).toEqual([awaited, undefined])
  } finally {
    await runtime.dispose()
    losing.stop()
  }
})
