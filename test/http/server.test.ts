/** The real server on a real socket. */
import { expect, test } from "bun:test"
import { connect } from "node:net"
import { Deferred, Effect, Layer } from "effect"
import { serve } from "../../src/adapters/http/server.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { always } from "../support/always.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { failureOf, problemOf } from "../support/failure.ts"
import { type Json, prefix, startService, store } from "./support.ts"
import { startWorld } from "./world.ts"

const token = address(0x70)
const local = { port: 0, hostname: "127.0.0.1" }

/** What the server sends back to these bytes, until it closes. */
const raw = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = ""
    const socket = connect(port, local.hostname, () => socket.write(text))
    socket.on("data", (chunk) => {
      received += chunk
    })
    socket.on("close", () => resolve(received))
    socket.on("error", reject)
  })

test("a request in flight finishes when the server stops, and nothing new is accepted", async () => {
  const started = Deferred.makeUnsafe<void>()
  const release = Deferred.makeUnsafe<void>()
  const empty = { asOf: [], value: { items: [], keys: [], hasMore: false } }
  const read = Deferred.succeed(started, undefined).pipe(Effect.andThen(Deferred.await(release)), Effect.as(empty))
  const service = await startService({
    replace: Layer.succeed(TokenStore, always(Effect.die("not asked"), { list: () => read })),
  })
  const server = await serve(service.app, local)
  const base = `http://127.0.0.1:${server.port}`
  // An idle connection kept alive must not hold the stop up.
  expect((await fetch(`${base}/health`)).status).toBe(200)
  const inFlight = fetch(`${base}${prefix("43114")}/erc20`)
  await Effect.runPromise(Deferred.await(started))
  let isStopped = false
  const stopped = server.stop().then(() => {
    isStopped = true
  })
  await failureOf(fetch(`${base}/health`, { keepalive: false }))
  expect(isStopped).toBe(false)
  await Effect.runPromise(Deferred.succeed(release, undefined))
  const response = await inFlight
  expect([response.status, await response.json()]).toEqual([200, { items: [], link: {} }] as Json)
  await stopped
  expect(isStopped).toBe(true)
  await service.close()
})

test("a request that never ends is cut when the grace is over", async () => {
  const started = Deferred.makeUnsafe<void>()
  const never = Deferred.succeed(started, undefined).pipe(Effect.andThen(Effect.never))
  const service = await startService({
    replace: Layer.succeed(TokenStore, always(never)),
  })
  const server = await serve(service.app, { ...local, graceMs: 50 })
  const inFlight = fetch(`http://127.0.0.1:${server.port}${prefix("43114")}/erc20`).then(
    () => "answered",
    () => "cut",
  )
  await Effect.runPromise(Deferred.await(started))
  await server.stop()
  expect(await inFlight).toBe("cut")
  await service.close()
})

test("a port in use is a clear error that names PORT", async () => {
  const service = await startService()
  const server = await serve(service.app, local)
  expect(await problemOf(serve(service.app, { ...local, port: server.port }))).toContain(
    `port ${server.port} is in use: set PORT to a free one (0 = any)`,
  )
  await server.stop()
  await service.close()
})

test("a client that hangs up interrupts its query", async () => {
  const started = Deferred.makeUnsafe<void>()
  const interrupted = Deferred.makeUnsafe<void>()
  const read = Deferred.succeed(started, undefined).pipe(
    Effect.andThen(Effect.never),
    Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
  )
  const service = await startService({
    replace: Layer.succeed(TokenStore, always(read)),
  })
  const server = await serve(service.app, local)
  const socket = connect(server.port, local.hostname, () =>
    socket.write(`GET ${prefix("43114")}/erc20 HTTP/1.1\r\nHost: localhost\r\n\r\n`),
  )
  await Effect.runPromise(Deferred.await(started))
  socket.destroy()
  await Effect.runPromise(Deferred.await(interrupted))
  await server.stop()
  await service.close()
})

test("over the wire: HEAD of what comes in pieces names no length, as GET names none", async () => {
  const service = await startWorld()
  const server = await serve(service.app, local)
  const headersOf = async (method: string, path: string, ...headers: ReadonlyArray<string>) => {
    const lines = [`${method} ${prefix("43114")}${path} HTTP/1.1`, "Host: localhost", ...headers]
    const answer = await raw(server.port, [...lines, "Connection: close", "", ""].join("\r\n"))
    const named = answer.slice(0, answer.indexOf("\r\n\r\n")).toLowerCase()
    return named.split("\r\n").filter((line) => /^(http|content-length|transfer-encoding)/u.test(line))
  }
  for (const type of ["application/x-ndjson", "text/csv"]) {
    const head = await headersOf("HEAD", "/erc20-transfers", `Accept: ${type}`)
    expect(head).toEqual(["http/1.1 200 ok", "transfer-encoding: chunked"])
    expect(await headersOf("GET", "/erc20-transfers", `Accept: ${type}`)).toEqual(head)
  }
  expect(await headersOf("HEAD", "/events")).toEqual(["http/1.1 200 ok", "transfer-encoding: chunked"])
  await server.stop()
  await service.close()
})

