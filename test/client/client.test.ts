/** The client's calls: against the documented service, and against answers that a service gives in trouble. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { operations } from "../../client/src/generated/operations.ts"
import { CowryError, createClient, type ErrorCode } from "../../client/src/index.ts"
import { sampleContracts, sampleHolder } from "../../src/adapters/http/contract/samples.ts"
import { type Server, serve } from "../../src/adapters/http/server.ts"
import { startDocumented } from "../http/openapi/documentedWorld.ts"
import type { TestService } from "../http/support.ts"

let service: TestService
let server: Server
let baseUrl: string
/** What was asked, newest last. */
const asked: Array<Request> = []
const clientOf = (more: Partial<Parameters<typeof createClient>[0]> = {}) =>
  createClient({
    baseUrl,
    fetch: (request) => {
      asked.push(request)
      return fetch(request)
    },
    ...more,
  })

beforeAll(async () => {
  service = await startDocumented()
  server = await serve(service.app, { port: 0, hostname: "127.0.0.1", graceMs: 200 })
  baseUrl = `http://127.0.0.1:${server.port}`
})
afterAll(async () => {
  await server.stop()
  await service.close()
})

/** Of the OpenAPI document. */
interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly type?: string }
  readonly example?: unknown
}
type Method = (...args: ReadonlyArray<unknown>) => Promise<unknown> | { readonly page: () => Promise<unknown> }

