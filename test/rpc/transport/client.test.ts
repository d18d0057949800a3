/** The JSON-RPC client against the faults of real nodes. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Fiber } from "effect"
import { HttpResponse, http, passthrough } from "msw"
import { chainIdCall } from "../../../src/adapters/rpc/transport/answers.ts"
import { makeClient } from "../../../src/adapters/rpc/transport/client.ts"
import { Malformed } from "../../../src/adapters/rpc/wire/shapes.ts"
import {
  answer,
  call,
  clientOf,
  echo,
  failureOf,
  json,
  otherUrl,
  play,
  type Request,
  refuse,
  requestsOf,
  run,
  server,
  url,
} from "../node.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const calls = (count: number) => Array.from({ length: count }, (_, index) => call(index))
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const lengths = (bodies: ReadonlyArray<unknown>) => bodies.map((body) => (Array.isArray(body) ? body.length : "one"))

test("what was refused is counted by what was wrong with it", async () => {
  play([
    refuse(-32000, "missing trie node 0xab (path )"),
    refuse(-32000, "historical state is not available"),
    refuse(-32603, "internal error"),
    echo,
  ])
  const client = clientOf()
  expect(await run(client.batch([call(7)]))).toEqual([7])
  const { pruned, call: failed, behind } = client.refusals!()
  expect([pruned, failed, behind]).toEqual([2, 1, 0])
})

describe("answers", () => {
  test("that lead elsewhere are not followed", async () => {
    for (const status of [301, 302, 307, 308]) {
      play([() => new HttpResponse(null, { status, headers: { location: otherUrl } })])
      const elsewhere = play([echo], otherUrl)
      const failure = await failureOf(clientOf().batch([call(7)]))
      expect(JSON.stringify(failure)).toContain(`HTTP ${status}: it leads elsewhere, which is not followed`)
      expect(elsewhere).toEqual([])
    }
  })

  test("of a batch are matched by id, in whatever order they come", async () => {
    play([
      (body) =>
        json(
          requestsOf(body)
            .map(({ id, params }) => ({ jsonrpc: "2.0", id, result: params[0] }))
            .reverse(),
        ),
    ])
    expect(await run(clientOf().batch(calls(5)))).toEqual(numbers(5))
  })

  test("with ids as text are matched too", async () => {
    play([(body) => json(requestsOf(body).map(({ id, params }) => ({ id: String(id), result: params[0] })))])
    expect(await run(clientOf().batch(calls(2)))).toEqual([0, 1])
  })

  test("to no call at all ask nothing", async () => {
    const bodies = play([echo])
    expect(await run(clientOf().batch([]))).toEqual([])
    expect(bodies).toEqual([])
  })

  test("that are missing are asked for again, the others are not", async () => {
    const bodies = play([
      (body) =>
        json(
          requestsOf(body)
            .slice(0, 2)
            .map(({ id, params }) => ({ id, result: params[0] })),
        ),
      echo,
    ])
    expect(await run(clientOf().batch(calls(3)))).toEqual([0, 1, 2])
    expect(lengths(bodies)).toEqual([3, "one"])
  })

  test("that come twice under one id are not believed", async () => {
    play([
      (body) =>
        json(
          requestsOf(body).flatMap(({ id }) => [
            { id, result: 1 },
            { id, result: 2 },
          ]),
        ),
    ])
    expect((await failureOf(clientOf().batch(calls(2)))).message).toBe(
      "http://node.test: echo(0): two answers to one call",
    )
  })

  test("under another call's id are not believed", async () => {
    play([() => json({ jsonrpc: "2.0", id: 999_999, result: "stolen" })])
    expect((await failureOf(clientOf().batch([call(1)]))).message).toBe(
      "http://node.test: echo(1): no answer to this call among the answers",
    )
  })

  test("that are nested a hundred thousand deep are no answers, and end nobody who asks", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    const answered = (field: string) => (body: unknown) => {
      const [{ id }] = requestsOf(body as Request) as [Request]
      const text = `{"jsonrpc":"2.0","id":${id},"${field}":${deep}}`
      return new HttpResponse(text, { headers: { "content-type": "application/json" } })
    }
    play([answered("result")])
    const { message } = await failureOf(clientOf().batch([chainIdCall]))
    expect(message).toContain("eth_chainId(): chain id: expected a hex quantity, got [[[[")
    play([answered("error")])
    expect((await failureOf(clientOf().batch([call(1)]))).message).toStartWith("http://node.test: echo(1): ")
    // Whatever else reading them throws.
    play([echo])
    const read = () => {
      throw new RangeError("too deep")
    }
    expect((await failureOf(clientOf().batch([{ ...call(1), read }]))).message).toContain("it cannot be read (")
  })

  test("with neither result nor error are no answers", async () => {
    play([(body) => json({ id: requestsOf(body)[0]!.id })])
    expect((await failureOf(clientOf().batch([call(1)]))).message).toBe(
      "http://node.test: echo(1): an answer with neither result nor error",
    )
  })
})

describe("a node that falters", () => {
  const faults: ReadonlyArray<[string, () => Response]> = [
    ["answers HTTP 500", () => new HttpResponse("oops", { status: 500 })],
    ["answers HTTP 502 with a page", () => new HttpResponse("<html>Bad Gateway</html>", { status: 502 })],
    [
      "sends half a body",
      () => new HttpResponse('[{"jsonrpc":"2.0","id":1,"resu', { headers: { "content-type": "application/json" } }),
    ],
    ["sends an empty body", () => new HttpResponse("")],
    ["sends a page with HTTP 200", () => new HttpResponse("<html>Please log in</html>")],
    ["breaks the connection", () => HttpResponse.error() as unknown as Response],
    ["answers null", () => json(null)],
    ["answers an empty list", () => json([])],
  ]
  for (const [name, fault] of faults) {
    test(`and ${name} is asked again`, async () => {
      const bodies = play([fault, fault, echo])
      expect(await run(clientOf().batch(calls(3)))).toEqual([0, 1, 2])
      // Twice as a whole: it may be the length.
      expect(lengths(bodies)).toEqual([3, 3, 2, "one"])
    })
  }

  test("for good is given up after five tries", async () => {
    const bodies = play([() => new HttpResponse("down for maintenance", { status: 503 })])
    const error = await failureOf(clientOf().batch([call(1)]))
    expect(error._tag).toBe("SourceUnavailable")
    expect(error.message).toBe("http://node.test: echo(1): HTTP 503 down for maintenance")
    expect(bodies.length).toBe(5)
  })

  test("with an error of its own is asked again", async () => {
    const bodies = play([refuse(-32603, "internal error"), refuse(-32000, "header not found"), echo])
    expect(await run(clientOf().batch([call(7)]))).toEqual([7])
    expect(bodies.length).toBe(3)
  })

  test("is not asked again for a method that it does not know", async () => {
    const bodies = play([refuse(-32601, "the method echo does not exist")])
    expect((await failureOf(clientOf().batch([call(1)]))).message).toContain("the method echo does not exist")
    expect(bodies.length).toBe(1)
  })

  test("with results that cannot be read is asked again", async () => {
    play([answer(() => null), echo])
    const read = (result: unknown) => {
      if (result === null) throw new Malformed("expected a number, got null")
      return result
    }
    expect(await run(clientOf().batch([{ ...call(3), read }]))).toEqual([3])
  })

  test("and never answers is left after the time limit", async () => {
    play([() => new Promise<Response>(() => {}), echo])
    expect(await run(clientOf({ timeoutMs: 30 }).batch([call(3)]))).toEqual([3])
  })
})

describe("a node that wants less", () => {
  test("is not asked before Retry-After has passed", async () => {
    play([() => new HttpResponse("slow down", { status: 429, headers: { "retry-after": "1" } }), echo])
    const before = performance.now()
    expect(await run(clientOf().batch([call(3)]))).toEqual([3])
    expect(performance.now() - before).toBeGreaterThan(950)
  })

  test("by an error in words is asked again later", async () => {
    const bodies = play([refuse(-32005, "Too Many Requests: rate limit exceeded"), refuse(429, "compute units"), echo])
    expect(await run(clientOf().batch(calls(2)))).toEqual([0, 1])
    expect(lengths(bodies)).toEqual([2, 2, 2])
  })

  test("for some calls of a batch gets only those again", async () => {
    const bodies = play([
      (body) =>
        json(
          requestsOf(body).map(({ id, params }, index) =>
            index % 2 === 0 ? { id, result: params[0] } : { id, error: { code: 429, message: "capacity exceeded" } },
          ),
        ),
      echo,
    ])
    expect(await run(clientOf().batch(calls(6)))).toEqual(numbers(6))
    expect(lengths(bodies)).toEqual([6, 3])
  })

  test("refuses batches and is asked one by one, from then on", async () => {
    const bodies = play([
      (body) =>
        Array.isArray(body)
          ? json({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "batches are not supported" } })
          : echo(body),
    ])
    const client = clientOf()
    expect(await run(client.batch(calls(4)))).toEqual(numbers(4))
    const before = bodies.length
    expect(await run(client.batch(calls(3)))).toEqual(numbers(3))
    expect(lengths(bodies.slice(before))).toEqual(["one", "one", "one"])
  })

  test("takes ten calls at most and gets no more at once", async () => {
    const bodies = play([
      (body) => (requestsOf(body).length > 10 ? new HttpResponse("too large", { status: 413 }) : echo(body)),
    ])
    const client = clientOf({ batchSize: 40 })
    expect(await run(client.batch(calls(40)))).toEqual(numbers(40))
    const before = bodies.length
    await run(client.batch(calls(40)))
    expect(lengths(bodies.slice(before))).toEqual([10, 10, 10, 10])
  })

  test("cannot answer a long batch in time and gets halves", async () => {
    play([(body) => (requestsOf(body).length > 4 ? new Promise<Response>(() => {}) : echo(body))])
    expect(await run(clientOf({ timeoutMs: 100 }).batch(calls(8)))).toEqual(numbers(8))
  })

  const unsaid: ReadonlyArray<[string, (calls: ReadonlyArray<Request>) => Response]> = [
    ["HTTP 500", () => new HttpResponse("boom", { status: 500 })],
    ["HTTP 400", () => new HttpResponse("Bad Request", { status: 400 })],
    ["a page with HTTP 200", () => new HttpResponse("<html>oops</html>")],
    ["half a body", () => new HttpResponse('[{"jsonrpc":"2.0","id":1,"resu')],
    ["an answer to the first call alone", ([first]) => json({ id: first!.id, result: first!.params[0] })],
    ["an error without an id", () => json({ id: null, error: { code: -32603, message: "internal error" } })],
    [
      "an error for each call",
      (given) => json(given.map(({ id }) => ({ id, error: { code: -32000, message: "batching is not enabled" } }))),
    ],
    [
      "an error for each call in words that say nothing",
      (given) => json(given.map(({ id }) => ({ id, error: { code: -32000, message: "denied" } }))),
    ],
  ]
  for (const [name, refusal] of unsaid) {
    for (const most of [1, 3]) {
      test(`refuses more than ${most} at once by ${name}, and soon is asked no more at once`, async () => {
        const bodies = play([(body) => (requestsOf(body).length > most ? refusal(requestsOf(body)) : echo(body))])
        const client = clientOf()
        for (let round = 0; round < 4; round++) expect(await run(client.batch(calls(20)))).toEqual(numbers(20))
        const before = bodies.length
        expect(await run(client.batch(calls(20)))).toEqual(numbers(20))
        const most20 = bodies.slice(before).map((body) => requestsOf(body).length)
        expect(Math.max(...most20)).toBeLessThanOrEqual(most)
      })
    }
  }

  test("cuts what is longer than a proxy lets through gets requests whose answers are short enough", async () => {
    play([
      (body) => {
        const text = JSON.stringify(
          requestsOf(body).map(({ id, params }) => ({ id, result: [params[0], "x".repeat(900)] })),
        )
        const answer = Array.isArray(body) ? text : text.slice(1, -1)
        return new HttpResponse(answer.slice(0, 10_000), { headers: { "content-type": "application/json" } })
      },
    ])
    const values = await run(clientOf().batch(calls(50)))
    expect(values.map((value) => (value as [number])[0])).toEqual(numbers(50))
  })

  test("says nothing else than that it is down is asked little, whatever the number of calls", async () => {
    const bodies = play([() => new HttpResponse("down", { status: 503 })])
    expect((await failureOf(clientOf().batch(calls(50)))).message).toBe("http://node.test: echo(0): HTTP 503 down")
    expect(lengths(bodies)).toEqual([50, 50, 25, 13, 7, 4, 2, "one", "one", "one", "one"])
  })

  test("at both addresses takes no batches and is asked one by one", async () => {
    const refusing = (body: Parameters<typeof echo>[0]) =>
      Array.isArray(body) ? new HttpResponse("boom", { status: 500 }) : echo(body)
    play([refusing])
    play([refusing], otherUrl)
    expect(await run(clientOf({}, [url, otherUrl]).batch(calls(20)))).toEqual(numbers(20))
  })

  test("never has more requests to answer than allowed", async () => {
    let open = 0
    let most = 0
    play([
      async (body) => {
        most = Math.max(most, ++open)
        await Bun.sleep(5)
        open--
        return echo(body)
      },
    ])
    const client = clientOf({ concurrency: 3, batchSize: 1 })
    expect(await run(client.batch(calls(20)))).toEqual(numbers(20))
    expect(most).toBe(3)
  })
})

describe("several nodes", () => {
  test("stand in for one another, and the one that works is kept", async () => {
    const first = play([() => new HttpResponse("", { status: 500 })])
    const second = play([echo], otherUrl)
    const client = clientOf({}, [url, otherUrl])
    expect(await run(client.batch([call(1)]))).toEqual([1])
    expect(await run(client.batch([call(2)]))).toEqual([2])
    expect([first.length, second.length]).toEqual([1, 2])
  })

  test("are all asked before a method counts as unknown", async () => {
    play([refuse(-32601, "no such method")])
    play([echo], otherUrl)
    expect(await run(clientOf({}, [url, otherUrl]).batch([call(1)]))).toEqual([1])
  })

  test("spare us the wait when one is limiting", async () => {
    play([() => new HttpResponse("", { status: 429, headers: { "retry-after": "30" } })])
    play([echo], otherUrl)
    const before = performance.now()
    expect(await run(clientOf({}, [url, otherUrl]).batch([call(1)]))).toEqual([1])
    expect(performance.now() - before).toBeLessThan(20_000)
  })
})

describe("secrets", () => {
  test("of the URL stay out of errors, also where the node repeats them", async () => {
    play([() => new HttpResponse("project secretkey123 is over its plan at /v3/secretkey123", { status: 403 })])
    const error = await failureOf(clientOf().batch([call(1)]))
    expect(error.message).toBe("http://node.test: echo(1): HTTP 403 project … is over its plan at /v3/…")
    expect(JSON.stringify(error)).not.toContain("secretkey123")
  })

  test("of the URL stay out also where the node's words are cut in the middle of one", async () => {
    for (let padding = 40; padding < 90; padding++) {
      const said = `${"x".repeat(padding)} https://node/v3/secretkey123`
      play([() => HttpResponse.json({ id: 1, error: { said } })])
      const error = await failureOf(clientOf({ attempts: 1 }).batch([call(1)]))
      expect(error.message).not.toContain("secr")
    }
  })

  test("in the query stay out as they are written, decoded, and where they have no value", async () => {
    const of = async (query: string, said: string) => {
      server.use(http.post("http://node.test/", () => new HttpResponse(said, { status: 403 })))
      const error = await failureOf(clientOf({ attempts: 1 }, [`http://node.test/?${query}`]).batch([call(1)]))
      return error.message
    }
    const refused = "http://node.test: echo(1): HTTP 403"
    const key = "apikey=abc%2B1%3D%3D"
    expect(await of(key, `POST /?${key}`)).toBe(`${refused} POST /?apikey=…`)
    expect(await of(key, "no key abc+1==")).toBe(`${refused} no key …`)
    expect(await of("key=a+b+c+d", "no key a b c d, a%20b%20c%20d")).toBe(`${refused} no key …, …`)
    expect(await of("secretkey123", "POST /?secretkey123")).toBe(`${refused} POST /?…`)
    expect(await of("chain=1&secretkey123=", "POST /?chain=1&secretkey123=")).toBe(`${refused} POST /?chain=1&…=`)
    expect(await of("key=secret==", "no key secret==")).toBe(`${refused} no key …`)
  })

  test("of which one begins with another stay out whole", async () => {
    const path = "/mainnet/mainnet-9f8e7d6c"
    server.use(http.post(`http://node.test${path}`, () => new HttpResponse(`POST ${path}`, { status: 403 })))
    const error = await failureOf(clientOf({}, [`http://node.test${path}`]).batch([call(1)]))
    expect(error.message).toBe("http://node.test: echo(1): HTTP 403 POST /…/…")
  })

  test("as user and password stay out also in the form of the header", async () => {
    const header = btoa("user:longpassword")
    server.use(http.post("http://node.test/path", () => new HttpResponse(`bad Basic ${header}`, { status: 403 })))
    const error = await failureOf(clientOf({}, ["http://user:longpassword@node.test/path"]).batch([call(1)]))
    expect(error.message).toBe("http://node.test: echo(1): HTTP 403 bad Basic …")
  })

  test("of the URL stay out of a failed connection's error", async () => {
    play([() => HttpResponse.error() as unknown as Response])
    const error = await failureOf(clientOf().batch([call(1)]))
    expect(error.message).toStartWith("http://node.test: echo(1): cannot be reached (")
    expect(JSON.stringify(error) + String(error) + error.stack).not.toContain("secretkey123")
  })

  test("given as user and password travel in a header", async () => {
    const seen: Array<string | null> = []
    server.use(
      http.post("http://node.test/path", async ({ request }) => {
        seen.push(request.headers.get("authorization"))
        return echo((await request.json()) as never)
      }),
    )
    await run(clientOf({}, ["http://user:p%40ss@node.test/path"]).batch([call(1)]))
    expect(seen).toEqual([`Basic ${btoa("user:p@ss")}`])
  })

  test("of any letters travel in a header, as UTF-8", async () => {
    const seen: Array<string | null> = []
    server.use(
      http.post("http://node.test/path", async ({ request }) => {
        seen.push(request.headers.get("authorization"))
        return echo((await request.json()) as never)
      }),
    )
    await run(clientOf({}, ["http://jürgen:密码@node.test/path"]).batch([call(1)]))
    expect(seen).toEqual(["Basic asO8cmdlbjrlr4bnoIE="])
  })

  test("stay out of the refusal of a URL that is none", () => {
    expect(() => makeClient(["htp:/secretkey123"], { concurrency: 1 })).toThrow(/^a node's URL must be http/)
  })
})

describe("a connection", () => {
  /** A server of the test's own, and its URL. */
  const listen = async (handle: RequestListener) => {
    const real = createServer(handle)
    await new Promise<void>((listening) => real.listen(0, "127.0.0.1", listening))
    const address = `http://127.0.0.1:${(real.address() as AddressInfo).port}/`
    server.use(http.post(address, () => passthrough()))
    return { real, address }
  }

  test("that is refused says so", async () => {
    const { real, address } = await listen(() => {})
    await new Promise((closed) => real.close(closed))
    const error = await failureOf(clientOf({ attempts: 2 }, [address]).batch([call(1)]))
    expect(error.message).toMatch(/^http:\/\/127\.0\.0\.1:\d+: echo\(1\): cannot be reached \(\w+\)$/)
  })

  test("that ends in the middle of an answer is a failure, not an answer", async () => {
    const { real, address } = await listen((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" })
      response.write('{"jsonrpc":"2.0","id":1,"result":1}')
      setTimeout(() => response.destroy(), 20)
    })
    const error = await failureOf(clientOf({ attempts: 2 }, [address]).batch([call(1)]))
    expect(error._tag).toBe("SourceUnavailable")
    real.closeAllConnections()
    real.close()
  })

  test("is closed by interruption", async () => {
    const events: Array<string> = []
    let closed = () => {}
    const gone = new Promise<void>((resolve) => (closed = resolve))
    let asked = () => {}
    const came = new Promise<void>((resolve) => (asked = resolve))
    const { real, address } = await listen((_, response) => {
      response.on("close", () => {
        events.push("closed")
        closed()
      })
      asked()
    })
    const fiber = Effect.runFork(clientOf({ timeoutMs: 60_000 }, [address]).batch([call(1)]))
    await came
    await Effect.runPromise(Fiber.interrupt(fiber))
    events.push("interrupted")
    await gone
    expect(events.sort()).toEqual(["closed", "interrupted"])
    real.close()
  })
})
