/** The figures of a native supply: exact to the last digit, and none where a source says what cannot be. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { HttpResponse, http } from "msw"
import { setupServer } from "msw/node"
import { formatDecimal, parseDecimal, subtract } from "../../src/adapters/supply/decimal.ts"
import { findFigures } from "../../src/adapters/supply/figures.ts"
import { issuedBy } from "../../src/adapters/supply/issuance.ts"
import { readFigure } from "../../src/adapters/supply/published.ts"
import * as FetchDocuments from "../../src/adapters/web/FetchDocuments.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { SupplySettings } from "../../src/model/userFiles/supplySettings.ts"
import { WebDocuments } from "../../src/ports/WebDocuments.ts"
import { address } from "../support/chain/testChain.ts"

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

/** Address n holds n + 1 wei after block 100; the block asked for is in the answer of address 9. */
const balances = {
  of: (_: string, addresses: ReadonlyArray<string>, block: number) =>
    Effect.succeed(addresses.map((it) => (it === address(9) ? BigInt(block) : BigInt(it) + 1n))),
}
const figuresOf = (settings: SupplySettings, { decimals = 18, block = 100 } = {}) =>
  Effect.runPromise(
    WebDocuments.use((web) =>
      findFigures(
        { web, balances },
        { chainId: ChainId.make("1"), symbol: "ETH", decimals, settings },
        { blockNumber: block },
      ),
    ).pipe(Effect.provide(FetchDocuments.layer), Effect.result),
  )
const refusalOf = async (...given: Parameters<typeof figuresOf>) => {
  const result = await figuresOf(...given)
  if (Result.isSuccess(result)) throw new Error(`expected a refusal, got ${JSON.stringify(result.success)}`)
  return result.failure.message
}
const both = (figure: string) => Result.succeed({ totalSupply: figure, circulatingSupply: figure })

describe("decimals", () => {
  test("are read and written digit by digit, E-notation included", () => {
    const texts = ["0", "0.0", "1", "120.50", "120523456.123456789012345678", "1.2e26", "1E-3", "1500e-2", "007"]
    expect(texts.map((text) => formatDecimal(parseDecimal(text)!))).toEqual([
      "0",
      "0",
      "1",
      "120.5",
      "120523456.123456789012345678",
      "120000000000000000000000000",
      "0.001",
      "15",
      "7",
    ])
  })

  test.each(["", "-1", "+1", "1,000", "1.", ".5", "0x10", "1e999", "NaN", "1 ETH", "٣", "1e-400", "9".repeat(201)])(
    "%p is no decimal",
    (text) => {
      expect(parseDecimal(text)).toBeUndefined()
    },
  )

  test("what is taken off and put back is the same number", () => {
    const decimal = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 60n }), fc.nat(18))
    fc.assert(
      fc.property(decimal, decimal, ([a, scaleA], [b, scaleB]) => {
        const [x, y] = [
          { units: a, scale: scaleA },
          { units: b, scale: scaleB },
        ]
        const [wideA, wideB] = [a * 10n ** BigInt(18 - scaleA), b * 10n ** BigInt(18 - scaleB)]
        const difference = subtract(x, y)
        if (wideA < wideB) expect(difference).toBeUndefined()
        else expect(difference!.units * 10n ** BigInt(18 - difference!.scale)).toBe(wideA - wideB)
        expect(formatDecimal(parseDecimal(formatDecimal(x))!)).toBe(formatDecimal(x))
        expect(formatDecimal(x)).not.toMatch(/e|\.\d*0$|\.$/)
      }),
    )
  })
})

describe("a halving issuance", () => {
  test("is the sum of the rewards of its blocks", () => {
    fc.assert(
      fc.property(
        fc.nat(300),
        fc.integer({ min: 1, max: 40 }),
        fc.nat(50),
        fc.nat(1000),
        (block, interval, first, reward) => {
          let naive = 7n
          for (let at = first; at <= block; at++) naive += BigInt(reward) >> BigInt(Math.floor((at - first) / interval))
          expect(issuedBy({ premined: 7n, reward: BigInt(reward), interval, firstBlock: first }, block)).toBe(naive)
        },
      ),
    )
  })

  test("comes to the end that everybody knows", async () => {
    const settings = { kind: "halving", reward: "50", interval: 210_000, firstBlock: 0 } as const
    expect(await figuresOf(settings, { decimals: 8, block: 2 ** 31 - 1 })).toEqual(both("20999999.9769"))
    expect(await figuresOf(settings, { decimals: 8, block: 839_999 })).toEqual(both("19687500"))
    expect(await figuresOf({ ...settings, premined: "0.5", firstBlock: 101 }, { decimals: 8 })).toEqual(both("0.5"))
  })

  test("of a reward that the currency cannot pay is refused", async () => {
    expect(await refusalOf({ kind: "halving", reward: "0.001", interval: 1 }, { decimals: 2 })).toBe(
      "0.001 has more than 2 decimals",
    )
  })
})

test("a fixed figure that the currency cannot have is refused", async () => {
  expect(await refusalOf({ kind: "fixed", total: "1.005" }, { decimals: 2 })).toBe("1.005 has more than 2 decimals")
})