test("over the wire: HEAD, bad escapes, no usable host, limits by the peer's address", async () => {
  const service = await startWorld({ rateLimitRpm: 6 })
  const server = await serve(service.app, local)
  const path = `${prefix("43114")}/erc20?limit=1`
  const request = (line: string, ...headers: ReadonlyArray<string>) =>
    raw(server.port, [line, ...headers, "Connection: close", "", ""].join("\r\n"))
  const get = await request(`GET ${path} HTTP/1.1`, "Host: localhost")
  expect(get).toStartWith("HTTP/1.1 200 ")
  expect(get.toLowerCase()).toContain("content-type: application/json; charset=utf-8")
  const body = get.slice(get.indexOf("\r\n\r\n") + 4)
  const head = await request(`HEAD ${path} HTTP/1.1`, "Host: localhost")
  expect(head.toLowerCase()).toContain(`content-length: ${body.length}`)
  expect(head.endsWith("\r\n\r\n")).toBe(true)
  expect(await request(`GET ${path}&x=%zz&limit=%E0%A4%A HTTP/1.1`, "Host: a")).toStartWith("HTTP/1.1 200 ")
  expect(await request(`GET ${path} HTTP/1.1`, "Host: ")).toStartWith("HTTP/1.1 200 ")
  expect(await request(`GET ${prefix("%zz")}/erc20 HTTP/1.1`, "Host: [::1")).toStartWith("HTTP/1.1 400 ")
  const last = await request(`GET ${path} HTTP/1.0`)
  expect(last).toMatch(/^HTTP\/1\.[01] 200 /)
  expect(last.toLowerCase()).toContain("x-ratelimit-rpm-remaining: 0")
  expect(await request(`GET ${path} HTTP/1.1`, "Host: localhost")).toStartWith("HTTP/1.1 429 ")
  await server.stop()
  await service.close()
})

test("over the wire: a long answer has its length, and its headers leave in one piece with it, read or kept", async () => {
  const service = await startService({ answerCacheBytes: 8_000_000 })
  const chain = new TestChain()
  chain.block(Array.from({ length: 900 }, (_, place) => transfer(token, address(0), address(0x1000 + place), 1n)))
  // Three bytes a character, so that the text is longer in bytes than in characters.
  await store(service, "43114", chain, { [token]: { name: "字".repeat(20) } })
  const server = await serve(service.app, local)
  /** The first piece that came, and all of them. */
  const received = (method: string, path: string, headers: string) =>
    new Promise<{ first: string; all: Buffer }>((resolve, reject) => {
      const pieces: Array<Buffer> = []
      const socket = connect(server.port, local.hostname, () =>
        socket.write(`${method} ${prefix("43114")}${path} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`),
      )
      socket.on("data", (piece: Buffer) => pieces.push(piece))
      socket.on("close", () => resolve({ first: pieces[0]!.toString("latin1"), all: Buffer.concat(pieces) }))
      socket.on("error", reject)
    })
  const lengthOf = (head: string) => Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1])
  const paths = [40, 200, 900].flatMap((limit) => [
    `/erc20/${token}/holders?limit=${limit}`,
    `/erc20-transfers?limit=${limit}`,
  ])
  for (const path of paths) {
    const wanted = await (await service.fetchAnew(prefix("43114") + path)).text()
    for (const [headers, decode] of [
      ["", (bytes: Uint8Array<ArrayBuffer>) => bytes],
      ["Accept-Encoding: gzip\r\n", Bun.gunzipSync],
    ] as const) {
      // The second is of what the first kept.
      for (let round = 0; round < 2; round++) {
        const { first, all } = await received("GET", path, headers)
        const end = first.indexOf("\r\n\r\n")
        expect(end).toBeGreaterThan(0)
        const body = new Uint8Array(all.subarray(end + 4))
        expect(body.byteLength).toBe(lengthOf(first))
        expect(new TextDecoder().decode(decode(body))).toBe(wanted)
        const { first: head, all: bodyless } = await received("HEAD", path, headers)
        expect([lengthOf(head), bodyless.byteLength]).toEqual([body.byteLength, head.indexOf("\r\n\r\n") + 4])
      }
    }
  }
  await server.stop()
  await service.close()
})
