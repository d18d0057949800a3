/** docs/interface.md, "Asking again": a strong ETag on every answer of a chain path, 304 for who has the answer; never on refusals or what is of the moment. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { etagOf, namesTag } from "../../../src/adapters/http/kept/etag.ts"
import { Address, ChainId, hashOfHex } from "../../../src/model/primitives.ts"
import { NativeSupplySource } from "../../../src/ports/NativeSupplySource.ts"
import { TestChain, transfer } from "../../support/chain/testChain.ts"
import { comparableHeaders, exampleFactory, prefix, startService, store } from "../support.ts"
import { ann, apes, bob, cats, gold, potions, startWorld, zero } from "../world.ts"

/** How much of chain 43114's currency there is, and how old the figure is. */
let supply = { total: "720", ageSeconds: 1 }
const sources = Layer.succeed(NativeSupplySource, {
  find: (chainId) =>
    Effect.sync(() =>
      chainId !== "43114"
        ? undefined
        : {
            ageSeconds: supply.ageSeconds,
            supply: {
              chainId,
              symbol: "AVAX",
              totalSupply: supply.total,
              circulatingSupply: "700",
              blockNumber: 4,
              timestamp: "2023-11-14T22:14:08.000Z",
            },
          },
    ),
})

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld({ replace: sources })
})
afterAll(() => service.close())

const avax = prefix("43114")
const compat = `${avax}/compat/api`
const answers = [
  ...["/erc20", "/erc20-transfers", "/erc20-swaps", "/top-erc20", "/supply"].flatMap((path) => [
    avax + path,
    prefix("all") + path,
  ]),
  `${avax}/erc721`,
  `${avax}/erc721-transfers?limit=2`,
  `${avax}/erc1155`,
  `${avax}/erc1155-transfers?count=true`,
  `${avax}/erc20/${gold}/holders`,
  `${avax}/erc721/${apes}/holders`,
  `${avax}/erc1155/${potions}/holders`,
  `${avax}/erc721/${apes}/tokens`,
  `${prefix("1")}/erc721/${cats}/tokens`,
  `${prefix("10")}/erc20`,
  `${avax}/erc20?ecosystem=unknown`,
  `${compat}?module=stats&action=tokensupply&contractaddress=${gold}`,
  `${avax}/etherscan/api/?module=token&action=tokenholderlist&contractaddress=${gold}`,
  `${compat}?module=token&action=tokeninfo&contractaddress=${gold}`,
  "/openapi.json",
  "/docs",
]
const tagOf = async (path: string, init?: RequestInit): Promise<string> =>
  (await service.fetch(path, init)).headers.get("etag") ?? "none"
const asked = (path: string, ifNoneMatch: string, init: RequestInit = {}) =>
  service.fetch(path, { ...init, headers: { ...init.headers, "if-none-match": ifNoneMatch } })

describe("an answer", () => {
  test.each(answers)("has a strong tag, and may be kept but not used unasked: %s", async (path) => {
    const { status, headers } = await service.fetch(path)
    expect([status, headers.get("cache-control")]).toEqual([200, "no-cache"])
    expect(headers.get("etag")).toMatch(/^"[\w-]{43}"$/)
  })

  test.each(answers)("that the caller has is a 304 with every header but those of the text: %s", async (path) => {
    for (const method of ["GET", "HEAD"]) {
      const whole = await service.fetch(path, { method })
      const { "content-type": _, "content-length": __, ...headers } = Object.fromEntries(comparableHeaders(whole))
      const known = await asked(path, whole.headers.get("etag")!, { method })
      expect([known.status, known.body, Object.fromEntries(comparableHeaders(known))]).toEqual([304, null, headers])
    }
  })

  test("that the caller has not is given whole", async () => {
    const whole = await service.fetch(`${avax}/erc20`)
    const text = await whole.text()
    for (const other of [
      '"other"',
      "",
      "other",
      await tagOf(`${avax}/erc721`),
      (await tagOf(`${avax}/erc20`)).slice(1, -1),
    ]) {
      const answer = await asked(`${avax}/erc20`, other)
      expect([answer.status, Object.fromEntries(comparableHeaders(answer)), await answer.text()]).toEqual([
        200,
        Object.fromEntries(comparableHeaders(whole)),
        text,
      ])
    }
  })

  test("counts for the limit, 304 or not, and a caller without the right to it gets no 304", async () => {
    const strict = await startService({ strictKeys: true })
    const limited = await startWorld({ rateLimitRpm: 2 })
    const etag = await tagOf(`${avax}/erc20`)
    const seen = []
    for (let call = 0; call < 3; call++) {
      const { status, headers } = await limited.fetch(`${avax}/erc20`, { headers: { "if-none-match": etag } })
      seen.push([status, headers.get("x-ratelimit-rpm-remaining"), headers.get("cache-control"), headers.get("etag")])
    }
    expect(seen).toEqual([
      [304, "1", "no-cache", etag],
      [304, "0", "no-cache", etag],
      [429, "0", "no-store", null],
    ])
    const refused = await strict.fetch(`${avax}/erc20`, { headers: { "if-none-match": "*" } })
    expect([refused.status, refused.headers.get("etag"), refused.headers.get("cache-control")]).toEqual([
      401,
      null,
      "no-store",
    ])
    await strict.close()
    await limited.close()
  })
})

