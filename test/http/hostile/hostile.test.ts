/** Hostile requests get a 4xx or the decided compatibility answer, within a second, and the service answers rightly after them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { actions } from "../../../src/adapters/http/compat/actions.ts"
import { getLogs } from "../../../src/adapters/http/compat/getLogs.ts"
import { nodeActions } from "../../../src/adapters/http/compat/nodeActions.ts"
import { problems } from "../../../src/adapters/http/contract/statuses.ts"
import { endpoints } from "../../../src/adapters/http/endpoints.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { testSettings } from "../../support/givenServer.ts"
import { checkCommonHeaders, type Json, prefix } from "../support.ts"
import { ann, apes, gold, potions, startWorld } from "../world.ts"
import { type HostileRequest, hostileRequest, odd, sql } from "./nasty.ts"

const avax = prefix("43114")
/** Questions in good faith, of every kind. */
const fine = [
  `${avax}/erc20?count=true`,
  `${prefix("all")}/erc721?sort=transfers`,
  `${avax}/erc1155/${potions}/holders`,
  `${avax}/erc721/${apes}/tokens?limit=1`,
  `${avax}/erc721-transfers?tokenAddress=${apes}&tokenId=10`,
  `${avax}/compat/api?module=account&action=tokenbalance&contractaddress=${gold}&address=${ann}`,
  `${avax}/supply`,
]

const stores = {
  memory: {
    // An answer that takes longer is a 504, and no 5xx passes here.
    options: async () => ({ requestTimeoutMs: 20_000 }),
    values: [...sql, ...odd.filter((text) => text.length <= 500)],
    everywhere: [],
    runs: 1500,
  },
  // Fewer of the same against what text can do harm to; a loaded machine may take its time.
  "PostgreSQL 18": {
    options: async () => ({ storeLayer: PostgresStore.layer(await testSettings()) }),
    values: [...sql.slice(3), "0", "9007199254740991", String(2n ** 256n - 1n)],
    // What a statement cannot take hangs on the statement, not on the name.
    everywhere: [...sql.slice(0, 3), "\0", "9".repeat(78)],
    runs: 300,
  },
}

