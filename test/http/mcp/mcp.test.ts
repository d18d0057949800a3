/** The tools for agents, asked by the protocol's own client over real HTTP: what they answer is what the endpoints do. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { madeOnce } from "../../../src/adapters/http/mcp/madeOnce.ts"
import { type Service, serviceOf } from "../../../src/adapters/http/mcp/service.ts"
import { tools } from "../../../src/adapters/http/mcp/tools.ts"
import { type Server, serve } from "../../../src/adapters/http/server.ts"
import { failureOf, problemOf } from "../../support/failure.ts"
import { type Json, sha256, syncStatus } from "../support.ts"
import { ann, apes, bob, gold, other, potions, startWorld } from "../world.ts"

const at = "/v2/network/mainnet/evm/43114"
const key = "a-key-of-the-tests"

let world: Awaited<ReturnType<typeof startWorld>>
let server: Server
let base: string
let client: Client

const connected = async (url: string, headers: Record<string, string> = {}): Promise<Client> => {
  const made = new Client({ name: "tests", version: "1" })
  await made.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  return made
}
const hosted = async (service: typeof world) => {
  const it = await serve(service.app, { port: 0, hostname: "127.0.0.1", graceMs: 1000 })
  return { it, url: `http://127.0.0.1:${it.port}` }
}

beforeAll(async () => {
  world = await startWorld({ status: [syncStatus("43114", { headBlock: 4 })] })
  const { it, url } = await hosted(world)
  server = it
  base = url
  client = await connected(base)
  // The client holds answers against the schemas that it was told.
  await client.listTools()
})
afterAll(async () => {
  await client.close()
  await server.stop()
  await world.close()
})

const call = async (name: string, given: object = {}): Promise<Json> => {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: { ...given } })
  const [{ text }] = content as unknown as [{ text: string }]
  if (isError === true) return { refused: text }
  expect(JSON.parse(text)).toEqual(structuredContent)
  return structuredContent
}
const rest = async (path: string): Promise<Json> => (await (await fetch(`${base}${path}`)).json()) as Json

/** Whether each row has all that the endpoint's has, and what more it has. */
const expectRows = (items: ReadonlyArray<Json>, wanted: ReadonlyArray<Json>, more: ReadonlyArray<object>) => {
  expect(wanted.length).toBeGreaterThan(0)
  expect(items).toEqual(wanted.map((row, index) => ({ ...row, ...more[index] })))
}

test("eleven tools, each with schemas and words", async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(
    "chains search token price_history block_by_time audit portfolio balance_at holders_at holder_diff transfers".split(
      " ",
    ),
  )
  for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
    expect([name, (description ?? "").length > 40, outputSchema?.type, annotations?.readOnlyHint]).toEqual([
      name,
      true,
      "object",
      true,
    ])
    for (const [argument, schema] of Object.entries(inputSchema.properties ?? {}))
      expect([name, argument, String(Object(schema).description).length > 3]).toEqual([name, argument, true])
  }
})