const errorOf = async (call: Promise<unknown>): Promise<CowryError> => {
  const error = await call.then(
    () => "an answer",
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(CowryError)
  return error as CowryError
}

describe("a list", () => {
  test("gives the same rows page by page, in one page and as a whole, each once and in their order", async () => {
    const chain = clientOf().chain(43114)
    const paged = await Array.fromAsync(chain.erc20Transfers({ limit: 1, sort: "asc" }))
    const pages = await Array.fromAsync(chain.erc20Transfers({ limit: 2, sort: "asc" }).pages())
    const { rows, asOf } = await chain.erc20Transfers({ sort: "asc" }).whole()
    const { rows: ofAnySize } = await chain.erc20Transfers({ limit: 1, sort: "asc" }).whole()
    expect(paged.length).toBeGreaterThan(4)
    expect(pages.flatMap(({ items }) => items)).toEqual(paged)
    expect(await Array.fromAsync(rows)).toEqual(paged)
    expect(await Array.fromAsync(ofAnySize)).toEqual(paged)
    expect(asOf).toEqual(pages[0]!.asOf)
    const { body } = await service.get("/v2/network/mainnet/evm/43114/erc20-transfers?sort=asc")
    expect(JSON.stringify(paged)).toBe(JSON.stringify(body.items))
  })

  test("has whole numbers as bigint beside the text, and only those that the row has", async () => {
    const chain = clientOf().chain(43114)
    const transfers = await Array.fromAsync(chain.erc1155Transfers())
    for (const { raw, ...row } of transfers)
      expect([raw.amount, raw.tokenId].map(String)).toEqual([row.amount, row.tokenId])
    const [priced] = (await chain.topErc20().page()).items
    const plain = (await Array.fromAsync(chain.erc20())).find(({ price }) => price === undefined)
    expect(priced!.raw).toEqual({
      totalSupply: BigInt(priced!.totalSupply!),
      price: BigInt(priced!.price!),
      marketCap: BigInt(priced!.marketCap!),
    })
    // In doubt: it has no supply.
    expect([plain!.totalSupply, Object.keys(plain!.raw)]).toEqual([undefined, []])
    expect(JSON.parse(JSON.stringify(priced))).toEqual({ ...priced })
    expect(Object.keys(priced!)).not.toContain("raw")
    const [swap] = await Array.fromAsync(chain.erc20Swaps())
    expect([typeof swap!.price, Object.keys(swap!.raw)]).toEqual(["number", ["tokenInQty", "tokenOutQty"]])
  })

  test("is walked from a cursor on, and back", async () => {
    const chain = clientOf().chain(43114)
    const first = await chain.erc20Transfers({ limit: 2 }).page()
    const second = await chain.erc20Transfers({ limit: 2 }).page(first.next)
    const rest = await Array.fromAsync(chain.erc20Transfers({ limit: 2, next: first.next! }))
    expect(rest.slice(0, 2)).toEqual([...second.items])
    const back = await chain.erc20Transfers({ limit: 2, prev: second.prev! }).page()
    expect(back.items).toEqual(first.items)
    const all = await Array.fromAsync(chain.erc20Transfers({ limit: 2, prev: second.prev! }))
    expect(all).toEqual([...first.items, ...rest])
  })

  test("reads no page that nobody wants", async () => {
    asked.length = 0
    for await (const _ of clientOf().chain(43114).erc20Transfers({ limit: 2 })) break
    expect(asked.length).toBe(1)
  })

  test("that does not go on is no endless one", async () => {
    // The documented service has one page of it, for ever.
    expect((await errorOf(Array.fromAsync(clientOf().chain(43114).topErc20()))).code).toBe("UNEXPECTED_ANSWER")
  })

  test("of an unknown token is empty", async () => {
    expect(
      await Array.fromAsync(
        clientOf()
          .chain(43114)
          .erc20Holders(`0x${"0".repeat(40)}`),
      ),
    ).toEqual([])
  })
})

describe("an answer", () => {
  test("says which block it speaks of, of each chain, and how true it is", async () => {
    const cowry = clientOf()
    const one = await cowry.chain(43114).erc20One(sampleContracts.erc20)
    expect(one.asOf).toEqual([
      {
        chainId: "43114",
        block: 1_000_003,
        hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        time: new Date("2026-01-01T00:00:48Z"),
        lagBlocks: 0,
        finality: "latest",
      },
    ])
    expect([one.auditState, one.data.raw.totalSupply]).toEqual(["exact", BigInt(one.data.totalSupply!)])
    const all = await cowry.chain("all").erc20({}).page()
    expect(all.asOf.map(({ chainId, block }) => [chainId, block])).toEqual([
      ["1", 0],
      ["43114", 1_000_003],
    ])
    const final = await cowry.chain(43114).erc20Holders(sampleContracts.erc20, { finality: "finalized" }).page()
    expect([final.atBlock, final.asOf[0]?.atBlock]).toEqual([1_000_001, 1_000_001])
    expect("atBlock" in all.asOf[0]!).toBe(false)
  })

  test("of several chains says each one's block of a time, and no one block", async () => {
    const query = { address: [sampleHolder], timestamp: "2026-01-01T00:00:40Z" }
    const { atBlock, asOf } = await clientOf().chain("all").tokensOf(query).page()
    expect([atBlock, asOf.map((it) => [it.chainId, it.atBlock, it.block])]).toEqual([
      undefined,
      [
        ["1", 0, 0],
        ["43114", 1_000_002, 1_000_003],
      ],
    ])
  })

  test("names parameters that the service does not know", async () => {
    const query = { limit: 1, ...{ colour: "blue" } }
    expect((await clientOf().chain(43114).erc20(query).page()).ignored).toEqual(["colour"])
  })

  test("lists of several values are sent as one parameter, and paths are escaped", async () => {
    asked.length = 0
    await clientOf()
      .chain(43114)
      .tokensOf({ address: [sampleHolder, sampleContracts.erc20] })
      .page()
    expect(new URL(asked[0]!.url).search).toBe(`?address=${sampleHolder},${sampleContracts.erc20}`)
    const error = await errorOf(clientOf().chain(43114).erc20One("../../../ready?"))
    expect([error.status, error.code]).toEqual([400, "INVALID_PARAMETER"])
    expect(() => clientOf().chain(43114).erc20Holders("")).toThrow("address: expected a text, got an empty one")
  })

  test("an empty list is never one of everything: it is refused by its name, and nothing is asked", async () => {
    const { paths } = (await service.get("/openapi.json")).body as {
      paths: Readonly<Record<string, { readonly get?: { readonly parameters: ReadonlyArray<Parameter> } }>>
    }
    const cowry = clientOf()
    const methods = { ...cowry, ...cowry.chain(43114) } as unknown as Readonly<Record<string, Method>>
    const outcomes = new Map<string, Set<string>>()
    for (const [name, { path }] of Object.entries(operations)) {
      const parameters = paths[path]!.get!.parameters
      const places = parameters.filter((it) => it.in === "path" && it.name !== "networkId" && it.name !== "chainId")
      for (const { name: parameter } of parameters.filter((it) => it.in === "query" && it.schema.type === "array")) {
        asked.length = 0
        const needed = name === "tokensOf" && parameter !== "address" ? { address: [sampleHolder] } : {}
        const called = methods[name]!(...places.map(({ example }) => example), { ...needed, [parameter]: [] })
        const outcome = await ("page" in called ? called.page() : called).then(
          () => `answered, ${asked.length} asked`,
          (error: CowryError) => `${error.code} ${error.parameter}, ${asked.length} asked`,
        )
        outcomes.set(parameter, (outcomes.get(parameter) ?? new Set()).add(outcome))
      }
    }
    expect(outcomes.size).toBeGreaterThan(12)
    for (const [parameter, outcome] of outcomes) {
      // To leave out none, or to add nothing, is what an answer does without them.
      const mayBeEmpty = parameter === "excludedChainIds" || parameter === "include"
      expect([...outcome]).toEqual([mayBeEmpty ? "answered, 1 asked" : `INVALID_PARAMETER ${parameter}, 0 asked`])
    }
  })

  test("of readiness is one whether it is ready or not", async () => {
    expect((await clientOf().ready()).status).toBe("ready")
    const body = JSON.stringify({ status: "not ready", store: "ok", chains: [] })
    const cowry = clientOf({ fetch: async () => new Response(body, { status: 503 }) })
    expect((await cowry.ready()).status).toBe("not ready")
    const gateway = clientOf({ fetch: async () => new Response("<h1>Bad gateway</h1>", { status: 503 }) })
    expect((await errorOf(gateway.ready())).code).toBe("UNEXPECTED_ANSWER")
  })

  test("of readiness that is none is the one error: a page of a proxy, half a body, one that is broken off", async () => {
    const broken = (cause = new Error("cut")) =>
      new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(cause) })
    const answers: ReadonlyArray<readonly [() => Response, ErrorCode, number]> = [
      [() => new Response("<h1>hello</h1>"), "UNEXPECTED_ANSWER", 200],
      [() => new Response(""), "UNEXPECTED_ANSWER", 200],
      [() => new Response("{}"), "UNEXPECTED_ANSWER", 200],
      [() => new Response("null"), "UNEXPECTED_ANSWER", 200],
      [() => new Response('{"chains":[', { status: 503 }), "UNEXPECTED_ANSWER", 503],
      [() => new Response(broken()), "UNREACHABLE", 0],
    ]
    for (const [answer, code, status] of answers) {
      const error = await errorOf(clientOf({ fetch: async () => answer() }).ready())
      expect([error.code, error.status]).toEqual([code, status])
    }
    // Who gives up is told his own reason.
    const reason = new Error("enough")
    const leaving = new AbortController()
    const left = clientOf({
      fetch: async () => {
        leaving.abort(reason)
        return new Response(broken(reason))
      },
    })
    expect(await left.ready({ signal: leaving.signal }).catch((cause: unknown) => cause)).toBe(reason)
  })
})