describe("no tag, and nothing to keep", () => {
  test.each([
    ["/health", 200],
    ["/ready", 200],
    [`${compat}?module=getapilimit&action=getapilimit`, 200],
    [`${compat}?module=stats&action=tokensupply`, 200],
    [`${compat}?module=none`, 200],
    [`${prefix("999")}/compat/api?module=stats&action=tokensupply&contractaddress=${gold}`, 200],
    [`${avax}/erc20?limit=x`, 400],
    [`${prefix("999")}/erc20`, 400],
    [`${prefix("1")}/supply`, 404],
    [`${avax}/nowhere`, 404],
    ["/docs/nowhere", 404],
  ])("has %s (%i), also where the caller has anything", async (path, status) => {
    for (const method of ["GET", "HEAD"]) {
      const answer = await asked(path, "*", { method })
      expect([answer.status, answer.headers.get("etag"), answer.headers.get("cache-control")]).toEqual([
        status,
        null,
        "no-store",
      ])
    }
  })

  test("have other methods", async () => {
    for (const [method, status] of [["POST", 405] as const, ["OPTIONS", 204] as const]) {
      const answer = await asked(`${avax}/erc20`, "*", { method })
      expect([answer.status, answer.headers.get("etag")]).toEqual([status, null])
    }
  })
})

describe("the tag", () => {
  test("is another one for another question", async () => {
    const questions = [
      ...answers,
      `${avax}/erc20?limit=25`,
      `${avax}/erc20?limit=24`,
      `${avax}/erc20?unknown=1`,
      `${avax}/erc20?sort=name`,
      `${compat}/?module=stats&action=tokensupply&contractaddress=${gold}`,
    ]
    const tags = await Promise.all(questions.map((path) => tagOf(path)))
    expect(new Set(tags).size).toBe(questions.length)
  })

  test("is the same whatever the key, wherever it stands", async () => {
    for (const path of [`${avax}/erc20?limit=1`, `${compat}?module=stats&action=tokensupply&contractaddress=${gold}`]) {
      const [start = "", query] = path.split("?")
      const tags = await Promise.all([
        tagOf(path),
        tagOf(`${path}&apikey=secret`),
        tagOf(`${path}&apiKey=other`),
        tagOf(`${start}?APIKEY=&${query}`),
        tagOf(path, { headers: { apikey: "secret" } }),
        tagOf(path, { headers: { authorization: "Bearer secret" } }),
      ])
      expect(new Set(tags).size).toBe(1)
      const answer = await asked(`${path}&apikey=third`, tags[0]!)
      expect(answer.status).toBe(304)
    }
  })

  test("is another one for another media type, block, hash or revision of any chain, and for another text", () => {
    const point = {
      chainId: ChainId.make("1"),
      blockNumber: 7,
      hash: hashOfHex("0x07"),
      time: 70,
      finality: "latest" as const,
      nodeHead: 7,
      firstBlock: 0,
      revision: 3,
      figures: 3,
      rewrites: 3,
    }
    const question = { path: "/path", query: [] }
    const tag = (type: string, asOf: ReadonlyArray<typeof point>, text: string) =>
      etagOf(question, { headers: { "content-type": type }, asOf, isOfFigures: false, text })
    const tags = [
      tag("application/json", [point], "{}"),
      tag("text/csv", [point], "{}"),
      tag("application/json", [{ ...point, blockNumber: 8 }], "{}"),
      tag("application/json", [{ ...point, hash: hashOfHex("0x08") }], "{}"),
      tag("application/json", [{ ...point, revision: 4 }], "{}"),
      tag("application/json", [point, { ...point, chainId: ChainId.make("2") }], "{}"),
      tag("application/json", [], "{}"),
      tag("application/json", [point], "[]"),
    ]
    expect(new Set(tags).size).toBe(tags.length)
    // How far the node is ahead is no matter.
    expect(tag("application/json", [{ ...point, nodeHead: 9 }], "{}")).toBe(tags[0]!)
  })

  test("of a supply follows the figure, not its age; a 304 tells the new age", async () => {
    const before = await service.fetch(`${avax}/supply`)
    supply = { total: "720", ageSeconds: 31 }
    const older = await asked(`${avax}/supply`, before.headers.get("etag")!)
    expect([before.headers.get("age"), older.status, older.headers.get("age")]).toEqual(["1", 304, "31"])
    supply = { total: "721", ageSeconds: 0 }
    const changed = await asked(`${avax}/supply`, before.headers.get("etag")!)
    expect([changed.status, ((await changed.json()) as { totalSupply: string }).totalSupply]).toEqual([200, "721"])
  })

  test("follows what is configured: the same blocks, another name of an exchange, another chain beside", async () => {
    const chain = { chainId: ChainId.make("43114"), network: "mainnet", ecosystems: [] }
    const tagWith = async (factories: ReadonlyMap<Address, { readonly dex: string }>) => {
      const configured = await startService({ chains: [{ ...chain, factories }] })
      const pool = Address.make(zero.replace(/0$/, "9"))
      const blocks = new TestChain().block([transfer(gold, zero, ann, 5n)])
      blocks.pools.set(pool, { pool, token0: gold, token1: bob, decimals0: 18, decimals1: 18, factory: exampleFactory })
      blocks.block([{ token: pool, event: { kind: "swap", pool, paid0: true, paid: 2n, got: 1n } }])
      await store(configured, "43114", blocks)
      const answer = await configured.fetch(`${avax}/erc20-swaps`)
      expect((await answer.text()).includes("Renamed")).toBe(factories.size > 0)
      await configured.close()
      return answer.headers.get("etag")
    }
    const named = new Map([[exampleFactory, { dex: "Renamed" }]])
    const [plain, again, renamed] = [await tagWith(new Map()), await tagWith(new Map()), await tagWith(named)]
    expect([again, renamed === plain]).toEqual([plain, false])
  })
})