describe("a tool answers what the endpoint does", () => {
  test("chains", async () => {
    const { chains } = await call("chains")
    expect(chains.map(({ chainId }: Json) => chainId)).toEqual(["1", "10", "43113", "43114"])
    expect(chains[3]).toEqual({
      chainId: "43114",
      network: "mainnet",
      ready: true,
      indexedBlock: 4,
      headBlock: 4,
      lagBlocks: 0,
    })
  })

  test("search", async () => {
    const { items } = await call("search", { query: "au" })
    const { items: wanted } = await rest("/v2/network/mainnet/evm/all/erc20?search=au")
    expectRows(items, wanted, [{ totalSupplyDecimal: "0.0000000000000009" }])
    expect((await call("search", { query: "ape", standard: "erc721", chain: "43114" })).items).toHaveLength(1)
  })

  test("token, of each standard", async () => {
    const { token, asOf } = await call("token", { chain: "43114", tokenAddress: gold })
    expect(token).toEqual({ ...(await rest(`${at}/erc20/${gold}`)), totalSupplyDecimal: "0.0000000000000009" })
    expect(asOf).toMatchObject([{ chainId: "43114", blockNumber: 4 }])
    const nft = await call("token", {
      chain: "43114",
      tokenAddress: apes.toUpperCase().replace("0X", "0x"),
      standard: "erc721",
    })
    expect(nft.token).toEqual(await rest(`${at}/erc721/${apes}`))
  })

  test("portfolio", async () => {
    const given = { address: ann, chain: "43114" }
    const { total, items } = await call("portfolio", given)
    expect(total).toEqual(await rest(`${at}/address/${ann}/portfolio`))
    const { items: wanted } = await rest(`${at}/address/${ann}/tokens`)
    expect(items.map(({ balanceDecimal: _, ...row }: Json) => row)).toEqual(wanted)
    expect(items.find(({ tokenAddress }: Json) => tokenAddress === gold).balanceDecimal).toBe("0.00000000000000065")
    const old = await call("portfolio", { ...given, blockNumber: 1 })
    expect(old.items.find(({ tokenAddress }: Json) => tokenAddress === gold).balance).toBe("1000")
    expect((await call("portfolio", { address: ann })).total.chains.map(({ chainId }: Json) => chainId)).toEqual([
      "1",
      "43114",
    ])
  })

  test("balance_at, of each standard and at any block", async () => {
    const of = (given: object) => call("balance_at", { chain: "43114", tokenAddress: gold, address: ann, ...given })
    for (const [blockNumber, balance] of [
      [0, "0"],
      [1, "1000"],
      [2, "750"],
      [3, "650"],
    ])
      expect((await of({ blockNumber })).balances[0].balance).toBe(balance)
    expect(await of({})).toMatchObject({
      chainId: "43114",
      address: ann,
      symbol: "AU",
      balances: [{ balance: "650", balanceDecimal: "0.00000000000000065" }],
    })
    expect((await of({ tokenAddress: apes, standard: "erc721" })).balances).toEqual([
      { balance: "2", balanceDecimal: "2" },
    ])
    const units = await of({ tokenAddress: potions, standard: "erc1155", address: bob })
    expect(units.balances).toEqual([{ tokenId: "1", balance: "4", balanceDecimal: "4" }])
  })

  test("transfers, page by page", async () => {
    const given = { chain: "43114", tokenAddress: gold, limit: 3 }
    const first = await call("transfers", given)
    const { items: wanted } = await rest(`${at}/erc20-transfers?tokenAddress=${gold}`)
    const { items: rows, next } = await call("transfers", { ...given, cursor: first.next })
    const raw = [...first.items, ...rows].map(({ amountDecimal: _, ...row }) => row)
    expect([raw, next, first.items[0].amountDecimal]).toEqual([wanted, undefined, "0.0000000000000001"])
    const nfts = await call("transfers", { chain: "43114", standard: "erc721", from: ann })
    expect(nfts.items).toEqual((await rest(`${at}/erc721-transfers?from=${ann}`)).items)
  })

  test("holders_at and holder_diff", async () => {
    const { items, symbol } = await call("holders_at", { chain: "43114", tokenAddress: gold, blockNumber: 2 })
    const { items: wanted } = await rest(`${at}/erc20/${gold}/holders?blockNumber=2`)
    expectRows(items, wanted, [{ balanceDecimal: "0.00000000000000075" }, { balanceDecimal: "0.00000000000000025" }])
    expect(symbol).toBe("AU")
    const range = { blockNumberFrom: 1, blockNumberTo: 3 }
    const diff = await call("holder_diff", { chain: "43114", tokenAddress: gold, ...range })
    const { items: changes } = await rest(`${at}/erc20/${gold}/holders/diff?blockNumberFrom=1&blockNumberTo=3`)
    expect(diff.items.map(({ changeDecimal: _, balanceAfterDecimal: __, ...row }: Json) => row)).toEqual(changes)
    expect(changes).toHaveLength(3)
  })

  test("price_history, block_by_time and audit", async () => {
    expect((await call("price_history", { chain: "43114", tokenAddress: gold })).items).toEqual([])
    const { items } = await rest(`${at}/erc20-transfers?tokenAddress=${gold}&sort=asc&limit=1`)
    const timestamp = items[0].timestamp
    expect((await call("block_by_time", { chain: "43114", timestamp })).blockNumber).toBe(1)
    const audit = await call("audit", { tokenAddress: [gold], chainId: ["43114"] })
    expect(audit.items).toEqual((await rest(`/v2/status/audit?chainId=43114&tokenAddress=${gold}`)).items)
  })
})

