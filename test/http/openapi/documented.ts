/** Asks the documented service everything that the documentation shows. `bun test/http/openapi/documented.ts && bun run format` writes it down anew. */
import { readFileSync, writeFileSync } from "node:fs"
import { Effect, Layer } from "effect"
import { actions } from "../../../src/adapters/http/compat/actions.ts"
import type { Endpoint } from "../../../src/adapters/http/contract/endpoint.ts"
import { sampleContracts, sampleHolder } from "../../../src/adapters/http/contract/samples.ts"
import { endpoints } from "../../../src/adapters/http/endpoints.ts"
import type { Examples, Exchange } from "../../../src/adapters/http/openapi/examples.ts"
import { shapeNames } from "../../../src/adapters/http/shapes/shapes.ts"
import { QueryTooSlow, type StoreError, StoreUnavailable } from "../../../src/model/errors.ts"
import { SupplyStore } from "../../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { always } from "../../support/always.ts"
import type { Json, TestService } from "../support.ts"
import { recordMethods } from "./documentedEvents.ts"
import { startDocumented, statusOf } from "./documentedWorld.ts"
import { withPathsTable } from "./pathsTable.ts"

/** Those that the document shows. */
export const documented = endpoints.filter(({ doc }) => doc.hidden !== true)
const natives = documented.filter(({ style }) => style === "native")
const questions = natives.filter(({ open }) => open !== true)

/** The endpoint's path with the examples of its parameters. */
export const pathOf = ({ path, about }: Endpoint, chainId = "43114", address = contractOf(about)): string =>
  path
    .replace("{networkId}", "mainnet")
    .replace("{chainId}", chainId)
    .replace("{address}", address)
    .replace("{token}", sampleContracts.erc1155)

const contractOf = (about: Endpoint["about"]): string =>
  about.kind === "contract" ? sampleContracts[about.standard] : sampleHolder

