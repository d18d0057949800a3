/** A portfolio through time over several chains: at each time the sum of theirs, to the last digit, and none where one cannot speak. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { ChainId } from "../../../src/model/primitives.ts"
import { TokenPrices } from "../../../src/ports/TokenPrices.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../support.ts"

const zero = address(0)
const [ann, gold, salt] = [address(0xc1), address(0x10), address(0x11)]
const hour = 3600
/** The beginning of a day. */
const day = 19_700 * 24 * hour

/** Blocks so many minutes behind `begin`, in each of which something comes in. */
const chainOf = (begin: number, minutes: ReadonlyArray<number>, amount: bigint): TestChain => {
  const chain = new TestChain(new Set(), 0, begin)
  for (const [place, minute] of minutes.entries())
    chain.block([transfer(place % 3 === 2 ? salt : gold, zero, ann, amount + BigInt(place))], {
      time: begin + 60 * minute,
    })
  return chain
}
const long = Array.from({ length: 40 }, (_, place) => 10 + 53 * place)

let service: TestService
beforeAll(async () => {
  service = await startService()
  const descriptions = { [gold]: { decimals: 18 }, [salt]: { decimals: 3 } }
  // One begins ten hours later than the other, and is behind it.
  await store(service, "43114", chainOf(day, long, 10n ** 18n / 7n), descriptions)
  await store(service, "1", chainOf(day + 10 * hour, long.slice(0, 22), 10n ** 18n / 3n), descriptions)
  for (const chainId of ["43114", "1"])
    for (let at = 0; at < 36; at++)
      await service.run(
        TokenPrices.use((port) =>
          port.recordHour(
            ChainId.make(chainId),
            day / hour + at,
            [{ address: gold, price: (10n ** 18n * BigInt(at + 3)) / 11n }],
            day / hour + at + 1,
          ),
        ),
      )
})
afterAll(() => service.close())

const pathOf = (chain: string, query: string) => `${prefix(chain)}/address/${ann}/portfolio/history?${query}`
const rowsOf = async (chain: string, query: string): Promise<ReadonlyArray<Json>> => {
  const rows: Array<Json> = []
  for (let next: string | undefined = pathOf(chain, query); next !== undefined; ) {
    const { status, body } = await service.get(next)
    expect([next, status]).toEqual([next, 200])
    rows.push(...body.items)
    next = body.link.next
  }
  return rows
}
const unitsOf = (usd = "0"): bigint => {
  const [whole, fraction = ""] = usd.split(".") as [string, string?]
  return BigInt(whole + fraction.padEnd(18, "0"))
}

describe("the history of all chains", () => {
  test("is the sum of theirs at each time of which both can speak", async () => {
    const [one, other, all] = await Promise.all(
      ["43114", "1", "all"].map((chain) => rowsOf(chain, "interval=1h&sort=asc&limit=1000")),
    )
    const last = other!.at(-1).timestamp
    const wanted = one!.filter(({ timestamp }) => timestamp <= last)
    expect(all!.map(({ timestamp }) => timestamp)).toEqual(wanted.map(({ timestamp }) => timestamp))
    expect(all!.length).toBeGreaterThan(20)
    expect(one!.length).toBeGreaterThan(all!.length)
    for (const row of all!) {
      const parts = [one!, other!].flatMap((rows) => rows.filter(({ timestamp }) => timestamp === row.timestamp))
      const sum = (of: (row: Json) => bigint | number) => parts.map(of).reduce((a, b) => BigInt(a) + BigInt(b), 0n)
      expect([unitsOf(row.valueUsd), BigInt(row.tokens), BigInt(row.priced)]).toEqual([
        sum(({ valueUsd }) => unitsOf(valueUsd)) as bigint,
        sum(({ tokens }) => tokens) as bigint,
        sum(({ priced }) => priced) as bigint,
      ])
      expect([row.chains, row.chainId, row.blockNumber]).toEqual([2, undefined, undefined])
    }
    expect(new Set(all!.map(({ valueUsd }) => valueUsd)).size).toBeGreaterThan(15)
  })

  test("goes on by its links, both ways, and is the same in parts", async () => {
    const whole = await rowsOf("all", "interval=1h&limit=1000")
    expect(await rowsOf("all", "interval=1h&limit=5")).toEqual(whole)
    const from = whole[9].timestamp
    expect(await rowsOf("all", `interval=1h&timestampFrom=${from}&limit=3`)).toEqual(whole.slice(0, 10))
    const second = (await service.get((await service.get(pathOf("all", "interval=1h&limit=4"))).body.link.next)).body
    expect((await service.get(second.link.prev)).body.items).toEqual(whole.slice(0, 4))
    expect((await service.get(pathOf("all", "interval=1h&count=true&limit=1"))).body.count).toBe(whole.length)
  })

  test("of one that is selected is its own; as CSV as well", async () => {
    const own = await rowsOf("43114", "interval=1h")
    const selected = await rowsOf("all", "interval=1h&includedChainIds=43114")
    expect(selected.map(({ chains: _, ...row }) => row)).toEqual(
      own.map(({ chainId: _, blockNumber: __, ...row }) => row),
    )
    expect(await rowsOf("all", "interval=1h&includedChainIds=10")).toEqual([])
    const csv = await service.fetch(pathOf("all", "interval=1d"), { headers: { accept: "text/csv" } })
    const [head, row] = (await csv.text()).split("\r\n")
    expect(head).toBe("chainId,timestamp,blockNumber,chains,valueUsd,tokens,priced,unpriced,source,suspect")
    expect(row).toMatch(/^,2023-\d\d-\d\dT00:00:00.000Z,,2,[\d.]+,4,2,2,,$/)
  })

  test("has no blocks", async () => {
    for (const [query, message] of [
      ["interval=block", "interval: expected 1h or 1d where several chains are asked, got block"],
      [
        "blockNumberFrom=1",
        "blockNumberFrom: expected no value: hours and days are chosen by timestampFrom and timestampTo, got 1",
      ],
    ] as const) {
      const { status, body } = await service.get(pathOf("all", query))
      expect([status, body.message]).toEqual([400, message])
    }
  })
})