describe("never back in time", () => {
  test("asks for what was seen, and for what is wanted where that is newer", async () => {
    const headers = async (neverBack: boolean, minBlock?: number | Record<string, number>) => {
      asked.length = 0
      const chain = clientOf({ neverBack }).chain(43114)
      for (let turn = 0; turn < 2; turn++)
        await chain.erc20({ limit: 1 }, minBlock === undefined ? {} : { minBlock }).page()
      return asked.map((request) => request.headers.get("x-min-block"))
    }
    expect(await headers(false)).toEqual([null, null])
    expect(await headers(true)).toEqual([null, "43114:1000003"])
    expect(await headers(true, 5)).toEqual(["43114:5", "43114:1000003"])
    expect(await headers(false, { 43114: 7 })).toEqual(["43114:7", "43114:7"])
  })

  test("a number of all chains does not take the place of what was seen", async () => {
    /** What is asked with the number, once `seen` was told. */
    const header = async (seen: string, minBlock: number) => {
      asked.length = 0
      const headers = { "x-as-of-block": seen }
      const told = (request: Request) => {
        asked.push(request)
        return Promise.resolve(Response.json({ items: [], link: {} }, { headers }))
      }
      const all = clientOf({ neverBack: true, fetch: told }).chain("all")
      await all.erc20().page()
      await all.erc20({}, { minBlock }).page()
      return asked.at(-1)!.headers.get("x-min-block")
    }
    expect(await header("43114:20", 30)).toBe("30")
    expect(await header("1:20,43114:20", 30)).toBe("30")
    // One chain that was seen need not be the only one that is asked.
    for (const seen of ["43114:20", "1:20,43114:3"]) {
      const error = await errorOf(header(seen, 5))
      expect([error.code, error.parameter, error.status, asked.length]).toEqual(["INVALID_PARAMETER", "minBlock", 0, 1])
    }
  })

  test("a block that no ledger has is refused, with when to ask again", async () => {
    asked.length = 0
    const call = clientOf({ retries: 0 }).chain(43114).erc20({}, { minBlock: 2_000_000 }).page()
    const error = await errorOf(call)
    expect([error.code, error.status, error.retryAfterSeconds, asked.length]).toEqual(["BEHIND_MIN_BLOCK", 503, 1, 1])
  })
})