describe("a stream", () => {
  test("has no tag, and is given whole whatever the caller has", async () => {
    const path = `${avax}/erc20`
    const json = await service.fetch(path, { headers: { accept: "application/json" } })
    expect([json.headers.get("etag"), json.headers.get("vary")]).toEqual([await tagOf(path), "Accept, Accept-Encoding"])
    for (const accept of ["text/csv", "application/x-ndjson"]) {
      for (const ifNoneMatch of ["*", await tagOf(path)]) {
        const { status, headers, ...stream } = await service
          .fetch(path, { headers: { accept, "if-none-match": ifNoneMatch } })
          .then(async (answer) => ({ status: answer.status, headers: answer.headers, text: await answer.text() }))
        expect([status, headers.get("etag"), headers.get("cache-control")]).toEqual([200, null, "no-store"])
        expect(stream.text).toContain(gold)
      }
    }
  })
})

describe("If-None-Match", () => {
  const tag = '"abc-_9"'
  test.each([
    [tag, true],
    [` ${tag} `, true],
    [`W/${tag}`, true],
    [`"x", ${tag}`, true],
    [`"x",W/"y",W/${tag},"z"`, true],
    [`"a, b", ${tag}`, true],
    [`${tag},`, true],
    ["*", true],
    [" * ", true],
    ['"x"', false],
    ['W/"x"', false],
    ["abc-_9", false],
    ['"abc-_9', false],
    ['"x*"', false],
    ['"*"', false],
    ['"ABC-_9"', false],
    ['"a, "abc-_9', false],
    ["", false],
    [undefined, false],
  ])("%p names the tag: %p", (ifNoneMatch, expected) => {
    expect(namesTag(ifNoneMatch, tag)).toBe(expected)
  })

  test("of 64 kB of quotes is read in no time worth speaking of", () => {
    for (const text of ['"', '" ', '"",', 'W/"']) expect(namesTag(text.repeat(65_536 / text.length), tag)).toBe(false)
  })

  test("may come in several lines", async () => {
    const path = `${avax}/erc20`
    const headers = new Headers([
      ["if-none-match", '"x"'],
      ["if-none-match", await tagOf(path)],
    ])
    expect((await service.fetch(path, { headers })).status).toBe(304)
  })
})
