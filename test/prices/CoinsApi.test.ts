/** Prices over HTTP: right ones are taken to the last digit, and nothing that is odd, late or endless makes a wrong one or a hang. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import fc from "fast-check"
import { HttpResponse, http } from "msw"
import { setupServer } from "msw/node"
import { type CoinsApiSettings, makeCoinsApi } from "../../src/adapters/prices/CoinsApi.ts"
import { readCoins, usdOf } from "../../src/adapters/prices/coins.ts"
import * as FetchDocuments from "../../src/adapters/web/FetchDocuments.ts"
import { oneDollar } from "../../src/model/price.ts"
import { type Address, ChainId } from "../../src/model/primitives.ts"
import { address } from "../support/chain/testChain.ts"

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const place = "https://coins.example/secret"
const coin = address(0xc0)
const other = address(0xc1)
const now = () => Math.floor(Date.now() / 1000)
const good = (price: unknown = 1.5, more: object = {}) => ({
  price,
  symbol: "C",
  timestamp: now(),
  confidence: 0.99,
  ...more,
})

const make = (settings: Partial<CoinsApiSettings> = {}) =>
  Effect.runPromise(makeCoinsApi({ url: place, restMs: 0, ...settings }).pipe(Effect.provide(FetchDocuments.layer)))
const ask = async (
  tokens: ReadonlyArray<Address> = [coin],
  {
    at = now(),
    chainNow = Math.max(at, now()),
    chainId = ChainId.make("1"),
    source = make(),
    newest = true,
  }: { at?: number; chainNow?: number; chainId?: ChainId; source?: ReturnType<typeof make>; newest?: boolean } = {},
) => Effect.runPromise((await source).find({ chainId, tokens, at, now: chainNow, newest }))
const answer = (body: () => Response | Promise<Response>) => {
  const asked: Array<URL> = []
  server.use(
    http.get("https://coins.example/*", ({ request }) => {
      asked.push(new URL(request.url))
      return body()
    }),
  )
  return asked
}
const coins = (...entries: ReadonlyArray<readonly [string, unknown]>) =>
  HttpResponse.json({ coins: Object.fromEntries(entries) })
const none = { quotes: new Map(), silent: new Set<Address>() }
const silent = { quotes: new Map(), silent: new Set([coin]) }

describe("Prices of now and of the past", () => {
  test("of a time are asked for that time, however short ago it is", async () => {
    const at = now() - 600
    const asked = answer(() => coins([`ethereum:${coin}`, good(4.25, { timestamp: at })]))
    expect((await ask([coin], { at, newest: false })).quotes.size).toBe(1)
    expect(asked.map(({ pathname }) => pathname)).toEqual([expect.stringContaining(`/historical/${at}/`)])
  })

  test("are asked for in one exchange, and kept for a while", async () => {
    const asked = answer(() =>
      coins([`ethereum:${coin}`, good(0.1)], [`ethereum:${other.toUpperCase().replace("0X", "0x")}`, good(3)]),
    )
    const source = make()
    const wanted = {
      quotes: new Map([
        [coin, { price: oneDollar / 10n }],
        [other, { price: 3n * oneDollar }],
      ]),
      silent: new Set<Address>(),
    }
    expect(await ask([coin, other, coin], { source })).toEqual(wanted)
    expect(await ask([other, coin], { source })).toEqual(wanted)
    expect(asked.map(({ pathname }) => pathname)).toEqual([`/secret/prices/current/ethereum:${coin},ethereum:${other}`])
  })

  test("of a time past are those of that time", async () => {
    const at = now() - 86_400
    const asked = answer(() => coins([`avax:${coin}`, good(2, { timestamp: at + 60 })]))
    expect(await ask([coin], { at, chainId: ChainId.make("43114") })).toEqual({
      quotes: new Map([[coin, { price: 2n * oneDollar }]]),
      silent: new Set<Address>(),
    })
    expect(asked.map(({ pathname }) => pathname)).toEqual([`/secret/prices/historical/${at}/avax:${coin}`])
  })

  test("of many tokens come in batches of fifty", async () => {
    const asked = answer(() => coins())
    const tokens = Array.from({ length: 101 }, (_, number) => address(1000 + number))
    expect(await ask(tokens)).toEqual(none)
    expect(asked.map(({ pathname }) => pathname.split(",").length)).toEqual([50, 50, 1])
  })

  test("of a chain without a name there, and of long ago, are not asked for", async () => {
    const asked = answer(() => coins())
    expect(await ask([coin], { chainId: ChainId.make("31337") })).toEqual(none)
    expect(await ask([coin], { at: now() - 8 * 86_400 })).toEqual(none)
    expect(asked).toEqual([])
  })

  for (const off of [-8 * 86_400, -7200, 7200])
    test(`of where a ledger stands are right with a clock that is ${-off} s off`, async () => {
      const at = now() + off
      const asked = answer(() => coins([`ethereum:${coin}`, good(2, { timestamp: at })]))
      for (const newest of [true, false]) {
        const found = await ask([coin], { at, chainNow: at, newest })
        expect(found.quotes).toEqual(new Map([[coin, { price: 2n * oneDollar }]]))
      }
      expect(new Set(asked.map(({ pathname }) => pathname))).toEqual(
        new Set([`/secret/prices/historical/${at}/ethereum:${coin}`]),
      )
    })

  test("of now are held against where the ledger stands, not against the clock", async () => {
    answer(() => coins([`ethereum:${coin}`, good(2, { timestamp: now() - 4000 })]))
    expect((await ask([coin], { at: now() - 3000 })).quotes.size).toBe(1)
  })

  test("of a ledger that is behind its chain are those of its time, also where the clock is behind as well", async () => {
    const at = now()
    const asked = answer(() => coins())
    await ask([coin], { at, chainNow: at + 7200 })
    expect(asked.map(({ pathname }) => pathname)).toEqual([`/secret/prices/historical/${at}/ethereum:${coin}`])
  })

  test("a number is taken as it is written, cut behind 18 decimals", () => {
    expect([0.1, 1e-18, 1.5e-10, 1e21, 123456.789, 1e-19].map(usdOf)).toEqual([
      ...[100_000_000_000_000_000n, 1n, 150_000_000n, 10n ** 39n, 123_456_789_000_000_000_000_000n, 0n],
    ])
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (number) => {
        const found = Number(usdOf(number)) / 1e18
        expect(Math.abs(found - number)).toBeLessThanOrEqual(Math.abs(number) * 1e-12 + 1e-18)
      }),
    )
  })
})

describe("An odd coin is no price, and the others are", () => {
  const entry = `ethereum:${coin}`
  const odd: ReadonlyArray<readonly [string, unknown]> = [
    ["a price in a string", good("1.5")],
    ["no price", good(1.5, { price: undefined })],
    ["a negative price", good(-1)],
    ["nothing", good(0)],
    ["more than anything costs", good(1e13)],
    ["next to nothing", good(1e-30)],
    ["null", null],
    ["a list", [1.5]],
    ["a number", 1.5],
    ["no confidence", good(1.5, { confidence: undefined })],
    ["little confidence", good(1.5, { confidence: 0.5 })],
    ["absurd confidence", good(1.5, { confidence: 99 })],
    ["confidence in a string", good(1.5, { confidence: "0.99" })],
    ["no time", good(1.5, { timestamp: undefined })],
    ["an old time", good(1.5, { timestamp: now() - 7200 })],
    ["a time to come", good(1.5, { timestamp: now() + 7200 })],
    ["milliseconds", good(1.5, { timestamp: Date.now() })],
  ]
  test.each(odd)("%s", async (_, value) => {
    answer(() => coins([entry, value], [`ethereum:${other}`, good(3)]))
    expect(await ask([coin, other])).toEqual({
      quotes: new Map([[other, { price: 3n * oneDollar }]]),
      silent: new Set<Address>(),
    })
  })

  test("a coin that was not asked for, of another chain, or there twice", async () => {
    answer(() =>
      coins(
        [`bsc:${coin}`, good()],
        [`ethereum:${other}`, good()],
        [entry, good()],
        [entry.replace("0x", "0X"), good(9)],
      ),
    )
    expect(await ask()).toEqual(none)
  })
})

describe("An answer that is none leaves the token as it was", () => {
  const bodies: ReadonlyArray<readonly [string, () => Response | Promise<Response>]> = [
    ["500", () => new HttpResponse("broken", { status: 500 })],
    ["429", () => new HttpResponse("slow down", { status: 429 })],
    ["HTML", () => HttpResponse.html("<html><body>1.5</body></html>")],
    ["nothing", () => HttpResponse.text("")],
    ["half of JSON", () => HttpResponse.text(`{"coins":{"ethereum:${coin}":{"price":1.5,`)],
    ["JSON of another shape", () => HttpResponse.json({ [`ethereum:${coin}`]: good() })],
    ["a list of coins", () => HttpResponse.json({ coins: [good()] })],
    ["null", () => HttpResponse.json(null)],
    ["a refused connection", () => HttpResponse.error()],
    ["more than a megabyte", () => HttpResponse.text(`{"coins":{}}${" ".repeat(1_100_000)}`)],
    ["no answer at all", () => new Promise<Response>(() => {})],
    [
      "a body that never ends",
      () =>
        new HttpResponse(
          new ReadableStream<Uint8Array>({
            start: (controller) => controller.enqueue(new TextEncoder().encode(`{"coins":{"ethereum:${coin}":`)),
          }),
        ),
    ],
  ]
  test.each(bodies)("%s", async (_, body) => {
    answer(body)
    expect(await ask([coin], { source: make({ timeoutMs: 200 }) })).toEqual(silent)
  })

  test("is not asked for again at once", async () => {
    const asked = answer(() => new HttpResponse("broken", { status: 503 }))
    const source = make()
    const tokens = Array.from({ length: 120 }, (_, number) => address(1000 + number))
    expect(await ask(tokens, { source })).toEqual({ quotes: new Map(), silent: new Set(tokens) })
    expect(await ask([coin], { source })).toEqual(silent)
    expect(asked).toHaveLength(1)
  })

  test("by property: no body makes a price that is not written in it", () => {
    const at = now()
    const key = `ethereum:${coin}`
    const read = (value: unknown) => readCoins(JSON.stringify({ coins: { [key]: value } }), [key], at)!
    /** Mostly a right value, with whether it is one. */
    const field = (right: fc.Arbitrary<number>, wrong: fc.Arbitrary<unknown>) =>
      fc.oneof(
        { weight: 4, arbitrary: right.map((value) => ({ value, isRight: true })) },
        { weight: 1, arbitrary: fc.oneof(wrong, noNumber).map((value) => ({ value, isRight: false })) },
      )
    const noNumber = fc.constantFrom("0.99", "1", undefined, null, true, [1], {})
    const double = (min: number, max: number) => fc.double({ min, max, noNaN: true })
    const fields = fc.record({
      price: field(double(1e-15, 1e12), fc.oneof(double(-1e12, 0), double(1.1e12, 1e300), double(0, 1e-19))),
      confidence: field(double(0.9, 1), fc.oneof(double(-5, 0.899), double(1.001, 100))),
      timestamp: field(
        fc.integer({ min: at - 3600, max: at + 3600 }),
        fc.oneof(fc.integer({ max: at - 3601 }), fc.integer({ min: at + 3601 })),
      ),
    })
    let [priced, unpriced] = [0, 0]
    fc.assert(
      fc.property(fields, fc.jsonValue(), ({ price, confidence, timestamp }, more) => {
        const given = { price: price.value, confidence: confidence.value, timestamp: timestamp.value, more }
        const prices = read(given)
        if (!(price.isRight && confidence.isRight && timestamp.isRight)) {
          expect(prices.size).toBe(0)
          unpriced++
          return
        }
        const written = Number(price.value)
        expect(Math.abs(Number(prices.get(key)) / 1e18 - written)).toBeLessThanOrEqual(written * 1e-12 + 1e-18)
        priced++
      }),
      { numRuns: 500 },
    )
    expect([priced > 100, unpriced > 100]).toEqual([true, true])
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(read(value).size).toBe(0)))
    fc.assert(fc.property(fc.string(), (body) => expect(readCoins(body, [coin], now())).toBeUndefined()))
  })
})
