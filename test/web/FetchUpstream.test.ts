/** An upstream that fails, stalls, lies and repeats what it was sent: an answer of Etherscan's shape, or a failure in time that holds no secret. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Logger, Result } from "effect"
import * as FetchUpstream from "../../src/adapters/web/FetchUpstream.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { Upstream } from "../../src/ports/Upstream.ts"
import { envelope, type FakeUpstream, startFakeUpstream } from "../support/fakeUpstream.ts"

const key = "UPSTREAMKEY123456"
const chain = ChainId.make("43114")
const other = ChainId.make("1")

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterEach(() => upstream.reset())
afterAll(() => upstream.stop())

let logs: Array<string> = []
const layer = (bounds: Partial<FetchUpstream.UpstreamBounds> = {}, url = upstream.url) =>
  FetchUpstream.layer(
    {
      ofChain: new Map([
        [chain, { url, key }],
        [other, { url, key }],
      ]),
    },
    { callsPerSecond: 1000, timeoutMs: 10_000, maxBytes: 2000, ...bounds },
  )
const question = (parameters: ReadonlyArray<readonly [string, string]> = []) => ({
  module: "account",
  action: "txlist",
  parameters,
})

const asking = <A>(use: (service: Upstream["Service"]) => Effect.Effect<A>, at = layer()): Promise<A> => {
  logs = []
  return Effect.runPromise(
    Upstream.use(use).pipe(
      Effect.provide(at),
      Effect.provide(Logger.layer([Logger.make((entry) => logs.push(Logger.formatLogFmt.log(entry)))])),
    ),
  )
}
const ask = (at = layer(), chainId = chain) => asking((it) => Effect.result(it.ask(chainId, question())), at)
const failureOf = async (at?: ReturnType<typeof layer>) => {
  const result = await ask(at)
  if (Result.isSuccess(result)) throw new Error(`expected a failure, got ${result.success}`)
  for (const text of [result.failure.message, ...logs]) {
    expect(text).not.toContain(key)
    expect(text).not.toContain("/v2/api")
  }
  return result.failure
}

test("a question goes up with the chain's id and the upstream's own key, as a GET without a body", async () => {
  const asked = [
    ["address", "0xab"],
    ["topic0_1_opr", "and"],
    ["odd", "a&b=c d"],
  ] as const
  const answers = await asking((it) => Effect.result(it.ask(chain, question(asked))))
  expect(answers).toEqual(Result.succeed(envelope([{ upstream: "account/txlist", chain: "43114" }])))
  expect(upstream.seen).toHaveLength(1)
  expect(upstream.seen[0]!.path).toBe("/v2/api")
  expect([...upstream.seen[0]!.query]).toEqual([
    ["chainid", "43114"],
    ["module", "account"],
    ["action", "txlist"],
    ["address", "0xab"],
    ["topic0_1_opr", "and"],
    ["odd", "a&b=c d"],
    ["apikey", key],
  ])
  expect(upstream.seen[0]!.whole).toStartWith("GET\n/v2/api?")
})

test("a chain without an upstream has none, and is asked nowhere", async () => {
  const none = ChainId.make("5")
  expect(await asking((it) => Effect.succeed([it.serves(chain), it.serves(none)]))).toEqual([true, false])
  expect(Result.isFailure(await ask(layer(), none))).toBe(true)
  expect(upstream.seen).toEqual([])
})

test("an answer is the upstream's text, letter by letter", async () => {
  const text = '{ "status":"1","message":"OK","result":[{"big":123456789012345678901234567890, "é":"\\u00e9"}] }\n'
  upstream.play((_, response) => response.end(text))
  expect(await ask()).toEqual(Result.succeed(text))
})

test.each([
  ["what is empty", envelope([], "0", "No transactions found")],
  ["a refusal about the question", envelope("Error! Invalid address format", "0", "NOTOK")],
])("%s is an answer", async (_, text) => {
  upstream.play((_, response) => response.end(text))
  expect(await ask()).toEqual(Result.succeed(text))
})

describe("no answer:", () => {
  test.each([
    ["HTML with status 200", 200, "<html>maintenance</html>", "its answer is not JSON"],
    ["half of a JSON text", 200, envelope("x".repeat(50)).slice(0, 30), "its answer is not JSON"],
    ["nothing", 200, "", "its answer is not JSON"],
    ["null", 200, "null", "its answer has another shape than Etherscan's"],
    ["a list", 200, "[]", "its answer has another shape than Etherscan's"],
    [
      "what is nested too deep",
      200,
      envelope("x").replace('"x"', `${"[".repeat(600)}"\\\\"${"]".repeat(600)}`),
      "its answer has another shape than",
    ],
    ["another API's JSON", 200, '{"error":"no"}', "its answer has another shape than Etherscan's"],
    ["a status that is a number", 200, '{"status":1,"message":"OK","result":[]}', "its answer has another shape than"],
    ["no result", 200, '{"status":"1","message":"OK"}', "its answer has another shape than Etherscan's"],
    ["an envelope with status 500", 500, envelope([]), "it answers with HTTP 500"],
    ["403", 403, "forbidden", "it answers with HTTP 403"],
    ["206", 206, envelope([]), "it answers with HTTP 206"],
    ["its own trouble with our key", 200, envelope("Invalid API Key", "0", "NOTOK"), "it does not take this service"],
    ["the same in V2's words", 200, envelope("Missing/Invalid API Key", "0", "NOTOK"), "it does not take this"],
  ])("%s", async (_, status, body, words) => {
    upstream.play((_, response) => response.writeHead(status, { "content-type": "application/json" }).end(body))
    const { message, isLimited } = await failureOf()
    expect(message).toStartWith(words)
    expect(isLimited).toBeUndefined()
  })

  test.each([
    ["HTTP 429", 429, "slow down"],
    ["its limit of the day", 200, envelope("Max daily rate limit reached", "0", "NOTOK")],
    ["its limit of the second", 200, envelope("Max calls per sec rate limit reached (5/sec)", "0", "NOTOK")],
    ["its limit's own words", 200, envelope("Max rate limit reached", "0", "NOTOK")],
  ])("%s says that it has had enough", async (_, status, body) => {
    upstream.play((_, response) => response.writeHead(status).end(body))
    const message = body.includes("daily") ? "Max daily rate limit reached" : "Max rate limit reached"
    expect(await failureOf()).toMatchObject({ isLimited: true, message })
  })

  test("a redirect is not followed, wherever it leads", async () => {
    upstream.play((_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/steal" }).end())
    expect((await failureOf()).message).toBe("it answers with HTTP 302")
    expect(upstream.seen).toHaveLength(1)
  })

  test("more bytes than may be, announced or not, packed or not", async () => {
    for (const announced of [true, false]) {
      upstream.play((_, response) => {
        if (announced) response.setHeader("content-length", 5000)
        response.write(`{"status":"1","message":"OK","result":"${"x".repeat(4900)}"`)
        response.end("}".padEnd(announced ? 5000 - 4900 - 40 : 1))
      })
      expect((await failureOf()).message).toBe("more than 2000 bytes")
    }
    upstream.play((_, response) =>
      response
        .writeHead(200, { "content-encoding": "gzip" })
        .end(Bun.gzipSync(envelope("x".repeat(100_000)) as unknown as Uint8Array<ArrayBuffer>)),
    )
    expect((await failureOf()).message).toBe("more than 2000 bytes")
  })

  test("an upstream that says nothing, or stops in the middle, or trickles, is left in time", async () => {
    const stalls: ReadonlyArray<Parameters<FakeUpstream["play"]>[0]> = [
      () => {},
      (_, response) => void response.write('{"status":"1",'),
      (_, response) => {
        const trickle = setInterval(() => response.write(" "), 20)
        response.on("close", () => clearInterval(trickle))
      },
    ]
    for (const stall of stalls) {
      upstream.play(stall)
      const started = performance.now()
      expect((await failureOf(layer({ timeoutMs: 400 }))).message).toMatch(/no whole answer within 0.4 s/)
      expect(performance.now() - started).toBeLessThan(9000)
    }
  })

  test("a host that does not listen", async () => {
    expect((await failureOf(layer({}, "http://127.0.0.1:1/v2/api"))).message).toBe("it cannot be reached")
  })
})

describe("what is secret never comes back", () => {
  const hidden = "its answer repeats what is secret"
  const path = "/v2/a1b2c3d4e5f6a7b8c9/api"
  const at = () => upstream.url.replace("http://", "http://me:passw0rd%21@").replace("/v2/api", path)

  test.each([
    ["the key in a result", envelope(`you sent ${key}`)],
    ["the key in a refusal", envelope(`Invalid request apikey=${key}`, "0", "NOTOK")],
    ["the key as a name", `{"status":"1","message":"OK","result":{"${key}":1}}`],
    ["the key outside the envelope's fields", `{"status":"1","message":"OK","result":[],"echo":"${key}"}`],
    ["the key with its letters escaped", envelope("[]").replace("[]", key.replace("U", "\\u0055"))],
    ["the key in small letters", envelope(key.toLowerCase())],
    ["the key in base64", envelope(btoa(key))],
    ["the password", envelope("passw0rd!")],
    ["the password as in the URL", envelope("passw0rd%21")],
    ["user and password as in the header", envelope(btoa("me:passw0rd!"))],
    ["a key in the path", envelope("a1b2c3d4e5f6a7b8c9")],
  ])("%s", async (_, body) => {
    upstream.play((_, response) => response.end(body))
    const { message } = await failureOf(layer({}, at()))
    expect(message).toBe(hidden)
    expect([message, ...logs].join()).not.toMatch(/passw0rd|a1b2c3|UPSTREAMKEY/i)
  })

  test("a name of the path that is no key is no secret", async () => {
    upstream.play((_, response) => response.end(envelope("api of etherscan v2")))
    expect(Result.isSuccess(await ask(layer({}, at())))).toBe(true)
    expect(upstream.seen[0]!.path).toBe(path)
  })
})

test("so many questions go up in a second, over all chains of one upstream", async () => {
  const started = performance.now()
  const bounds = layer({ callsPerSecond: 4, timeoutMs: 10_000, concurrency: 8 })
  await asking(
    (it) =>
      Effect.forEach(Array.from({ length: 7 }), (_, index) => it.ask(index % 2 ? chain : other, question()), {
        concurrency: "unbounded",
      }).pipe(Effect.orDie),
    bounds,
  )
  expect(upstream.seen).toHaveLength(7)
  expect(performance.now() - started).toBeGreaterThan(1000)
})

test("so many are on the wire at once, and who waits too long is told so", async () => {
  upstream.play(() => {})
  const looking = (async () => {
    while (upstream.seen.length < 2) await Bun.sleep(5)
    await Bun.sleep(100)
    return upstream.seen.length
  })()
  const results = await asking(
    (it) =>
      Effect.forEach(Array.from({ length: 6 }), () => Effect.result(it.ask(chain, question())), {
        concurrency: "unbounded",
      }),
    layer({ concurrency: 2, timeoutMs: 3000 }),
  )
  expect(results.every(Result.isFailure)).toBe(true)
  expect(await looking).toBe(2)
})

test("a caller who leaves takes the question along", async () => {
  let closed: () => void
  const gone = new Promise<void>((resolve) => {
    closed = resolve
  })
  upstream.play((_, response) => response.on("close", () => closed()))
  await asking(
    (it) => Effect.asVoid(Effect.timeoutOption(Effect.result(it.ask(chain, question())), 150)),
    layer({ timeoutMs: 60_000 }),
  )
  await gone
})

test("the log has one line of each kind, with the host alone", async () => {
  upstream.play((_, response) => response.writeHead(500).end(key))
  await asking((it) =>
    Effect.asVoid(Effect.forEach([1, 2, 3], () => Effect.result(it.ask(chain, question([["address", "secret"]]))))),
  )
  expect(logs).toHaveLength(1)
  expect(logs[0]).toContain(`upstream ${new URL(upstream.url).origin}: it answers with HTTP 500`)
})

test("the one for all is asked of every chain that has none of its own", async () => {
  const places = {
    ofChain: new Map([[chain, { url: "http://127.0.0.1:9/of-chain" }]]),
    others: { url: upstream.url, key },
  }
  const at = FetchUpstream.layer(places, { callsPerSecond: 1000 })
  expect(Result.isSuccess(await ask(at, other))).toBe(true)
  expect(upstream.seen.map(({ query }) => query.get("chainid"))).toEqual([other])
  expect(Result.isSuccess(await ask(at, chain))).toBe(false)
  expect(await asking((it) => Effect.succeed(it.serves(other)), at)).toBe(true)
  const none = FetchUpstream.layer({ ofChain: new Map() }, { callsPerSecond: 1000 })
  expect(await asking((it) => Effect.succeed(it.serves(other)), none)).toBe(false)
})
