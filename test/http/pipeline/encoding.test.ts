/** Content codings: the same answer in fewer bytes, with a tag of its own, compressed once and only as it is read. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { acceptedEncoding, type Encoding } from "../../../src/adapters/http/encoding/accepted.ts"
import { makeCompressor, makePieceCompressor } from "../../../src/adapters/http/encoding/compress.ts"
import { streamOf } from "../../../src/adapters/http/pipeline/streaming.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { problemOf } from "../../support/failure.ts"
import { prefix, startService, store, type TestService } from "../support.ts"

const zero = address(0)
const token = address(0x70)
const base = prefix("43114")
const rows = 1500

let service: TestService
beforeAll(async () => {
  service = await startService({ answerCacheBytes: 8_000_000 })
  const chain = new TestChain()
  for (let first = 0; first < rows; first += 300)
    chain.block(
      Array.from({ length: 300 }, (_, place) =>
        transfer(token, zero, address(0x1000 + first + place), 1n + BigInt(place)),
      ),
    )
  await store(service, "43114", chain)
})
afterAll(() => service.close())

const page = `${base}/erc20-transfers?limit=50`
const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  service.fetch(path, { method, headers })
const decoders: Readonly<Record<Encoding, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array>> = {
  gzip: Bun.gunzipSync,
  zstd: Bun.zstdDecompressSync,
}
const decoded = async (response: Response) => {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const encoding = response.headers.get("content-encoding") as Encoding | null
  return new TextDecoder().decode(encoding === null ? bytes : decoders[encoding](bytes))
}

test.each<[string | undefined, Encoding | undefined]>([
  [undefined, undefined],
  ["", undefined],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["GZIP , deflate", "gzip"],
  ["gzip, deflate, br, zstd", "zstd"],
  ["gzip;q=1.0, zstd;q=0.5", "gzip"],
  ["gzip;q=0.5, zstd; q=0.5", "zstd"],
  ["gzip;q=0", undefined],
  ["gzip;q=0.000, *", "zstd"],
  ["*", "zstd"],
  ["*;q=0", undefined],
  ["*;q=0.1, identity", undefined],
  ["identity, gzip;q=0.5", undefined],
  ["identity;q=0.5, gzip;q=0.5", "gzip"],
  ["identity;q=0", undefined],
  ["identity;q=0, gzip;q=0.1", "gzip"],
  ["br, deflate", undefined],
  ["gzip;q=2", undefined],
  ["gzip;q=-1", undefined],
  ["gzip;q=abc", undefined],
  ["gzip;level=9", "gzip"],
  [`${"x".repeat(600)}, gzip`, undefined],
  [",;=,;q,", undefined],
])("Accept-Encoding %p is %p", (header, expected) => {
  expect(acceptedEncoding(header)).toBe(expected as Encoding)
})

describe.each<Encoding>(["gzip", "zstd"])("an answer in %s", (encoding) => {
  const accept = { "accept-encoding": encoding }

  test("is the same text in fewer bytes, and says so", async () => {
    const plain = await ask(page)
    const text = await plain.text()
    expect([plain.headers.get("content-encoding"), plain.headers.get("vary")]).toEqual([
      null,
      "Accept, Accept-Encoding",
    ])
    // Kept by now: both the way of what is made and of what is at hand.
    for (const path of [page, `${page}&count=true`, page]) {
      const expected = path === page ? text : await (await ask(path)).text()
      const response = await ask(path, accept)
      expect(response.headers.get("content-encoding")).toBe(encoding)
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8")
      const length = Number(response.headers.get("content-length"))
      expect(length).toBe((await response.clone().arrayBuffer()).byteLength)
      expect(4 * length).toBeLessThan(expected.length)
      expect(await decoded(response)).toBe(expected)
    }
  })

  test("has a strong tag of its own; a 304 is for who has these very bytes", async () => {
    const plain = (await ask(page)).headers.get("etag")!
    const own = (await ask(page, accept)).headers.get("etag")!
    expect(own).toBe(`${plain.slice(0, -1)}-${encoding}"`)
    const status = async (tag: string, headers: Record<string, string>) => {
      const response = await ask(page, { ...headers, "if-none-match": tag })
      const { status } = response
      if (status === 304) {
        expect(await response.text()).toBe("")
        expect(response.headers.get("content-encoding")).toBeNull()
        expect(response.headers.get("vary")).toContain("Accept-Encoding")
        expect(response.headers.get("etag")).toBe(headers === accept ? own : plain)
      }
      return status
    }
    expect(await status(own, accept)).toBe(304)
    expect(await status(`W/${own}`, accept)).toBe(304)
    expect(await status(plain, {})).toBe(304)
    expect(await status(plain, accept)).toBe(200)
    expect(await status(own, {})).toBe(200)
    expect(await status("*", accept)).toBe(304)
  })

  test("HEAD has the headers of GET", async () => {
    for (const path of [page, `${base}/erc20-transfers?limit=49`]) {
      const [got, head] = [await ask(path, accept), await ask(path, accept, "HEAD")]
      for (const name of ["etag", "content-encoding", "content-length", "content-type", "vary"])
        expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)])
      expect(await head.text()).toBe("")
    }
    const stream = await ask(page, { ...accept, accept: "text/csv" }, "HEAD")
    expect([stream.headers.get("content-encoding"), await stream.text()]).toEqual([encoding, ""])
  })

  test("small answers and refusals stay as they are", async () => {
    for (const path of [`${base}/erc20-transfers?limit=1`, `${base}/erc20?limit=0`, "/nothing", "/health"])
      expect((await ask(path, accept)).headers.get("content-encoding")).toBeNull()
  })

  test("streams of events stay as they are", async () => {
    const response = await ask(`${base}/events`, accept)
    expect([response.status, response.headers.get("content-encoding")]).toEqual([200, null])
    await response.body!.cancel()
  })

  test("documents and lines of other types too", async () => {
    for (const path of ["/openapi.json", "/metrics"]) {
      const response = await ask(path, accept)
      expect([path, response.headers.get("content-encoding")]).toEqual([path, encoding])
      expect((await decoded(response)).length).toBeGreaterThan(1000)
    }
    expect(await decoded(await ask("/openapi.json", accept))).toBe(await (await ask("/openapi.json")).text())
  })

  test.each(["application/x-ndjson", "text/csv"])("a stream of %s", async (type) => {
    const path = `${base}/erc20-transfers`
    const plain = await (await ask(path, { accept: type })).text()
    const response = await ask(path, { ...accept, accept: type })
    expect([response.headers.get("content-encoding"), response.headers.get("etag")]).toEqual([encoding, null])
    expect(await decoded(response)).toBe(plain)
  })

  test("a piece of a stream can be read as soon as it is sent, and nothing is compressed ahead", async () => {
    let pulled = 0
    const line = (number: number) => `{"row":${number},"hash":"${Bun.hash(String(number))}"}\n`.repeat(200)
    const chunks = {
      pull: Effect.sync(() => (pulled < 100 ? line(pulled++) : undefined)),
      close: Effect.void,
    }
    const limits = { unreadMs: 60_000 }
    const run = Effect.runPromiseExit as never
    const reader = streamOf(chunks, run, limits, makePieceCompressor(encoding)).getReader()
    const first = await reader.read()
    const unpacked = Bun.spawnSync({
      cmd: [process.execPath, "-e", unpack(encoding)],
      stdin: first.value as Uint8Array<ArrayBuffer>,
    })
    expect(unpacked.stdout.toString()).toBe(line(0))
    await Bun.sleep(50)
    expect(pulled).toBeLessThan(5)
    await reader.cancel()
    await Bun.sleep(20)
    expect(pulled).toBeLessThan(5)
  })

  test("a stream that fails half-way is broken off, not ended", async () => {
    let pulls = 0
    const chunks = {
      pull: Effect.suspend(() => (pulls++ < 1 ? Effect.succeed("row\n".repeat(1000)) : Effect.fail("gone"))),
      close: Effect.void,
    }
    const stream = streamOf(chunks as never, Effect.runPromiseExit as never, {}, makePieceCompressor(encoding))
    expect(await problemOf(new Response(stream).arrayBuffer())).toContain("broken off")
  })
})

/** What there is of a stream that has not ended. */
const unpack = (encoding: Encoding) => `
  const zlib = require("node:zlib")
  const bytes = require("node:fs").readFileSync(0)
  const stream = ${encoding === "gzip" ? "zlib.createGunzip()" : "zlib.createZstdDecompress()"}
  stream.on("data", (data) => require("node:fs").writeSync(1, data))
  stream.write(bytes, () => process.exit(0))`