/** What an endpoint must be asked with, or is shown with. */
const given: Readonly<Record<string, string>> = {
  "tokens-of": `address=${sampleHolder}`,
  "address/portfolio/history": "interval=block&standard=native,erc20",
  "address/tokens": "standard=native,erc20,erc721,erc1155",
  "address/portfolio": "standard=native,erc20",
}
export const queryOf = ({ id }: Endpoint, ...more: ReadonlyArray<string>): string => {
  const parts = [given[id], ...more].filter((part) => part !== undefined)
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

/** What an endpoint is asked with beside a parameter, and that one: of two under one name the first would count. */
export const queryBeside = (endpoint: Endpoint, name: string, text: string): string => {
  const own = given[endpoint.id]
  return own?.startsWith(`${name}=`) === true ? `?${text}` : queryOf(endpoint, text)
}

const isList = ({ doc }: Endpoint): boolean => Object.hasOwn(doc.query, "limit")

/** What each parameter refuses. A refusal of another's making comes behind. */
const refused: Readonly<Record<string, string>> = {
  limit: "5000",
  sort: "colour",
  token: "0x12",
  tokenIn: "0x12",
  tokenOut: "0x12",
  tokenAddress: "0x12",
  from: "0x12",
  to: "0x12",
  address: "0x12",
  tokenId: "-1",
  chainId: "999",
  state: "odd",
  blockNumber: "-1",
  blockNumberFrom: "-1",
  blockNumberTo: "1e6",
  standard: "erc404",
  minValueUsd: "-1",
  detail: "all",
  interval: "1m",
  timestamp: "soon",
  timestampFrom: "soon",
  timestampTo: "2026-02-30",
  finality: "safe",
  blockHash: "0x12",
  trusted: "yes",
  txHash: "0x12",
  minBalance: "-1",
  next: "abc",
  prev: "abc",
}

const compatPath = "/v2/network/mainnet/evm/43114/compat/api"
const { erc20, erc721, erc1155 } = sampleContracts
const supplyQuery = `module=stats&action=tokensupply&contractaddress=${erc20}`
const actionExtras: Readonly<Record<string, string>> = {
  contractaddress: erc20,
  address: sampleHolder,
  tag: "latest",
  blockno: "1000000",
  page: "1",
  offset: "10",
  sort: "asc",
  timestamp: "1767225612",
  closest: "before",
}

/** Instead of an ERC-20 contract. */
const actionContracts: Readonly<Record<string, string>> = {
  addresstokennftinventory: erc721,
  tokennfttx: erc721,
  token1155tx: erc1155,
  addresstoken1155inventory: erc1155,
}

const requestOf = ({ module, action, doc }: (typeof actions)[number]): string => {
  const isOther = (name: string) => name === "contractaddress" && Object.hasOwn(actionContracts, action)
  const extras = Object.keys(doc.query).flatMap((name) => {
    const value = isOther(name) ? actionContracts[action] : actionExtras[name]
    return value === undefined ? [] : [[name, value]]
  })
  return `${compatPath}?${[["module", module], ["action", action], ...extras].map((pair) => pair.join("=")).join("&")}`
}

const supplyOf = (contract: string): string => `module=stats&action=tokensupply&contractaddress=${contract}`
const balanceAt = (what: string): string =>
  `module=account&action=tokenbalance&address=${sampleHolder}&contractaddress=${erc20}&tag=${what}`
const supplyAt = (block: string): string =>
  `module=stats&action=tokensupplyhistory&contractaddress=${erc20}&blockno=${block}`

/** The rows of the compatibility endpoint's refusals, and what is no refusal though nothing is there. */
const compatRows: Readonly<Record<string, string>> = {
  "module unknown": "module=none&action=tokensupply",
  "action unknown": "module=stats&action=none",
  "address malformed": `module=account&action=tokenbalance&contractaddress=${erc20}&address=0x12`,
  "contractaddress malformed": supplyOf("0x12"),
  "blockno malformed": supplyAt("0x10"),
  "blockno beyond the head": supplyAt("2000000"),
  "blockno before the history": supplyAt("1"),
  "tag malformed": balanceAt("newest"),
  "chainid of another chain": `${supplyQuery}&chainid=1`,
  "page times offset too large": `module=token&action=tokenholderlist&contractaddress=${erc20}&page=11&offset=1000`,
  "unknown token": supplyOf(`0x${"0".repeat(39)}1`),
  "unknown holder": `module=account&action=addresstokenbalance&address=0x${"0".repeat(39)}1`,
}

/** Every exchange that the documentation shows. */
export const recordExamples = async (): Promise<Examples> => {
  const service = await startDocumented()
  try {
    const answers: Record<string, Exchange> = {}
    const refusals: Record<string, Record<string, Exchange>> = {}
    const cursors: Record<string, Examples["cursors"][string]> = {}
    for (const endpoint of natives)
      answers[endpoint.id] = await ask(
        service,
        pathOf(endpoint) + queryOf(endpoint, ...(isList(endpoint) ? ["limit=2", "count=true"] : [])),
      )
    for (const endpoint of questions) refusals[endpoint.id] = await refusalsOf(service, endpoint)
    for (const endpoint of questions.filter(isList)) cursors[endpoint.id] = await cursorsOf(service, endpoint)
    const asked: Record<string, Exchange> = {}
    for (const action of actions) asked[`${action.module}/${action.action}`] = await ask(service, requestOf(action))
    const compat: Record<string, Exchange> = {}
    for (const [name, query] of Object.entries(compatRows)) compat[name] = await ask(service, `${compatPath}?${query}`)
    compat["chain not supported"] = await ask(service, `${compatPath.replace("43114", "999")}?${supplyQuery}`)
    const shapes = await shapesAsked()
    refusals.compat = compat
    refusals.ready = { "not ready": await notReady() }
    return {
      answers,
      refusals,
      common: { native: await commonOf(erc20List), compat: await commonOf(`${compatPath}?${supplyQuery}`) },
      actions: asked,
      shapes,
      methods: await recordMethods(),
      cursors,
      headers: await headersOf(service),
    }
  } finally {
    await service.close()
  }
}

/** What each path of another service answers. When that was asked is the clock's. */
const shapesAsked = async (): Promise<Examples["shapes"]> => {
  const service = await startDocumented({ compatShapes: shapeNames })
  const one = async (request: string, sent?: unknown) => {
    const method = sent === undefined ? "GET" : "POST"
    const response = await service.fetch(request, {
      method,
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    })
    const text = (await response.text()).replace(
      /"(updated_at|request_time|response_time)":"[^"]+"/g,
      '"$1":"2026-01-01T00:01:00.000Z"',
    )
    const body: unknown = JSON.parse(text)
    return { request, ...(sent === undefined ? {} : { method, sent }), status: response.status, body }
  }
  const wallet = `/v1/avalanche-mainnet/address/${sampleHolder}`
  const exchanges = {
    "alchemy/tokens/by-address": await one("/data/v1/none/assets/tokens/by-address", {
      addresses: [{ address: sampleHolder, networks: ["avax-mainnet"] }],
    }),
    "sim/balances": await one(`/v1/evm/balances/${sampleHolder}?chain_ids=43114&limit=2`),
    "goldrush/historical_balances": await one(`${wallet}/historical_balances/?block-height=1000002`),
    "goldrush/portfolio_v2": await one(`${wallet}/portfolio_v2/?days=1`),
  }
  await service.close()
  return exchanges
}