const codes = new Set(Object.values(problems).map(({ code }) => code))
/** The refusals of docs/interface.md, "The compatibility endpoint". */
const compatResults = [
  /^Error! Missing Or invalid (Module|Action) name$/,
  /^Error! Invalid (contract )?address format$/,
  /^Error! Invalid block number(: (expected a block up to|block \d+ is before the indexed history)[^<>"']*)?$/,
  /^Error! chainid \w+ is not the chain of this path, which is \d+$/,
  /^Missing or unsupported chainid parameter \(required for v2 api\): (none was given|(\w+|what was given) is not followed here), the chains are 1, 10, 43113, 43114$/,
  /^Error! expected a form, got a body that is none$/,
  /^Error! Invalid (fromto|topic\d_\d)_opr: expected and, or$/,
  /^Error! Missing address or topic0: at least one is needed$/,
  /^Error! Invalid topic format$/,
  /^Error! Three topics or more need the same operator between all of them$/,
  /^Error! this process has no node of chain \d+ \(RPC_URL_\d+\)$/,
  /^Error! Result window is too large: offset is 1000 at most, page times offset 10000$/,
  /^Error! the transactions' own columns \(nonce, gas, gasPrice and the like\) are not known: this process has no node of chain \d+ \(RPC_URL_\d+\)$/,
  /^Error! the (balance|block) is not known: this process has no node of chain \d+ \(RPC_URL_\d+\)$/,
  /^Error! (no price of the native currency is known|Token not found|No closest block found|Invalid timestamp)$/,
  /^Error! Invalid value of closest: expected before, after$/,
  /^Error! expected at most 20 addresses, got \d+$/,
  /^Method not allowed$/,
]
const nullMessages = [
  "chain not supported",
  "Result window is too large, PageNo x Offset size must be less than or equal to 10000",
]

const checkCompat = (status: number, body: Json): void => {
  expect(Object.keys(body)).toEqual(["status", "message", "result"])
  if (body.message === "No transactions found") expect([status, body.status, body.result]).toEqual([200, "0", []])
  else if (body.status === "1") expect([status, body.message]).toEqual([200, "OK"])
  else if (body.result === null) expect([status, nullMessages]).toEqual([200, expect.arrayContaining([body.message])])
  else {
    expect([body.status, body.message]).toEqual(["0", "NOTOK"])
    expect(compatResults.filter((row) => row.test(body.result)).length).toBe(1)
    expect(status).toBe(body.result === "Method not allowed" ? 405 : 200)
  }
}

/** There is no node here: whatever is asked of it is refused, at a safe length. */
const checkNode = (status: number, { error }: Json): void => {
  expect([status, [-32602, -32601, -32000].includes(error.code)]).toEqual([200, true])
  expect(error.message.length).toBeLessThan(200)
}

const checkNative = (status: number, body: Json): void => {
  if (status === 200) {
    const isKnown = body.status === "ok" || body.chains !== undefined || body.address !== undefined
    expect(Array.isArray(body.items) || isKnown).toBe(true)
    return
  }
  expect(Object.keys(body)).toEqual(["statusCode", "code", "error", "message"])
  expect([body.statusCode, codes.has(body.code)]).toEqual([status, true])
  // A refusal quotes at a safe length.
  expect(body.message.length).toBeLessThan(400)
}

/** What a server hands over: the raw target, which `new Request` would tidy up; or the tidied one. */
const requestOf = ({ target, method, headers, raw }: HostileRequest): Request => {
  const url = `http://cowry.test${target}`
  const request = new Request(raw ? "http://cowry.test/" : url, { method, headers })
  return raw
    ? new Proxy(request, { get: (self, key) => (key === "url" ? url : Reflect.get(self, key, self)) })
    : request
}

describe.each(Object.entries(stores))("on %s", (_, { options, values, everywhere, runs }) => {
  let service: Awaited<ReturnType<typeof startWorld>>
  let cursors: ReadonlyArray<string>
  let before: ReadonlyArray<Json>
  const askAll = () => Promise.all(fine.map((path) => service.get(path)))
  beforeAll(async () => {
    service = await startWorld(await options())
    const lists = ["erc20-transfers", "erc20", `erc721/${apes}/tokens`, `erc1155/${potions}/holders`]
    cursors = await Promise.all(
      lists.map(async (list) => (await service.get(`${avax}/${list}?limit=1`)).body.link.nextToken),
    )
    before = await askAll()
    expect(before.map(({ status }) => status)).toEqual(fine.map((path) => (path.endsWith("/supply") ? 404 : 200)))
  })
  afterAll(() => service.close())

  /** Sends it; gives its status after everything about the answer was found to be decided. */
  const send = async (hostile: HostileRequest): Promise<number> => {
    const started = process.cpuUsage()
    const response = await service.app.fetch(requestOf(hostile), "192.0.2.1")
    const { user, system } = process.cpuUsage(started)
    // Work, not time on the clock: another process may have had the core.
    expect((user + system) / 1e6).toBeLessThan(1)
    checkCommonHeaders(response)
    const { status } = response
    const text = await response.text()
    expect(response.headers.get("retry-after")).toBeNull()
    if (hostile.method === "HEAD" || status === 204) {
      expect(text).toBe("")
      return status
    }
    if (response.headers.get("content-type")?.startsWith("text/html") === true) {
      // The page is the same for everybody.
      expect([status, text.startsWith("<!doctype html>")]).toEqual([200, true])
      return status
    }
    const body: Json = JSON.parse(text)
    if ("jsonrpc" in body) checkNode(status, body)
    else if ("totalcount" in body) expect([status, body.totalcount]).toEqual([200, body.result.length])
    else if ("result" in body) checkCompat(status, body)
    else if (status !== 503 || body.status !== "not ready") {
      expect(status).toBeLessThan(500)
      checkNative(status, body)
    }
    return status
  }

  const checkAlive = async () => {
    expect(service.logs).toEqual([])
    expect(await askAll()).toEqual([...before])
    // Those may be kept ones: these are made anew.
    const anew = await Promise.all(fine.map((path) => service.fetchAnew(path)))
    expect(await Promise.all(anew.map((response) => response.json()))).toEqual(before.map(({ body }) => body))
  }

  test("SQL, odd values and huge ones in every parameter of every endpoint and action, and in the path: a part of them in each, and all in each name", async () => {
    const placed = (path: string, chain: string, address: string) =>
      path
        .replace("{networkId}", "mainnet")
        .replace("{chainId}", chain)
        .replace("{address}", address)
        .replace("{token}", gold)
    const places: ReadonlyArray<Place> = [
      ...endpoints
        .filter(({ id }, index) => endpoints.findIndex((other) => other.id === id) === index)
        .flatMap(({ path, doc }) => [
          ...namesOf(doc.query, "blockNumber", "apikey").map(
            (name): Place => [name, (value) => `${placed(path, "43114", apes)}?${name}=${value}`],
          ),
          ...(path.includes("{chainId}") ? [["{chainId}", (value: string) => placed(path, value, apes)] as const] : []),
          ...(path.includes("{address}")
            ? [["{address}", (value: string) => placed(path, "43114", value)] as const]
            : []),
        ]),
      ...[...actions, ...nodeActions, getLogs].flatMap(({ module, action, doc }) => {
        const wellMade = `address=${ann}&contractaddress=${gold}&blockno=2`
        return namesOf(doc.query, "chainid", "module", "action").map(
          (name): Place => [
            name,
            (value) => `${avax}/compat/api?${name}=${value}&module=${module}&action=${action}&${wellMade}`,
          ],
        )
      }),
    ]
    const some = values.map(encodeURIComponentSafely)
    const all = everywhere.map(encodeURIComponentSafely)
    const seen = new Map<string, number>()
    const met = new Set<string>()
    for (const [name, targetOf] of places) {
      const parts = Math.min(mostParts, places.filter(([other]) => other === name).length)
      const part = seen.get(name) ?? 0
      seen.set(name, part + 1)
      for (const value of [...all, ...some.filter((_, index) => index % parts === part % parts)]) {
        met.add(`${name} ${value}`)
        await send({ target: targetOf(value), method: "GET", headers: {}, raw: true })
      }
    }
    expect(met.size).toBe(seen.size * new Set([...some, ...all]).size)
    await checkAlive()
  })

  test(`${runs} generated requests: never a 5xx, never an answer that is not decided, and the service is alive after`, async () => {
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(hostileRequest(cursors), async (hostile) => {
        const status = await send(hostile)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }),
      { numRuns: runs },
    )
    // The requests are of many kinds: refused by path, by method, by parameter, and in the envelope.
    for (const status of [200, 204, 400, 404, 405]) expect(statuses.get(status) ?? 0).toBeGreaterThan(0)
    await checkAlive()
  })
})

/** A parameter, or a place in the path, of one endpoint or action, and the target with a value there. */
type Place = readonly [name: string, targetOf: (value: string) => string]

/** Where a name is read in several places, each of them gets another part of the values. */
const mostParts = 4

/** The cursor goes by four names and is read once. */
function namesOf(query: object, ...more: ReadonlyArray<string>): ReadonlyArray<string> {
  return [...Object.keys(query).filter((name) => !["nextToken", "prev", "prevToken"].includes(name)), ...more]
}

/** As a client would send it; what cannot be encoded goes as it is. */
function encodeURIComponentSafely(text: string): string {
  try {
    return text.includes("%") ? text : encodeURIComponent(text)
  } catch {
    return text
  }
}
