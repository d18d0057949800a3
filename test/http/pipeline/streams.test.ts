/** NDJSON and CSV: all rows of a native list, of one snapshot, piece by piece. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { type MediaType, wantedMediaType } from "../../../src/adapters/http/contract/mediaType.ts"
import { streamOf } from "../../../src/adapters/http/pipeline/streaming.ts"
import { StoreUnavailable } from "../../../src/model/errors.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { problemOf } from "../../support/failure.ts"
import { checkCommonHeaders, type Json, prefix, startService, store, type TestService } from "../support.ts"

const zero = address(0)
const token = address(0x70)
const base = prefix("43114")
const holder = (number: number) => address(0x1000 + number)
/** 2,345 holders: three reads of the store. */
const holders = 2345

let service: TestService
beforeAll(async () => {
  service = await startService()
  const chain = new TestChain()
  for (let first = 0; first < holders; first += 400) {
    const numbers = Array.from({ length: Math.min(400, holders - first) }, (_, place) => first + place)
    chain.block([
      ...numbers.map((number) => transfer(token, zero, holder(number), BigInt(1 + (number % 50)))),
      ...numbers.slice(0, 3).map((number) => nftTransfer(token, zero, holder(number), BigInt(number))),
      multiTransfer(token, zero, holder(first), [
        [1n, 5n],
        [2n ** 256n - 1n, 2n ** 200n],
      ]),
    ])
  }
  await store(service, "43114", chain, { [token]: { name: 'Gold, "pure"', symbol: "A\nU", decimals: 18 } })
})
afterAll(() => service.close())

const ask = (path: string, accept: string, init: RequestInit = {}) =>
  service.fetch(`${base}${path}`, { ...init, headers: { accept } })

const walk = async (path: string): Promise<ReadonlyArray<Json>> => {
  const items: Array<Json> = []
  let next: string | undefined = `${base}${path}${path.includes("?") ? "&" : "?"}limit=1000`
  while (next !== undefined) {
    const { body }: { body: Json } = await service.get(next)
    items.push(...body.items)
    next = body.link.next
  }
  return items
}

const lists = [
  "/erc20",
  "/erc721",
  "/erc20-transfers",
  "/erc20-transfers?sort=asc&blockNumberFrom=1",
  `/erc20-transfers?to=${holder(3)},${holder(4)}`,
  "/erc721-transfers",
  "/erc1155-transfers",
  "/erc20-swaps",
  `/erc20/${token}/holders`,
  `/erc721/${token}/holders`,
  `/erc1155/${token}/holders`,
  `/erc721/${token}/tokens`,
]

describe("what is streamed", () => {
  test.each(lists)("%s as NDJSON is the rows of its pages, a line each", async (path) => {
    const response = await ask(path, "application/x-ndjson")
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8")
    const lines = (await response.text()).split("\n")
    expect(lines.pop()).toBe("")
    expect(lines.map((line) => JSON.parse(line))).toEqual([...(await walk(path))])
  })

  test.each(lists)("%s as CSV is the same rows under a line of names", async (path) => {
    const response = await ask(path, "text/csv")
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present")
    const [names, ...rows] = parseCsv(await response.text())
    const expected = (await walk(path)).map((item) => names!.map((name) => textAt(item, name)))
    expect(rows).toEqual(expected)
  })

  test("integers of any size come out digit by digit", async () => {
    const text = await (await ask(`/erc1155/${token}/holders`, "text/csv")).text()
    expect(text).toContain(`,${2n ** 256n - 1n},${2n ** 200n}\r\n`)
    expect(text.startsWith("chainId,address,tokenId,balance\r\n")).toBe(true)
  })

  test("an empty list is nothing, or a line of names", async () => {
    expect(await (await ask(`/erc20/${address(0x99)}/holders`, "application/x-ndjson")).text()).toBe("")
    const csv = await ask(`/erc20/${address(0x99)}/holders`, "text/csv")
    expect(await csv.text()).toBe("chainId,address,balance,percentage\r\n")
  })

  test("a limit that is asked for counts, and next is where it begins", async () => {
    const path = `/erc20/${token}/holders`
    const first = await service.get(`${base}${path}?limit=1000`)
    const rows = async (query: string) =>
      (await (await ask(`${path}?${query}`, "application/x-ndjson")).text())
        .trim()
        .split("\n")
        .map((it) => JSON.parse(it))
    expect(await rows("limit=7")).toEqual(first.body.items.slice(0, 7))
    const rest = await rows(`next=${first.body.link.nextToken}`)
    expect([...first.body.items, ...rest]).toEqual([...(await walk(path))])
  })
})