test("what cannot be answered is said in words, with the endpoint's own code", async () => {
  for (const [name, given, words] of [
    ["token", { chain: "43114", tokenAddress: other }, /^TOKEN_NOT_FOUND \(404\): /],
    ["token", { chain: "nowhere", tokenAddress: gold }, /^chain: expected one of 1, 10, .+, got nowhere$/],
    ["token", { chain: "43114" }, /^tokenAddress: expected a value/],
    ["token", { chain: "43114", tokenAddress: "0x12" }, /^tokenAddress: expected a text like/],
    [
      "token",
      { chain: "43114", tokenAddress: gold, contract: gold },
      /^contract: expected one of the arguments chain, /,
    ],
    ["token", { chain: "43114", tokenAddress: gold, standard: "erc9" }, /^standard: expected one of erc20, /],
    ["transfers", { limit: 1000 }, /^limit: expected a number up to 100, got 1000$/],
    ["transfers", { cursor: "made-up" }, /^INVALID_CURSOR \(400\): /],
    ["transfers", { blockNumberFrom: -1 }, /^blockNumberFrom: |^INVALID_PARAMETER \(400\): /],
    [
      "balance_at",
      { chain: "43114", tokenAddress: gold, address: ann, blockNumber: 99 },
      /^NOTOK: Error! Invalid block number: expected a block up to the indexed head 4, got 99$/,
    ],
    ["block_by_time", { chain: "43114", timestamp: "soon" }, /^timestamp: expected ISO 8601/],
    ["search", { query: { a: 1 } }, /^query: expected one string/],
    ["search", { query: "\ud800" }, /^query: expected a text of whole characters, got "\\ud800"$/],
    ["search", { query: "au", constructor: 1 }, /^constructor: expected one of the arguments query, /],
    ["audit", { tokenAddress: ["\udfff"] }, /^tokenAddress: expected a list of values/],
    ["block_by_time", { chain: "43114", timestamp: "-5" }, /^timestamp: expected ISO 8601/],
    ["block_by_time", { chain: "43114", timestamp: "11/14/2023" }, /^timestamp: expected ISO 8601/],
    ["block_by_time", { chain: "ALL", timestamp: "5" }, /^chain: expected one chain, got all$/],
  ] as const)
    expect([name, given, (await call(name, given)).refused]).toEqual([name, given, expect.stringMatching(words)])
  expect(await problemOf(client.callTool({ name: "drop_tables", arguments: {} }))).toMatch(
    /no tool is called drop_tables/,
  )
})

test("a time is what it is of every endpoint: UTC without a zone, to the second's side that is asked", async () => {
  const { items } = await rest(`${at}/erc20-transfers?tokenAddress=${gold}&sort=asc&limit=1`)
  const [second] = String(items[0].timestamp).split(".")
  const of = async (timestamp: string, closest: string) =>
    (await call("block_by_time", { chain: "43114", timestamp, closest })).blockNumber
  expect([await of(second!, "before"), await of(second!, "after")]).toEqual([1, 1])
  expect([await of(`${second}.5`, "before"), await of(`${second}.5`, "after")]).toEqual([1, 2])
  expect([await of(`${second}+00:00`, "before"), await of(`${second}-01:00`, "before")]).toEqual([1, 4])
})

test("rows and totals of a portfolio are of one block, or it says that they are not", async () => {
  const portfolio = tools.find(({ name }) => name === "portfolio")!
  // Of every pair of answers the later one is of the next block, `late` times.
  const asked = async (late: number) => {
    let gets = 0
    const service: Service = {
      chains: [],
      get: async ({ path }) => {
        const pair = Math.floor(gets++ / 2)
        const isTotal = path.endsWith("/portfolio")
        const blockNumber = pair + (isTotal && pair < late ? 1 : 0)
        const of = { chainId: "1", blockNumber, blockHash: `0x${blockNumber}`, timestamp: "", finality: "latest" }
        return { body: isTotal ? { block: blockNumber } : { items: [], link: {} }, told: { asOf: [of] } }
      },
    }
    return { ...(await portfolio.run({ address: ann }, service)), gets } as Json
  }
  const one = await asked(2)
  expect([one.gets, one.total.block, one.asOf[0].blockNumber, one.totalAsOf]).toEqual([6, 2, 2, undefined])
  const apart = await asked(99)
  expect([apart.gets, apart.asOf[0].blockNumber, apart.totalAsOf[0].blockNumber]).toEqual([6, 2, 3])
})

