/** `module=proxy`: what the chain's own node is asked, in its own words, and what the caller reads. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { ChainNode, type NodeAnswer } from "../../../src/ports/ChainNode.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { checkCommonHeaders } from "../support.ts"
import { ann, gold, startWorld } from "../world.ts"

let sends = false
let asked: Array<readonly [chainId: string, method: string, params: ReadonlyArray<unknown>]> = []
let says: Effect.Effect<NodeAnswer, SourceUnavailable>
const node = Layer.succeed(ChainNode, {
  get sends() {
    return sends
  },
  call: (chainId, method, params) => {
    asked.push([chainId, method, params])
    return says
  },
})

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld({ replace: node as unknown as Layer.Layer<never> })
})
beforeEach(() => {
  sends = false
  asked = []
  says = Effect.succeed({ result: "0x1" })
})
afterAll(() => service.close())

const call = async (query: string, init?: RequestInit) => {
  const response = await service.fetch(`/v2/api?chainid=43114&module=proxy&${query}`, init)
  checkCommonHeaders(response)
  return { status: response.status, body: await response.json(), headers: response.headers }
}
const hash = `0x${"aB".repeat(32)}`
const low = hash.toLowerCase()

test.each([
  ["eth_blockNumber", "", []],
  ["eth_getBlockByNumber", "tag=0x10d4f&boolean=true", ["0x10d4f", true]],
  ["eth_getBlockByNumber", "tag=latest", ["latest", false]],
  ["eth_getBlockByNumber", "", ["latest", false]],
  ["eth_getBlockByNumber", "tag=100", ["0x64", false]],
  ["eth_getUncleByBlockNumberAndIndex", "tag=0x0C63276&index=0x0", ["0xc63276", "0x0"]],
  ["eth_getBlockTransactionCountByNumber", "tag=0x10FB78", ["0x10fb78"]],
  ["eth_getTransactionByHash", `txhash=${hash}`, [low]],
  ["eth_getTransactionByBlockNumberAndIndex", "tag=0xC6331D&index=0x11A", ["0xc6331d", "0x11a"]],
  ["eth_getTransactionCount", `address=${ann}&tag=latest`, [ann, "latest"]],
  ["eth_getTransactionReceipt", `txhash=${hash}`, [low]],
  ["eth_call", `to=${gold}&data=0x18160ddd&tag=latest`, [{ to: gold, data: "0x18160ddd" }, "latest"]],
  [
    "eth_call",
    `to=${gold}&data=0x&from=${ann}&value=0x00ff&gas=100000&gasPrice=0x1&tag=0x05`,
    [{ from: ann, to: gold, data: "0x", value: "0xff", gas: "0x186a0", gasPrice: "0x1" }, "0x5"],
  ],
  ["eth_getCode", `address=${gold}&tag=latest`, [gold, "latest"]],
  ["eth_getStorageAt", `address=${gold}&position=0x0&tag=latest`, [gold, "0x0", "latest"]],
  ["eth_gasPrice", "", []],
  [
    "eth_estimateGas",
    `data=0x4e71&to=${gold}&value=0xff22&gasPrice=0x51da038cc&gas=0x5f5e0ff`,
    [{ to: gold, data: "0x4e71", value: "0xff22", gas: "0x5f5e0ff", gasPrice: "0x51da038cc" }],
  ],
  ["eth_getBalance", `address=${ann}&tag=latest`, [ann, "latest"]],
  ["eth_call", `to=${gold}&gasLimit=100000&accessList=[]`, [{ to: gold, gas: "0x186a0", accessList: [] }, "latest"]],
  ["eth_call", `to=${gold}&gas=0x1&gasLimit=0x1`, [{ to: gold, gas: "0x1" }, "latest"]],
  [
    "eth_estimateGas",
    `to=${gold}&accessList=${encodeURIComponent(JSON.stringify([{ address: gold, storageKeys: [hash], extra: 1 }, { address: ann }]))}`,
    [
      {
        to: gold,
        accessList: [
          { address: gold, storageKeys: [hash.toLowerCase()] },
          { address: ann, storageKeys: [] },
        ],
      },
    ],
  ],
  // As ethers 5 and 6 write it: names without quotes, and no keys as an empty one.
  ...["eth_call", "eth_estimateGas"].map(
    (method) =>
      [
        method,
        `to=${gold}&accessList=${encodeURIComponent(`[{address:"${gold}",storageKeys:["${hash}","${hash}"]},{address:"${ann}",storageKeys:[""]}]`)}`,
        [
          {
            to: gold,
            accessList: [
              { address: gold, storageKeys: [hash.toLowerCase(), hash.toLowerCase()] },
              { address: ann, storageKeys: [] },
            ],
          },
          ...(method === "eth_call" ? ["latest"] : []),
        ],
      ] as [string, string, ReadonlyArray<unknown>],
  ),
])("%s?%s asks the node %j", async (method, query, params) => {
  for (const name of [method, method.toLowerCase(), method.toUpperCase()]) {
    asked = []
    const { status, body, headers } = await call(`action=${name}&${query}`)
    expect([status, body]).toEqual([200, { jsonrpc: "2.0", id: 1, result: "0x1" }])
    expect([headers.get("x-served-by"), headers.get("cache-control")]).toEqual(["node", "no-store"])
    expect(headers.get("x-as-of-block")).toBeNull()
    expect(asked).toEqual([["43114", method, params]])
  }
})

test("the height is one up to which the ledger is there: who scans to it misses nothing", async () => {
  for (const [told, height] of [
    ["0x9", "0x4"],
    ["0x4", "0x4"],
    ["0x2", "0x2"],
  ] as const) {
    says = Effect.succeed({ result: told })
    expect((await call("action=eth_blockNumber")).body).toMatchObject({ result: height })
    const other = "/v2/api?chainid=43114&module=block&action=eth_block_number"
    expect((await service.get(other)).body).toMatchObject({ result: height })
  }
})

test("of a chain of which nothing is stored no height is told: its lists are empty, and who scanned up to it would never come back", async () => {
  says = Effect.succeed({ result: "0x9" })
  const error = { code: -32000, message: "nothing of the chain is indexed yet. Try again shortly" }
  for (const query of ["module=proxy&action=eth_blockNumber", "module=block&action=eth_block_number"]) {
    expect((await service.get(`/v2/api?chainid=43113&${query}`)).body).toEqual({ jsonrpc: "2.0", id: 1, error })
  }
})

test.each([
  ["", "latest"],
  ["&block=7", "0x7"],
  ["&tag=earliest", "earliest"],
])("Blockscout's eth_get_balance%s is the node's balance", async (more, block) => {
  await service.get(`/43114/api?module=account&action=eth_get_balance&address=${gold}${more}`)
  expect(asked).toEqual([["43114", "eth_getBalance", [gold, block]]])
})

test("the largest transaction in hex fits into a form", async () => {
  sends = true
  const hex = `0x${"ab".repeat(131_072)}`
  const body = new URLSearchParams({ module: "proxy", action: "eth_sendRawTransaction", hex })
  const { body: answer } = await call("", { method: "POST", body })
  expect(answer).toEqual({ jsonrpc: "2.0", id: 1, result: "0x1" })
  expect(asked).toEqual([["43114", "eth_sendRawTransaction", [hex]]])
})

test("a form asks the same", async () => {
  const form = new URLSearchParams({ module: "proxy", action: "eth_call", to: gold, data: "0x18160ddd", tag: "latest" })
  const response = await service.fetch("/43114/api", { method: "POST", body: form })
  expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: "0x1" })
  expect(asked).toEqual([["43114", "eth_call", [{ to: gold, data: "0x18160ddd" }, "latest"]]])
})

test("a null stays a null", async () => {
  says = Effect.succeed({ result: null })
  expect((await call(`action=eth_getTransactionReceipt&txhash=${hash}`)).body).toEqual({
    jsonrpc: "2.0",
    id: 1,
    result: null,
  })
})

describe("what cannot be is refused before the node hears of it, in JSON-RPC's shape", () => {
  test.each([
    ["eth_getTransactionByHash", "", "txhash: missing"],
    ["eth_getTransactionByHash", "txhash=0x12", "txhash: expected a hash of 64 hex digits, got 0x12"],
    ["eth_getBalance", "address=ann", "address: expected an address of 40 hex digits, got ann"],
    [
      "eth_getBlockByNumber",
      "tag=newest",
      "tag: expected a block's number in 0x-hex or decimal, latest, earliest or pending, got newest",
    ],
    [
      "eth_getBlockByNumber",
      "tag=-1%20rate%20limit",
      "tag: expected a block's number in 0x-hex or decimal, latest, earliest or pending, got 13 characters",
    ],
    ["eth_call", "data=0x123", "data: expected up to 131072 bytes in 0x-hex, got 0x123"],
    ["eth_call", `to=${gold}&gas=0x1&gasLimit=0x2`, "gas, gaslimit: two values"],
    ...["{}", "[null]", "[[]]", '[{"address":"0x1"}]', `[{"address":"${gold}","storageKeys":["0x1"]}]`, "[", "x"].map(
      (text): [string, string, string] => [
        "eth_call",
        `to=${gold}&accessList=${encodeURIComponent(text)}`,
        `accesslist: expected a JSON list of { address, storageKeys }, each with an address and hashes, got ${text === "x" ? "x" : `${text.length} characters`}`,
      ],
    ),
  ])("%s %s", async (method, query, message) => {
    expect((await call(`action=${method}&${query}`)).body).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32602, message },
    })
    expect(asked).toEqual([])
  })
})

test("the node's refusal is the caller's, with its data, and never in the words of a limit", async () => {
  says = Effect.succeed({ error: { code: 3, message: "execution reverted: Rate limit exceeded", data: "0x08c3" } })
  expect((await call(`action=eth_call&to=${gold}`)).body).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: { code: 3, message: "execution reverted: Rate-limit exceeded", data: "0x08c3" },
  })
})

test("a node that does not answer is an error that names neither it nor its reason", async () => {
  says = Effect.fail(new SourceUnavailable({ message: "https://secret.example: rate limit" }))
  expect((await call("action=eth_gasPrice")).body).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32000, message: "the chain's node does not answer at the moment" },
  })
})

test("a process without a node of the chain says so, and not that it should be asked again", async () => {
  says = Effect.fail(new SourceUnavailable({ message: "there is no node to ask", noNode: true }))
  expect((await call("action=eth_blockNumber")).body).toMatchObject({
    error: { code: -32000, message: "this process has no node of the chain to ask" },
  })
})

describe("a signed transaction", () => {
  test("is not sent, unless it is configured", async () => {
    expect((await call("action=eth_sendRawTransaction&hex=0x02f8")).body).toMatchObject({ error: { code: -32601 } })
    expect(asked).toEqual([])
    sends = true
    expect((await call("action=eth_sendRawTransaction&hex=0x02F8")).body).toMatchObject({ result: "0x1" })
    expect(asked).toEqual([["43114", "eth_sendRawTransaction", ["0x02f8"]]])
  })

  test("is sent once for each time it is asked", async () => {
    sends = true
    await Promise.all([1, 2, 3].map(() => call("action=eth_sendRawTransaction&hex=0x02f8")))
    expect(asked).toHaveLength(3)
  })

  test.each(["43114:4", "43114:4000000"])("is sent once, and answered, beside x-min-block: %s", async (minBlock) => {
    sends = true
    const init = { method: "POST", headers: { "x-min-block": minBlock } }
    const { status, body } = await call("action=eth_sendRawTransaction&hex=0x02f8", init)
    expect([status, body]).toEqual([200, { jsonrpc: "2.0", id: 1, result: "0x1" }])
    expect(asked).toEqual([["43114", "eth_sendRawTransaction", ["0x02f8"]]])
  })

  test("is not sent beside an x-min-block that cannot be read", async () => {
    sends = true
    const { body } = await call("action=eth_sendRawTransaction&hex=0x02f8", { headers: { "x-min-block": "newest" } })
    expect(body).toMatchObject({ status: "0" })
    expect(asked).toEqual([])
  })
})

describe("x-min-block", () => {
  const beside = (minBlock: string, query: string) => call(query, { headers: { "x-min-block": minBlock } })
  test("is nothing to what the node says of itself: it is asked once", async () => {
    const { body } = await beside("43114:9", `action=eth_getBalance&address=${ann}`)
    expect(body).toEqual({ jsonrpc: "2.0", id: 1, result: "0x1" })
    expect(asked).toEqual([["43114", "eth_getBalance", [ann, "latest"]]])
  })

  test("is nothing to what is said of the caller", async () => {
    const headers = { "x-min-block": "43114:9" }
    const { body } = await service.get("/v2/api?chainid=43114&module=getapilimit&action=getapilimit", { headers })
    expect(body).toMatchObject({ status: "1" })
  })

  test("holds for the height, which is the ledger's: the node is asked once, and not below the block", async () => {
    says = Effect.succeed({ result: "0x9" })
    expect((await beside("43114:4", "action=eth_blockNumber")).body).toMatchObject({ result: "0x4" })
    expect(asked).toHaveLength(1)
    asked = []
    const { body } = await beside("43114:5", "action=eth_blockNumber")
    expect(body).toMatchObject({ status: "0", result: expect.stringContaining("block 5 is wanted") })
    expect(asked).toEqual([])
  })
})

test.each([
  "eth_accounts",
  "debug_traceTransaction",
  "eth_getLogs",
  "admin_peers",
  "eth_sign",
  "constructor",
  "__proto__",
])("%s is none of them", async (method) => {
  expect((await call(`action=${method}`)).body).toEqual({
    status: "0",
    message: "NOTOK",
    result: "Error! Missing Or invalid Action name",
  })
  expect(asked).toEqual([])
})

test("a silent node keeps nobody from the ledger", async () => {
  says = Effect.never
  const left = new AbortController()
  const waiting = Array.from({ length: 30 }, (_, index) =>
    service.fetch(
      "/v2/api?chainid=43114&module=proxy&action=eth_gasPrice",
      { signal: left.signal },
      `192.0.2.${index + 10}`,
    ),
  )
  const { body } = await service.get(`/43114/api?module=stats&action=tokensupply&contractaddress=${gold}`)
  expect(body.result).toBe("900")
  left.abort()
  await Promise.allSettled(waiting)
})