describe("balances taken off", () => {
  const fixed = { kind: "fixed", total: "1" } as const

  test("burnt ones are in neither figure, locked ones do not circulate, one that is both counts once", async () => {
    expect(await figuresOf({ ...fixed, burnt: [address(1), address(2)], locked: [address(2), address(3)] })).toEqual(
      Result.succeed({ totalSupply: "0.999999999999999995", circulatingSupply: "0.999999999999999991" }),
    )
  })

  test("are those after the block asked for", async () => {
    expect(await figuresOf({ ...fixed, burnt: [address(9)] }, { block: 500 })).toEqual(both("0.9999999999999995"))
  })

  test("that are more than there is are refused", async () => {
    expect(await refusalOf({ ...fixed, total: "0.000000000000000001", locked: [address(1)] })).toBe(
      "the burnt and locked balances are more than there is",
    )
  })
})

describe("published figures", () => {
  const totalUrl = "https://supply.test/secretkey123/total"
  const circulatingUrl = "https://supply.test/secretkey123/circulating"
  const settings = { kind: "http", totalUrl, circulatingUrl } as const
  const publish = (total: string, circulating = total) =>
    server.use(
      http.get(totalUrl, () => new HttpResponse(total)),
      http.get(circulatingUrl, () => new HttpResponse(circulating)),
    )

  test("are plain numbers, also as a JSON text", async () => {
    publish("462451837.190000000000000001\n", '"422276596"')
    expect(await figuresOf(settings)).toEqual(
      Result.succeed({ totalSupply: "462451837.190000000000000001", circulatingSupply: "422276596" }),
    )
  })

  test("stand at paths of JSON, both in one document if need be, and lose no digit there", async () => {
    let times = 0
    server.use(
      http.get(totalUrl, () => {
        times++
        return new HttpResponse('{"a \\" 1":[{"total":120523456.123456789012345678,"now":1.2e8}],"1":-5}')
      }),
    )
    const at = (place: string) => `a " 1.0.${place}`
    expect(await figuresOf({ kind: "http", totalUrl, totalPath: at("total"), circulatingPath: at("now") })).toEqual(
      Result.succeed({ totalSupply: "120523456.123456789012345678", circulatingSupply: "120000000" }),
    )
    expect(times).toBe(1)
  })

  test("may be in the smallest unit; without a circulating figure all of it circulates, less what is locked", async () => {
    publish("120523456123456789012345678")
    expect(await figuresOf({ kind: "http", totalUrl, unit: "smallest", locked: [address(0)] })).toEqual(
      Result.succeed({
        totalSupply: "120523456.123456789012345678",
        circulatingSupply: "120523456.123456789012345677",
      }),
    )
  })

  test.each([
    ["<html>Bad gateway</html>", "it is no number"],
    ["", "it is no number"],
    ["-5", "it is no number"],
    ["1,000", "it is no number"],
    ["null", "it is no number"],
    ['{"total":5}', "it is no number"],
    ["0", "0 is no supply of a chain"],
    ["0.000", "0 is no supply of a chain"],
  ])("%p is refused, without the key of the URL", async (body, problem) => {
    publish(body)
    expect(await refusalOf(settings)).toBe(`https://supply.test: ${problem}`)
  })

  test.each([
    ["<html></html>", "it is not JSON"],
    ['{"result":null}', "there is no number at result.total"],
    ['{"result":{"total":true}}', "there is no number at result.total"],
    ['{"result":{"total":"soon"}}', "there is no number at result.total"],
    ['{"result":{"total":-1}}', "there is no number at result.total"],
    ['{"result":{"total":1e400}}', "there is no number at result.total"],
    ['{"status":"0","message":"NOTOK"}', "there is no number at result.total"],
  ])("%p is refused where a path is wanted", async (body, problem) => {
    publish(body)
    expect(await refusalOf({ ...settings, totalPath: "result.total" })).toBe(`https://supply.test: ${problem}`)
  })

  test("that the currency cannot have, of more decimals than it has, are refused; zeros at the end are none", async () => {
    publish("120.1234567890123456789")
    expect(await refusalOf(settings)).toBe("https://supply.test: 120.1234567890123456789 has more than 18 decimals")
    publish("120", "119.999")
    expect(await refusalOf(settings, { decimals: 2 })).toBe("https://supply.test: 119.999 has more than 2 decimals")
    publish("12000.5")
    expect(await refusalOf({ kind: "http", totalUrl, unit: "smallest" }, { decimals: 2 })).toBe(
      "https://supply.test: 120.005 has more than 2 decimals",
    )
    publish("120.5000", "1205000e-4")
    expect(await figuresOf(settings, { decimals: 1 })).toEqual(both("120.5"))
  })

  test("more in circulation than there is is refused", async () => {
    publish("5", "5.000000000000000001")
    expect(await refusalOf(settings)).toBe("more circulates than there is")
  })

  test("a failing publisher is a failure, without the key of the URL", async () => {
    server.use(http.get(totalUrl, () => new HttpResponse("5", { status: 500 })))
    expect(await refusalOf(settings)).toBe("https://supply.test: HTTP 500")
  })

  test("whatever stands there, it is a number or refused", () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), fc.string(), (json, text, path) => {
        for (const given of [json, text]) {
          for (const at of [undefined, path, "a.0"]) {
            const read = readFigure(given, at)
            expect("problem" in read || read.units >= 0n).toBe(true)
          }
        }
      }),
    )
  })
})