/** What readiness says while its chain is being indexed. */
const notReady = async (): Promise<Exchange> => {
  const service = await startDocumented({ status: [statusOf({ phase: "backfill", headBlock: 1_240_003 })] })
  const exchange = await ask(service, "/ready")
  await service.close()
  return exchange
}

const ask = async (
  service: TestService,
  request: string,
  method = "GET",
  headers: Record<string, string> = {},
): Promise<Exchange> => {
  const { status, body } = await service.get(request, { method, headers })
  return { request, ...(method === "GET" ? {} : { method }), status, body }
}

const refusalsOf = async (service: TestService, endpoint: Endpoint) => {
  const { about, doc } = endpoint
  const requests: Record<string, string> = about.kind === "service" ? {} : { chain: pathOf(endpoint, "999") }
  if (about.kind === "contract" || about.kind === "address") {
    if (!("takesAll" in about)) requests.chainId = pathOf(endpoint, "all")
    if (endpoint.path.includes("{address}")) requests.address = pathOf(endpoint, "43114", "0x12")
  }
  const query = Object.keys(doc.query)
  for (const name of query.filter((name) => refused[name] !== undefined))
    requests[name] = pathOf(endpoint) + queryBeside(endpoint, name, `${name}=${refused[name]}`)
  if (query.includes("tokenId")) requests["tokenId alone"] = `${pathOf(endpoint)}?tokenId=42`
  if (query.includes("blockNumberTo"))
    requests["from above to"] =
      pathOf(endpoint) + queryBeside(endpoint, "blockNumberFrom", "blockNumberFrom=2&blockNumberTo=1")
  if (doc.faults.includes("HistoryNotAvailable") && query.includes("blockNumberFrom"))
    requests["begins before the history"] = `${pathOf(endpoint)}?blockNumberFrom=1`
  if (query.includes("blockNumber")) {
    requests["beyond the head"] = pathOf(endpoint) + queryOf(endpoint, "blockNumber=2000000")
    requests["two blocks"] = pathOf(endpoint) + queryOf(endpoint, "blockNumber=1000000&finality=finalized")
    requests["before the history"] = pathOf(endpoint) + queryOf(endpoint, "blockNumber=1")
  }
  if (query.includes("next")) requests["next and prev"] = pathOf(endpoint) + queryOf(endpoint, "next=abc&prev=abc")
  if (doc.faults.includes("TokenNotFound")) requests.unknown = pathOf(endpoint, "43114", `0x${"0".repeat(39)}1`)
  if (doc.faults.includes("ApprovalsNotKept")) requests.setting = pathOf(endpoint, "1")
  if (doc.faults.includes("SupplyNotConfigured")) requests.source = pathOf(endpoint, "1")
  const exchanges: Record<string, Exchange> = {}
  for (const [name, request] of Object.entries(requests)) {
    const exchange = await ask(service, request)
    exchanges[`${(exchange.body as Json).code} ${name}`] = exchange
  }
  return exchanges
}