describe("a failure", () => {
  const gold = sampleContracts.erc20
  const cases: ReadonlyArray<readonly [string, () => Promise<unknown>, ErrorCode, number, string | undefined]> = [
    ["a parameter", () => clientOf().chain(43114).erc20({ limit: 5000 }).page(), "INVALID_PARAMETER", 400, "limit"],
    [
      "a list as a whole",
      () => clientOf().chain(43114).erc20({ search: "" }).whole(),
      "INVALID_PARAMETER",
      400,
      "search",
    ],
    ["a cursor", () => clientOf().chain(43114).erc20({ next: "abc" }).page(), "INVALID_CURSOR", 400, undefined],
    ["a chain", () => clientOf().chain(999).erc20().page(), "CHAIN_NOT_SUPPORTED", 400, undefined],
    ["a token", () => clientOf().chain(43114).erc721One(gold), "TOKEN_NOT_FOUND", 404, undefined],
    ["a list without a stream", () => clientOf().statusAudit().whole(), "UNEXPECTED_ANSWER", 200, undefined],
    [
      "another service",
      () =>
        clientOf({ baseUrl: `${baseUrl}/none` })
          .chain(1)
          .erc20()
          .page(),
      "NOT_FOUND",
      404,
      undefined,
    ],
    [
      "nobody there",
      () => clientOf({ baseUrl: "http://127.0.0.1:9" }).chain(1).erc20().page(),
      "UNREACHABLE",
      0,
      undefined,
    ],
    ["a page of a proxy", () => answered("<h1>hello</h1>", 200), "UNEXPECTED_ANSWER", 200, undefined],
    ["an error of a proxy", () => answered("<h1>Bad gateway</h1>", 502), "UNEXPECTED_ANSWER", 502, undefined],
    ["nothing at all", () => answered("", 200), "UNEXPECTED_ANSWER", 200, undefined],
    ["JSON of somebody else", () => answered('{"hello":"there"}', 200), "UNEXPECTED_ANSWER", 200, undefined],
    ["JSON that is nothing", () => answered("null", 200), "UNEXPECTED_ANSWER", 200, undefined],
  ]
  const answered = (body: string, status: number) =>
    clientOf({ fetch: async () => new Response(body, { status }) })
      .chain(1)
      .erc20()
      .page()

  test.each(cases)("by %s is the one error", async (_, call, code, status, parameter) => {
    const error = await errorOf(call())
    expect([error.code, error.status, error.parameter]).toEqual([code, status, parameter])
    expect(error.message.length).toBeGreaterThan(10)
  })

  test("shows no key", async () => {
    asked.length = 0
    const error = await errorOf(clientOf({ apiKey: "secret" }).chain(43114).erc20({ limit: 5000 }).page())
    expect(asked[0]!.headers.get("apikey")).toBe("secret")
    expect(JSON.stringify({ ...error, message: error.message })).not.toContain("secret")
  })

  test("who gives up is told his own reason, also while he waits for his turn", async () => {
    const reason = new Error("enough")
    const given = AbortSignal.abort(reason)
    expect(
      await clientOf()
        .chain(1)
        .erc20({}, { signal: given })
        .page()
        .catch((cause: unknown) => cause),
    ).toBe(reason)
    const leaving = new AbortController()
    const busy = clientOf({
      fetch: async () => {
        setTimeout(() => leaving.abort(reason), 20)
        return new Response("{}", { status: 429, headers: { "retry-after": "20" } })
      },
    })
    const call = busy.chain(1).erc20({}, { signal: leaving.signal }).page()
    expect(await call.catch((cause: unknown) => cause)).toBe(reason)
  })

  test("of a stream that is broken off is one, after the rows that came", async () => {
    const row = { chainId: "1", address: "0x00" }
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`${JSON.stringify(row)}\n{"chainId":`)),
      pull: (controller) => controller.error(new Error("cut")),
    })
    const headers = { "content-type": "application/x-ndjson" }
    const { rows } = await clientOf({ fetch: async () => new Response(broken, { headers }) })
      .chain(1)
      .erc20()
      .whole()
    const seen: Array<unknown> = []
    const reading = (async () => {
      for await (const each of rows) seen.push({ ...each })
    })()
    expect((await errorOf(reading)).code).toBe("UNREACHABLE")
    expect(seen).toEqual([row])
    // Where who cut it says that this was all.
    const half = async () => new Response(`${JSON.stringify(row)}\n{"chainId":`, { headers })
    const told = await clientOf({ fetch: half }).chain(1).erc20().whole()
    expect((await errorOf(Array.fromAsync(told.rows))).code).toBe("UNREACHABLE")
  })
})