test("of a chain that the selectors leave out it is empty, whatever the interval; what is refused is so still", async () => {
  for (const selector of ["excludedChainIds=43114", "includedChainIds=1", "ecosystem=nowhere"]) {
    for (const interval of ["block", "1h", "1d"]) {
      const { status, body } = await service.get(pathOf("43114", `interval=${interval}&${selector}`))
      expect([selector, interval, status, body]).toEqual([selector, interval, 200, { items: [], link: {} }])
    }
    for (const query of [
      "interval=block&standard=native",
      "interval=1h&blockNumberFrom=1",
      "interval=block&blockNumberFrom=2&blockNumberTo=1",
    ]) {
      const [left, kept] = [
        await service.get(pathOf("43114", `${query}&${selector}`)),
        await service.get(pathOf("43114", query)),
      ]
      expect([query, left.status, left.body.message]).toEqual([query, 400, kept.body.message])
    }
    expect((await service.get(pathOf("all", `interval=block&${selector}`))).status).toBe(400)
  }
})

test("of nothing the count is 0: where no chain is left, where none has a block, and where one has none", async () => {
  const empty = { items: [], count: 0, countType: "exact", link: {} }
  for (const interval of ["1h", "1d"])
    for (const [chain, selector] of [
      ["43114", "&excludedChainIds=43114"],
      ["all", "&includedChainIds=10"],
      ["all", "&ecosystem=nowhere"],
      ["10", ""],
    ] as const) {
      const { status, body } = await service.get(pathOf(chain, `interval=${interval}&count=true${selector}`))
      expect([interval, chain, selector, status, body]).toEqual([interval, chain, selector, 200, empty])
    }
  // Blocks are not counted, of a chain that is left out as of one that is not.
  for (const selector of ["", "&excludedChainIds=43114"]) {
    const { status, body } = await service.get(pathOf("43114", `interval=block&count=true&limit=1${selector}`))
    expect([selector, status, body.count, body.countType]).toEqual([selector, 200, undefined, undefined])
  }
})

test("a portfolio is a row a chain as CSV and NDJSON", async () => {
  const path = `${prefix("all")}/address/${ann}/portfolio`
  const { chains } = (await service.get(path)).body
  const ndjson = await service.fetch(path, { headers: { accept: "application/x-ndjson" } })
  expect(ndjson.headers.get("content-type")).toStartWith("application/x-ndjson")
  expect(
    (await ndjson.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(chains)
  const csv = await (await service.fetch(path, { headers: { accept: "text/csv" } })).text()
  expect(csv.split("\r\n").map((line) => line.split(",")[0])).toEqual(["chainId", "1", "43114", ""])
})