describe("answers", () => {
  test("carry the headers of every answer, no tag, and say that they vary", async () => {
    const response = await ask(`/erc20/${token}/holders`, "application/x-ndjson")
    checkCommonHeaders(response)
    expect(response.headers.get("x-as-of-block")).toBe("43114:5")
    expect([response.headers.get("etag"), response.headers.get("cache-control")]).toEqual([null, "no-store"])
    expect(response.headers.get("vary")).toBe("Accept, Accept-Encoding")
    expect((await service.fetch(`${base}/erc20`)).headers.get("vary")).toBe("Accept, Accept-Encoding")
    await response.text()
  })

  test("faults are JSON, as always", async () => {
    const refused = await ask("/erc20?limit=x", "text/csv")
    expect(refused.headers.get("content-type")).toBe("application/json; charset=utf-8")
    expect(((await refused.json()) as Json).code).toBe("INVALID_PARAMETER")
    const { body } = await service.get(`${base}/erc20/${token}/holders?limit=10`)
    const second = await service.get(body.link.next)
    const back = await ask(`/erc20/${token}/holders?prev=${second.body.link.prevToken}`, "application/x-ndjson")
    expect([back.status, await back.json()]).toEqual([
      400,
      {
        statusCode: 400,
        code: "INVALID_PARAMETER",
        error: "Bad Request",
        message: "prev: expected no value (application/x-ndjson goes forward only), got a token",
      },
    ])
  })

  test("HEAD has the headers and begins nothing", async () => {
    const response = await ask(`/erc20/${token}/holders`, "text/csv", { method: "HEAD" })
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present")
    expect(await response.text()).toBe("")
  })

  test("what has one value, and compatibility answers, stay JSON", async () => {
    const path = `/compat/api?module=stats&action=tokensupply&contractaddress=${token}`
    expect(((await (await ask(path, "text/csv")).json()) as Json).status).toBe("1")
  })
})

test.each<[string | undefined, MediaType]>([
  [undefined, "json"],
  ["", "json"],
  ["*/*", "json"],
  ["text/html,application/xhtml+xml,*/*;q=0.8", "json"],
  ["text/csv", "csv"],
  ["Text/CSV; header=present", "csv"],
  ["application/x-ndjson", "ndjson"],
  ["application/ndjson, */*", "ndjson"],
  ["application/json, text/csv", "json"],
  ["application/json;q=0.5, text/csv;q=0.9", "csv"],
  ["text/csv;q=0", "json"],
  ["text/csv;q=x", "json"],
  ["__proto__, constructor", "json"],
])("Accept: %s means %s", (accept, wanted) => {
  expect(wantedMediaType(accept)).toBe(wanted)
})

describe("a stream that ends early", () => {
  test("because the store fails is broken off, and the snapshot let go", async () => {
    const closed: Array<string> = []
    let pieces = 0
    const stream = streamOf<never>(
      {
        pull: Effect.suspend(() =>
          ++pieces === 3 ? Effect.fail(new StoreUnavailable({ cause: "gone" })) : Effect.succeed(`piece ${pieces}\n`),
        ),
        close: Effect.sync(() => void closed.push("closed")),
      },
      (effect) => Effect.runPromiseExit(effect),
    )
    const reader = stream.getReader()
    const text = async () => new TextDecoder().decode((await reader.read()).value)
    expect([await text(), await text()]).toEqual(["piece 1\n", "piece 2\n"])
    expect(await problemOf(reader.read())).toContain("broken off: the rest cannot be read")
    expect(closed).toEqual(["closed"])
  })

  test("because no further rows come lets the snapshot go", async () => {
    const closed: Array<string> = []
    let pieces = 0
    const stream = streamOf<never>(
      {
        pull: Effect.suspend(() => (++pieces === 2 ? Effect.never : Effect.succeed("piece\n"))),
        close: Effect.sync(() => void closed.push("closed")),
      },
      (effect) => Effect.runPromiseExit(effect),
      { rowsMs: 20 },
    )
    const reader = stream.getReader()
    await reader.read()
    expect(await problemOf(reader.read())).toContain("broken off: the store gives no further rows")
    expect(closed).toEqual(["closed"])
  })

  test("because the client reads no more lets the snapshot go", async () => {
    const closed = Promise.withResolvers<string>()
    const stream = streamOf<never>(
      { pull: Effect.succeed("piece\n"), close: Effect.sync(() => closed.resolve("closed")) },
      (effect) => Effect.runPromiseExit(effect),
      { unreadMs: 20, wholeMs: 60_000 },
    )
    expect(await closed.promise).toBe("closed")
    expect(
      await problemOf(
        stream
          .getReader()
          .read()
          .then((first) => first),
      ),
    ).toContain("broken off: the client reads no more")
  })

  test("because the client leaves lets the snapshot go, once", async () => {
    let closed = 0
    const stream = streamOf<never>(
      { pull: Effect.succeed("piece\n"), close: Effect.sync(() => void closed++) },
      (effect) => Effect.runPromiseExit(effect),
    )
    const reader = stream.getReader()
    await reader.read()
    await reader.cancel()
    await reader.cancel()
    expect(closed).toBe(1)
  })

  test("no more than one piece is read ahead of the client", async () => {
    let pulls = 0
    const stream = streamOf<never>({ pull: Effect.sync(() => `piece ${++pulls}\n`), close: Effect.void }, (effect) =>
      Effect.runPromiseExit(effect),
    )
    const reader = stream.getReader()
    for (let read = 1; read <= 5; read++) {
      await reader.read()
      await Bun.sleep(1)
      expect(pulls).toBeLessThanOrEqual(read + 2)
    }
    await reader.cancel()
  })
})

/** RFC 4180, strictly. */
const parseCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = []
  let rest = text
  let row: Array<string> = []
  while (rest !== "") {
    const [whole, quoted, plain, end] = rest.match(/^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/) ?? []
    if (whole === undefined) throw new Error(`no CSV: ${rest.slice(0, 80)}`)
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? "")
    if (end === "\r\n") {
      rows.push(row)
      row = []
    }
    rest = rest.slice(whole.length)
  }
  return rows
}

const textAt = (item: Json, name: string): string => {
  const value = name.split(".").reduce((inner: Json, part) => inner?.[part], item)
  return value === undefined ? "" : String(value).replace("\n", "\\n")
}
