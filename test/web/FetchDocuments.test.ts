/** Documents from places that are slow, broken or hostile: an answer, or a refusal in time, and no secret in its words. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Result } from "effect"
import { HttpResponse, http, passthrough } from "msw"
import { setupServer } from "msw/node"
import * as FetchDocuments from "../../src/adapters/web/FetchDocuments.ts"
import { type DocumentRequest, WebDocuments } from "../../src/ports/WebDocuments.ts"

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const url = "https://lists.test/secretkey123/list.json"
const get = (request: Partial<DocumentRequest> = {}) =>
  Effect.runPromise(
    WebDocuments.use((web) => web.get({ url, maxBytes: 1000, timeoutMs: 5000, ...request })).pipe(
      Effect.provide(FetchDocuments.layer),
      Effect.result,
    ),
  )
const refusalOf = async (request: Partial<DocumentRequest> = {}) => {
  const result = await get(request)
  if (Result.isSuccess(result)) throw new Error(`expected a refusal, got ${JSON.stringify(result.success)}`)
  expect(result.failure.message).not.toContain("secretkey123")
  return result.failure.message
}
const play = (answer: (request: Request) => Response | Promise<Response>, at = url) =>
  server.use(http.get(at, ({ request }) => answer(request)))
const endless = () =>
  new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("[".repeat(100))),
  })
const silent = () => new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([0x5b])) })

test("a document comes with its validator, and without a byte order mark", async () => {
  play(() => new HttpResponse(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), { headers: { etag: '"v1"' } }))
  expect(await get()).toEqual(Result.succeed({ text: "{}", etag: '"v1"' }))
})

test("a validator is sent, and 304 to it says unchanged", async () => {
  const seen: Array<string | null> = []
  play((request) => {
    seen.push(request.headers.get("if-none-match"))
    return new HttpResponse(null, { status: 304 })
  })
  expect(await get({ etag: '"v1"' })).toEqual(Result.succeed("unchanged"))
  expect(await refusalOf()).toBe("https://lists.test: HTTP 304")
  expect(seen).toEqual(['"v1"', null])
})

test("user and password of the URL are sent as basic authorization, to their own host alone", async () => {
  const seen: Array<string | null> = []
  const record = (request: Request) => seen.push(request.headers.get("authorization"))
  play((request) => {
    record(request)
    return HttpResponse.redirect("https://other.test/list.json")
  }, "https://lists.test/a")
  play((request) => {
    record(request)
    return HttpResponse.json([])
  }, "https://other.test/list.json")
  expect(await get({ url: "https://me:secretkey123@lists.test/a" })).toEqual(Result.succeed({ text: "[]" }))
  expect(seen).toEqual([`Basic ${btoa("me:secretkey123")}`, null])
})

test("a user and a password of any letters are sent as UTF-8", async () => {
  const seen: Array<string | null> = []
  play((request) => {
    seen.push(request.headers.get("authorization"))
    return HttpResponse.json([])
  }, "https://lists.test/a")
  expect(await get({ url: "https://jürgen:密码@lists.test/a" })).toEqual(Result.succeed({ text: "[]" }))
  expect(seen).toEqual(["Basic asO8cmdlbjrlr4bnoIE="])
})

describe("refused", () => {
  test.each([["file:///etc/secretkey123"], ["ftp://lists.test/secretkey123"], ["no url secretkey123"]])(
    "%s is asked for nowhere",
    async (place) => {
      expect(await refusalOf({ url: place })).toBe("expected a URL with http:// or https:// (it is not shown)")
    },
  )

  test.each([500, 404, 403, 204, 206])("status %i", async (status) => {
    play(() => new HttpResponse(status === 204 ? null : "{}", { status }))
    expect(await refusalOf()).toBe(`https://lists.test: HTTP ${status}`)
  })

  test.each(["file:///etc/passwd", "data:application/json,{}", "gopher://lists.test/", "http://[", ""])(
    "a redirect to %p",
    async (location) => {
      play(() => new HttpResponse(null, { status: 302, headers: { location } }))
      // An empty one is the place itself.
      expect(await refusalOf()).toBe(
        location === ""
          ? "https://lists.test: more than 5 redirects"
          : "https://lists.test: it redirects to something other than http:// or https://",
      )
    },
  )

  test("a redirect without a place, from https to http, and round in circles", async () => {
    play(() => new HttpResponse(null, { status: 301 }))
    expect(await refusalOf()).toBe("https://lists.test: it redirects to something other than http:// or https://")
    play(() => HttpResponse.redirect("http://lists.test/secretkey123"))
    expect(await refusalOf()).toBe("https://lists.test: it redirects from https:// to http://")
    play(() => HttpResponse.redirect(url))
    expect(await refusalOf()).toBe("https://lists.test: more than 5 redirects")
  })

  test("a body that is too large, also one that never ends or that unpacks to more", async () => {
    play(() => new HttpResponse("x".repeat(1001)))
    expect(await refusalOf()).toBe("https://lists.test: more than 1000 bytes")
    play(() => new HttpResponse(endless()))
    expect(await refusalOf()).toBe("https://lists.test: more than 1000 bytes")
    play(() => new HttpResponse("x".repeat(1000)))
    expect(await get()).toEqual(Result.succeed({ text: "x".repeat(1000) }))
  })

  test("what is not UTF-8", async () => {
    play(() => new HttpResponse(new Uint8Array([0x7b, 0xff, 0x7d])))
    expect(await refusalOf()).toBe("https://lists.test: the body is not UTF-8")
  })

  test("no answer in time, and a body that stops coming", async () => {
    play(() => new Promise<Response>(() => {}))
    expect(await refusalOf({ timeoutMs: 50 })).toBe("https://lists.test: no whole answer within 0.05 s")
    play(() => new HttpResponse(silent()))
    expect(await refusalOf({ timeoutMs: 50 })).toBe("https://lists.test: no whole answer within 0.05 s")
  })

  test("a host that cannot be reached", async () => {
    play(() => HttpResponse.error())
    expect(await refusalOf()).toMatch(/^https:\/\/lists\.test: cannot be reached \(\w+\)$/)
  })
})

describe("over a real socket", () => {
  const withServer = async <A>(listener: RequestListener, use: (url: string) => Promise<A>): Promise<A> => {
    const real = createServer(listener)
    await new Promise<void>((resolve) => real.listen(0, "127.0.0.1", resolve))
    const at = `http://127.0.0.1:${(real.address() as AddressInfo).port}/secretkey123`
    server.use(http.get(at, () => passthrough()))
    try {
      return await use(at)
    } finally {
      real.closeAllConnections()
      await new Promise((resolve) => real.close(resolve))
    }
  }

  test("a body that drips for ever is given up in time, and its connection closed", async () => {
    let closed: () => void = () => {}
    const gone = new Promise<void>((resolve) => {
      closed = resolve
    })
    const message = await withServer(
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        const drip = setInterval(() => response.write(" "), 10)
        response.on("close", () => {
          clearInterval(drip)
          closed()
        })
      },
      async (at) => {
        // Long enough for a busy machine to have asked by then.
        const refusal = await refusalOf({ url: at, timeoutMs: 2_000 })
        await gone
        return refusal
      },
    )
    expect(message).toMatch(/^http:\/\/127\.0\.0\.1:\d+: no whole answer within 2 s$/)
  })

  test("an answer that breaks off is none", async () => {
    const message = await withServer(
      (_, response) => {
        response.writeHead(200, { "content-length": "100" })
        response.write("[")
        setTimeout(() => response.destroy(), 10)
      },
      (at) => refusalOf({ url: at }),
    )
    expect(message).toMatch(/^http:\/\/127\.0\.0\.1:\d+: cannot be reached \(\w+\)$/)
  })
})