test("a named block and what the audit says are told as their schema says", async () => {
  const { items } = await rest(`${at}/erc20-transfers?tokenAddress=${gold}&sort=asc&limit=1`)
  const held = await call("balance_at", {
    chain: "43114",
    tokenAddress: gold,
    address: ann,
    timestamp: items[0].timestamp,
  })
  expect([held.atBlock, held.balances[0].balance]).toEqual([1, "1000"])
  const range = { timestampFrom: items[0].timestamp, timestampTo: items[0].timestamp }
  const changes = await call("holder_diff", { chain: "43114", tokenAddress: gold, ...range })
  expect([changes.fromBlock, changes.toBlock, changes.items]).toEqual([1, 1, []])
  const all = await call("holder_diff", { chain: "43114", tokenAddress: gold, blockNumberTo: 1 })
  expect([all.fromBlock, all.toBlock]).toEqual([undefined, 1])
  for (const [tool, more] of [
    ["balance_at", { tokenAddress: gold, address: ann }],
    ["holders_at", { tokenAddress: gold }],
    ["portfolio", { address: ann }],
  ] as const)
    expect((await call(tool, { chain: "43114", blockNumber: 1, ...more })).atBlock).toBe(1)
  const answer = { body: { items: [], link: {} }, headers: { "x-audit-state": "43114:exact", "x-at-block": "43114:7" } }
  const service = serviceOf(() => Promise.resolve(Response.json(answer.body, answer)), [])
  const { told } = await service.get({ path: "/" }, {})
  expect(told).toEqual({ asOf: [], atBlock: 7, auditState: "exact" })
})

test("of several chains a time is a block of each, and the answer names them", async () => {
  const timestamp = 1_700_000_050
  const held = await call("portfolio", { address: ann, timestamp })
  const { chains } = await rest(`/v2/network/mainnet/evm/all/address/${ann}/portfolio?timestamp=${timestamp}`)
  const wanted = chains.map(({ chainId, blockNumber }: Json) => ({ chainId, blockNumber }))
  expect(wanted.map(({ chainId }: Json) => chainId)).toEqual(["1", "43114"])
  expect([held.atBlock, held.atBlocks]).toEqual([undefined, wanted])
  // They are not the newest.
  expect(held.asOf.map(({ blockNumber }: Json) => blockNumber)).not.toEqual(
    wanted.map(({ blockNumber }: Json) => blockNumber),
  )
  const one = await call("portfolio", { address: ann, chain: "43114", timestamp })
  expect([one.atBlock, one.atBlocks]).toEqual([wanted[1].blockNumber, undefined])
})

test("no answer is older than the block that the request names", async () => {
  const of = async (minBlock: string) => {
    const known = await connected(base, { "x-min-block": minBlock })
    const { isError, content } = await known.callTool({
      name: "token",
      arguments: { chain: "43114", tokenAddress: gold },
    })
    await known.close()
    return isError === true ? (content as unknown as [{ text: string }])[0].text : "answered"
  }
  expect(await of("43114:4,1:0")).toBe("answered")
  expect(await of("43114:99")).toMatch(
    /^BEHIND_MIN_BLOCK \(503\): chain 43114 has come to block 4 here, .+ try again in \d+ s$/,
  )
})

test("what could not be loaded is loaded for the next who wants it, and else once", async () => {
  let loads = 0
  const load = madeOnce(async () => {
    if (++loads === 1) throw new Error("no such file")
    return loads
  })
  const [one, two] = await Promise.allSettled([load(), load()])
  expect([one.status, two.status, loads]).toEqual(["rejected", "rejected", 1])
  expect([await load(), await load(), loads]).toEqual([2, 2, 2])
})

const post = (body: unknown, headers: Record<string, string> = {}, method = "POST") =>
  fetch(`${base}/mcp`, {
    method,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    ...(method === "POST" ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {}),
  })
const listing = { jsonrpc: "2.0", id: 1, method: "tools/list" }