describe("the compressor", () => {
  const text = JSON.stringify(
    Array.from({ length: 2000 }, (_, number) => ({ number, hash: Bun.hash(`${number}`).toString(16) })),
  )

  test("makes what has a tag once, for all who ask meanwhile and later", async () => {
    const compressor = makeCompressor(10_000_000)
    const [one, two] = await Promise.all([compressor.text(text, "gzip", "a"), compressor.text(text, "gzip", "a")])
    expect(one).toBe(two!)
    expect(await compressor.text("another text", "gzip", "a")).toBe(one!)
    expect(await compressor.text(text, "gzip")).not.toBe(one!)
  })

  test("keeps the last used, up to its bytes, and nothing where it has none", async () => {
    const [one] = await Promise.all([makeCompressor(0).text(text, "gzip", "a")])
    const compressor = makeCompressor(40 * one!.byteLength)
    const first = await compressor.text(text, "gzip", "0")
    for (let number = 1; number < 16; number++) await compressor.text(text, "gzip", `${number}`)
    expect(await compressor.text(text, "gzip", "0")).toBe(first)
    for (let number = 16; number < 31; number++) await compressor.text(text, "gzip", `${number}`)
    expect(await compressor.text(text, "gzip", "0")).toBe(first)
    for (let number = 31; number < 80; number++) await compressor.text(text, "gzip", `${number}`)
    expect(await compressor.text(text, "gzip", "0")).not.toBe(first)
    const none = makeCompressor(0)
    expect(await none.text(text, "gzip", "a")).not.toBe(await none.text(text, "gzip", "a"))
  })

  test("gives all who wait theirs", async () => {
    const compressor = makeCompressor(0)
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, number) => compressor.text(`${number}${text}`, "gzip")),
    )
    made.forEach((bytes, number) => {
      expect(Buffer.from(Bun.gunzipSync(new Uint8Array(bytes))).toString()).toBe(`${number}${text}`)
    })
  })
})