describe("asking again", () => {
  const empty = JSON.stringify({ items: [], link: {} })
  /** How often a service is asked that answers like this, the last one for ever. */
  const turnsOf = async (answers: ReadonlyArray<readonly [number, string?]>, options = {}) => {
    let turns = 0
    const busy = async () => {
      const [status, after] = answers[Math.min(turns++, answers.length - 1)]!
      const body =
        status === 200 ? empty : JSON.stringify({ statusCode: status, code: "UNAVAILABLE", error: "", message: "no" })
      return new Response(body, { status, headers: after === undefined ? {} : { "retry-after": after } })
    }
    const end = await clientOf({ fetch: busy, ...options })
      .chain(1)
      .erc20()
      .page()
      .then(
        () => 200,
        (error: CowryError) => error.status,
      )
    return [turns, end]
  }

  test("is done where the service says to come back, so often and so long as was allowed", async () => {
    expect(await turnsOf([[503, "0"], [429, "0"], [200]])).toEqual([3, 200])
    expect(await turnsOf([[503, "0"]])).toEqual([4, 503])
    expect(await turnsOf([[503, "0"], [200]], { retries: 0 })).toEqual([1, 503])
    expect(await turnsOf([[503, "60"], [200]])).toEqual([1, 503])
    expect(await turnsOf([[503, "0"], [503, "3"], [200]], { mostWaitMs: 2000 })).toEqual([2, 503])
    expect(await turnsOf([[503, new Date(Date.now() - 5000).toUTCString()], [200]])).toEqual([2, 200])
  })

  test("is not done where it does not say so", async () => {
    for (const status of [400, 404, 429, 500, 502, 503, 504])
      expect(await turnsOf([[status], [200]])).toEqual([1, status])
    expect(await turnsOf([[500, "0"], [200]])).toEqual([1, 500])
  })
})