test("what is no question of the protocol is refused, and nothing hangs", async () => {
  for (const [body, headers, method, status] of [
    [listing, {}, "POST", 200],
    [listing, { origin: "http://localhost:5173" }, "POST", 200],
    [listing, { origin: "https://evil.example" }, "POST", 403],
    [listing, { origin: "null" }, "POST", 403],
    [listing, { "content-type": "text/plain" }, "POST", 415],
    [listing, {}, "GET", 405],
    [listing, {}, "DELETE", 405],
    ["{", {}, "POST", 400],
    ["", {}, "POST", 400],
    [Array(21).fill(listing), {}, "POST", 400],
    ["x".repeat(1_000_000), {}, "POST", 400],
    ["[".repeat(200_000), {}, "POST", 400],
    [[], {}, "POST", 400],
    [[listing, { ...listing, id: 2 }], {}, "POST", 200],
    [null, {}, "POST", 400],
    [{ id: 1, method: "tools/list" }, {}, "POST", 400],
    [{ ...listing, method: "nothing/known" }, {}, "POST", 200],
    [listing, { accept: "text/html" }, "POST", 406],
    [listing, { accept: "application/json" }, "POST", 406],
    [listing, { "mcp-protocol-version": "1999-01-01" }, "POST", 400],
    [listing, { "mcp-protocol-version": "2025-06-18" }, "POST", 200],
    [listing, { "mcp-session-id": "of-another-server" }, "POST", 200],
    [listing, {}, "PUT", 405],
    [{ jsonrpc: "2.0", id: 3, method: "subscriptions/listen", params: {} }, {}, "POST", 200],
  ] as const) {
    const response = await post(body, headers, method)
    const text = await response.text()
    expect([String(body).slice(0, 40), headers, method, response.status, text.length > 0]).toEqual([
      String(body).slice(0, 40),
      headers,
      method,
      status,
      true,
    ])
  }
  // Nothing is answered to what asks nothing.
  const told = await post({ jsonrpc: "2.0", method: "notifications/initialized" })
  expect([told.status, await told.text()]).toEqual([202, ""])
  expect((await post(undefined, {}, "GET")).headers.get("allow")).toBe("POST, OPTIONS")
  expect(await (await post("x".repeat(1_000_000))).json()).toMatchObject({
    message: "body: expected one of at most 278528 bytes, got a larger one",
  })
  expect(await (await post({ jsonrpc: "2.0", id: 3, method: "subscriptions/listen" })).json()).toMatchObject({
    id: 3,
    error: { code: -32601 },
  })
})

test("keys and limits are those of every request, and a tool's questions count as its caller's", async () => {
  const strict = await startWorld({ strictKeys: true, apiKeysSha256: [sha256(key)], rateLimitRpm: 8 })
  const { it, url } = await hosted(strict)
  try {
    await failureOf(connected(url))
    const known = await connected(url, { authorization: `Bearer ${key}` })
    const answers: Array<string> = []
    for (let asked = 0; asked < 4; asked++) {
      const answer = await known.callTool({ name: "token", arguments: { chain: "43114", tokenAddress: gold } }).then(
        ({ isError, content }) => (isError === true ? (content as unknown as [{ text: string }])[0].text : "fine"),
        (cause: unknown) => String(cause),
      )
      answers.push(answer)
    }
    expect(answers[0]).toBe("fine")
    expect(answers.at(-1)).toMatch(/429|RATE_LIMITED|too many/i)
    await known.close()
  } finally {
    await it.stop()
    await strict.close()
  }
})

test("MCP=off: there is no such path, and llms.txt does not name it", async () => {
  const off = await startWorld({ mcp: false })
  expect((await off.fetch("/mcp", { method: "POST", body: JSON.stringify(listing) })).status).toBe(404)
  expect(await (await off.fetch("/llms.txt")).text()).not.toContain("/mcp")
  await off.close()
})

test("llms.txt names endpoints that answer", async () => {
  const response = await fetch(`${base}/llms.txt`)
  const text = await response.text()
  expect(response.headers.get("content-type")).toContain("text/plain")
  expect(text).toStartWith("# Cowry\n")
  const paths = [...text.matchAll(/`(?:GET|POST) ([^`]+)`/g)].map(([, path]) => path!)
  expect(paths.length).toBeGreaterThan(25)
  for (const row of [
    "GET /v2/network/{networkId}/evm/{chainId}/events",
    "GET /v2/webhooks",
    "DELETE /v2/webhooks/{id}",
  ])
    expect(text).toContain(`- \`${row}\`: `)
  for (const [template] of text.matchAll(/(?<=\]\()[^)]+/g))
    expect([template, (await fetch(`${base}${template}`)).status < 300 || template === "/ready"]).toEqual([
      template,
      true,
    ])
  for (const path of paths.filter((it) => it !== "/mcp")) {
    const filled = path
      .replace("{networkId}", "mainnet")
      .replace("{chainId}", "43114")
      .replace("{token}", gold)
      .replace("{address}", gold)
    const answer = await fetch(`${base}${filled}`)
    const isStream = answer.headers.get("content-type")!.startsWith("text/event-stream")
    // A stream does not end by itself.
    if (isStream) await answer.body!.cancel()
    expect([path, !isStream && ((await answer.json()) as Json).code === "NOT_FOUND"]).toEqual([path, false])
  }
})
