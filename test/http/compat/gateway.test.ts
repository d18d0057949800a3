/** What Cowry does not answer: forwarded whole and without anybody's secrets, or refused by name; never both, never the wrong chain's. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import type { Layer } from "effect"
import { actions } from "../../../src/adapters/http/compat/actions.ts"
import { foreignActions } from "../../../src/adapters/http/compat/outside/foreignActions.ts"
import * as FetchUpstream from "../../../src/adapters/web/FetchUpstream.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { envelope, type FakeUpstream, startFakeUpstream } from "../../support/fakeUpstream.ts"
import { checkCommonHeaders, prefix } from "../support.ts"
import { ann, gold, startWorld } from "../world.ts"

const key = "UPSTREAMKEY123456"
let upstream: FakeUpstream
let service: Awaited<ReturnType<typeof startWorld>>
let alone: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  upstream = await startFakeUpstream()
  const place = { url: upstream.url, key }
  const layer = FetchUpstream.layer(
    {
      ofChain: new Map([
        [ChainId.make("43114"), place],
        [ChainId.make("1"), place],
      ]),
    },
    { callsPerSecond: 1000, timeoutMs: 2000, maxBytes: 10_000 },
  )
  service = await startWorld({ replace: layer as unknown as Layer.Layer<never> })
  alone = await startWorld()
})
beforeEach(() => upstream.reset())
afterAll(async () => {
  await service.close()
  await alone.close()
  await upstream.stop()
})

const own = new Set(actions.map(({ module, action }) => `${module}/${action.toLowerCase()}`))
const forwarded = foreignActions.filter(
  ({ module, action, isRefused }) =>
    isRefused !== true && action !== "getLogs" && !own.has(`${module}/${action.toLowerCase()}`),
)
const paths = [
  `${prefix("43114")}/etherscan/api?`,
  `${prefix("43114")}/compat/api?`,
  "/v2/api?chainid=43114&",
  "/api?chainid=43114&",
  "/43114/api?",
]
const list = `module=account&action=txlist&address=${ann}`
const asked = async (path: string, init?: RequestInit) => {
  const response = await service.fetch(path, init)
  checkCommonHeaders(response)
  return { headers: response.headers, status: response.status, text: await response.text() }
}

test.each(["43114:4", "43114:5"])("the upstream is asked once beside x-min-block: %s", async (minBlock) => {
  const { status, text } = await asked(paths[2] + list, { headers: { "x-min-block": minBlock } })
  expect([status, text]).toEqual([200, envelope([{ upstream: "account/txlist", chain: "43114" }])])
  expect(upstream.seen).toHaveLength(1)
})

test.each(paths)("%s forwards, says so, and says nothing of a ledger that was not read", async (path) => {
  const { headers, status, text } = await asked(path + list)
  expect([status, text]).toEqual([200, envelope([{ upstream: "account/txlist", chain: "43114" }])])
  expect(headers.get("x-served-by")).toBe("upstream")
  expect(headers.get("cache-control")).toBe("no-store")
  expect(headers.get("content-type")).toStartWith("application/json")
  expect([headers.get("etag"), headers.get("x-as-of-block")]).toEqual([null, null])
  expect(upstream.seen).toHaveLength(1)
})

test("every known action that is not its own goes up in Etherscan's spelling, whatever the caller's", async () => {
  expect(forwarded.length).toBeGreaterThan(30)
  for (const { module, action } of forwarded) {
    upstream.reset()
    const { headers } = await asked(`/v2/api?chainid=1&MODULE=${module.toUpperCase()}&Action=${action.toUpperCase()}`)
    expect(headers.get("x-served-by")).toBe("upstream")
    expect([...upstream.seen[0]!.query]).toEqual([
      ["chainid", "1"],
      ["module", module],
      ["action", action],
      ["apikey", key],
    ])
  }
})

test.each(["account/pendingtxlist", "stats/totalfees", "stats/ethsupplyexchange", "contract/listcontracts"])(
  "Blockscout's %s is a known action",
  async (name) => {
    const [module, action] = name.split("/")
    expect((await asked(`/v2/api?chainid=1&module=${module}&action=${action}`)).headers.get("x-served-by")).toBe(
      "upstream",
    )
  },
)

test("what Cowry answers itself never goes up, however badly it is asked", async () => {
  for (const { module, action } of actions) {
    const { headers } = await asked(`/v2/api?chainid=43114&module=${module}&action=${action}`)
    expect(headers.get("x-served-by")).toBeNull()
  }
  const { headers, text } = await asked(
    `/v2/api?chainid=43114&module=account&action=tokenbalance&address=${ann}&contractaddress=${gold}`,
  )
  expect([JSON.parse(text).result, headers.get("x-served-by")]).toEqual(["650", null])
  expect(upstream.seen).toEqual([])
})

const topic = `0x${"ab".repeat(32)}`

test("parameters go up once each, in their right spelling; nothing else does", async () => {
  await asked(
    `/v2/api?chainid=1&module=logs&action=getlogs&FROMBLOCK=1&toblock=2&Topic0=${topic}&topic0_1_OPR=or&address=${ann}&address=0x0&callback=evil&foo=bar&chainid=43114`,
  )
  expect([...upstream.seen[0]!.query]).toEqual([
    ["chainid", "1"],
    ["module", "logs"],
    ["action", "getLogs"],
    ["fromBlock", "1"],
    ["toBlock", "2"],
    ["topic0", topic],
    ["topic0_1_opr", "or"],
    ["address", ann],
    ["apikey", key],
  ])
})

test.each([
  ["contract", "getcontractcreation", "contractaddresses"],
  ["nametag", "getaddresstag", "address"],
])("%s/%s: a list goes up whole, also where its parameter is repeated", async (module, action, name) => {
  const query = `module=${module}&action=${action}&${name}=${ann}&${name}=${gold},${ann}`
  await asked(`/v2/api?chainid=1&${query}`)
  await asked("/v2/api?chainid=1", { method: "POST", body: new URLSearchParams(query) })
  for (const { query: up } of upstream.seen) expect(up.getAll(name)).toEqual([`${ann},${gold},${ann}`])
  expect(upstream.seen).toHaveLength(2)
})

describe("the caller's key never goes up,", () => {
  const callers = "CALLERSKEY987654"
  test.each([
    ["in the query", `&apikey=${callers}`, {}],
    ["in other letters", `&ApiKey=${callers}&APIKEY=${callers}`, {}],
    ["under another name", `&api_key=${callers}&key=${callers}&token=${callers}`, {}],
    [
      "in a header",
      "",
      { headers: { apikey: callers, authorization: `Bearer ${callers}`, cookie: callers, "x-api-key": callers } },
    ],
    ["in a form", "", { method: "POST", body: new URLSearchParams({ apikey: callers, offset: "5" }) }],
  ])("%s", async (_, query, init) => {
    const { headers } = await asked(`/v2/api?chainid=1&${list}${query}`, init)
    expect(headers.get("x-served-by")).toBe("upstream")
    expect(upstream.seen).toHaveLength(1)
    expect(upstream.seen[0]!.whole).not.toContain(callers)
    expect(upstream.seen[0]!.query.getAll("apikey")).toEqual([key])
  })
})

describe("an upstream that fails is a NOTOK that says so, without its secrets:", () => {
  const failed = "Error! Action txlist is not answered by the upstream: "
  test.each([
    ["500", (answer: Answer) => answer.writeHead(500).end(key), `${failed}it answers with HTTP 500`],
    ["HTML", (answer: Answer) => answer.end(`<html>${key} rate limit`), `${failed}its answer is not JSON`],
    [
      "its own key in the answer",
      (answer: Answer) => answer.end(envelope(key)),
      `${failed}its answer repeats what is secret`,
    ],
    [
      "a redirect",
      (answer: Answer) => answer.writeHead(301, { location: upstream.url }).end(),
      `${failed}it answers with HTTP 301`,
    ],
    ["too much", (answer: Answer) => answer.end(envelope("x".repeat(20_000))), `${failed}more than 10000 bytes`],
    ["silence", () => {}, /no whole answer within 2 s/],
    [
      "no such key",
      (answer: Answer) => answer.end(envelope("Invalid API Key", "0", "NOTOK")),
      `${failed}it does not take this service's key`,
    ],
    ["a limit", (answer: Answer) => answer.writeHead(429).end(), "Max rate limit reached"],
  ])("%s", async (_, answer, words) => {
    upstream.play((_, response) => void answer(response))
    // At once: silence takes each of them its time.
    for (const { headers, status, text } of await Promise.all(paths.map((path) => asked(path + list)))) {
      const { status: word, message, result } = JSON.parse(text)
      expect([status, word, message]).toEqual([200, "0", "NOTOK"])
      if (typeof words === "string") expect(result).toBe(words)
      else expect(result).toMatch(words)
      expect(headers.get("x-served-by")).toBe("upstream")
      expect(text + JSON.stringify([...headers])).not.toContain(key)
      if (words !== "Max rate limit reached") expect(text).not.toMatch(/rate limit/i)
      expect(text).not.toMatch(/no (records|transactions|data) found/i)
    }
  })
  type Answer = Parameters<Parameters<FakeUpstream["play"]>[0]>[1]
})

test("a question for a chain without an upstream is not asked of another's", async () => {
  const { headers, text } = await asked(`/v2/api?chainid=10&${list}`)
  expect(JSON.parse(text).result).toStartWith("Error! Action txlist is not served here: ")
  expect(headers.get("x-served-by")).toBeNull()
  expect((await asked(`/v2/api?chainid=5&${list}`)).text).toContain("Missing or unsupported chainid")
  expect((await asked(`/43114/api?chainid=1&${list}`)).text).toContain("is not the chain of this path")
  expect(upstream.seen).toEqual([])
})

test.each([
  ["an action that nobody knows", "module=account&action=txlisted", "Error! Missing Or invalid Action name"],
  ["one of a module that is all forwarded", "module=contract&action=getall", "Error! Missing Or invalid Action name"],
  ["a module that nobody knows", "module=accounts&action=txlist", "Error! Missing Or invalid Module name"],
  ["none", "", "Error! Missing Or invalid Module name"],
  [
    "what is no read",
    "module=contract&action=verifysourcecode",
    "Error! Action verifysourcecode is not served here: it is no read",
  ],
  ["a transaction to send", "module=proxy&action=eth_sendRawTransaction&hex=0x00", undefined],
  [
    "very long parameters",
    `${list}&topic0=${"a".repeat(9000)}`,
    "Error! Action txlist is not served here: its parameters are longer than 8192 characters",
  ],
])("%s goes nowhere", async (_, query, result) => {
  const { text } = await asked(`/v2/api?chainid=1&${query}`)
  if (result !== undefined) expect(JSON.parse(text)).toEqual({ status: "0", message: "NOTOK", result })
  expect(upstream.seen).toEqual([])
})

test.each(paths)("%s without an upstream refuses each by its name", async (path) => {
  for (const { module, action } of forwarded.slice(0, 12)) {
    const { status, body } = await alone.get(`${path}module=${module}&action=${action}`)
    expect([status, body]).toEqual([
      200,
      {
        status: "0",
        message: "NOTOK",
        result: `Error! Action ${action} is not served here: it is not in the ledger, and no upstream is configured`,
      },
    ])
  }
})

test("many who wait for a silent upstream keep nobody from the ledger", async () => {
  upstream.play(() => {})
  const waiting = Array.from({ length: 30 }, (_, index) =>
    service.fetch(`/v2/api?chainid=1&${list}`, undefined, `192.0.2.${index + 10}`),
  )
  let ended = 0
  for (const answer of waiting) void answer.then(() => ended++)
  const { text } = await asked(`/v2/api?chainid=43114&module=stats&action=tokensupply&contractaddress=${gold}`)
  expect(JSON.parse(text).result).toBe("900")
  expect(ended).toBe(0)
  for (const response of await Promise.all(waiting)) expect((await response.text()).includes(key)).toBe(false)
})