const cursorsOf = async (service: TestService, endpoint: Endpoint) => {
  const first = await service.get(pathOf(endpoint) + queryOf(endpoint, "limit=1"))
  const next: string | undefined = first.body.link.nextToken
  if (next === undefined)
    throw new Error(`${endpoint.id}: test/http/openapi/documentedWorld.ts has less than two rows of it`)
  const second = await service.get(pathOf(endpoint) + queryOf(endpoint, "limit=1", `next=${next}`))
  if (second.status !== 200) throw new Error(`${endpoint.id}: ${JSON.stringify([first.body, second.body])}`)
  return { next, prev: second.body.link.prevToken as string }
}

const erc20List = "/v2/network/mainnet/evm/43114/erc20?limit=2"

/** A store whose every read is `read`. */
const broken = (read: Effect.Effect<never, StoreError>) => ({
  replace: Layer.merge(Layer.succeed(TokenStore, always(read)), Layer.succeed(SupplyStore, always(read))),
})

const tooSlow = new QueryTooSlow({
  message: "the answer takes too long: ask for less, by a smaller limit or a narrower filter",
})

const loading = statusOf({ phase: "deriving", headBlock: 1_240_003, done: 0.7512, secondsLeft: 130 })

const commonOf = async (request: string): Promise<Readonly<Record<string, Exchange>>> => {
  const one = async (options: Parameters<typeof startDocumented>[0], path = request, method = "GET", headers = {}) => {
    const service = await startDocumented(options)
    if (options?.rateLimitRpm !== undefined) await ask(service, path)
    const exchange = await ask(service, path, method, headers)
    await service.close()
    // How much of the minute is gone is the clock's.
    const body = JSON.parse(JSON.stringify(exchange.body).replace(/in \d+ seconds/, "in 60 seconds")) as unknown
    return { ...exchange, body }
  }
  return {
    UNAUTHORIZED: await one({ strictKeys: true }),
    METHOD_NOT_ALLOWED: await one({}, request, "PUT"),
    RATE_LIMITED: await one({ rateLimitRpm: 1 }),
    INTERNAL: await one(broken(Effect.die("a bug"))),
    UNAVAILABLE: await one(broken(Effect.fail(new StoreUnavailable({ cause: "down" })))),
    ...(request === erc20List ? { CHAIN_SYNCING: await one({ status: [loading] }) } : {}),
    ...(request === erc20List
      ? { BEHIND_MIN_BLOCK: await one({}, request, "GET", { "x-min-block": "43114:2000000" }) }
      : {}),
    TIMEOUT: await one(broken(Effect.fail(tooSlow))),
    ...(request === erc20List ? { NOT_FOUND: await one({}, "/v2/network/mainnet/evm/43114/erc777") } : {}),
  }
}

const headersOf = async (service: TestService): Promise<Readonly<Record<string, string>>> => {
  const { headers } = await service.fetch(erc20List)
  const own = [...headers].filter(([name]) => name.startsWith("x-") && name !== "x-request-id")
  const refusal = await service.fetch(erc20List, { method: "POST" })
  const limited = await startDocumented(broken(Effect.fail(new StoreUnavailable({ cause: "down" }))))
  const later = await limited.fetch(erc20List)
  await limited.close()
  const of = (response: Response, name: string) => [name, response.headers.get(name) ?? ""] as const
  return Object.fromEntries([...own, of(refusal, "allow"), of(later, "retry-after")])
}

if (import.meta.main) {
  const fileAt = (path: string) => new URL(`../../../${path}`, import.meta.url)
  const examples = JSON.stringify(await recordExamples(), null, 2)
  writeFileSync(fileAt("src/adapters/http/openapi/examples.json"), `${examples}\n`)
  const prose = fileAt("docs/interface.md")
  writeFileSync(prose, withPathsTable(readFileSync(prose, "utf8")))
}
