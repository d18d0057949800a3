/** The client: what it is told once, and a method for all that the service can be asked. */
import { bodyOf, type Calls, makeCalls } from "./calls.ts"
import type { Change } from "./changes.ts"
import { CowryError, refusalOf } from "./error.ts"
import { type FeedOptions, type FeedQuery, feedOf } from "./feed.ts"
import type { ChainCalls, ServiceCalls } from "./generated/calls.ts"
import { operations } from "./generated/operations.ts"
import type { operations as Documented } from "./generated/schema.ts"
import { listOf } from "./list.ts"
import { type Fetch, patient } from "./patience.ts"
import { withRaw } from "./raw.ts"
import type { Seen } from "./seen.ts"
import type { CallOptions, Operation } from "./shapes.ts"
import { type Webhooks, webhooksOf } from "./webhooks.ts"

export interface ClientOptions {
  /** Where the service is: `https://tokens.example`. */
  readonly baseUrl: string
  /** The network that chains belong to, as the service is configured: `mainnet`. */
  readonly network?: string
  /** Sent in the header `apikey`. */
  readonly apiKey?: string
  /** How often a call is asked again that the service says to come back with (429 and 503 with `Retry-After`): 3. */
  readonly retries?: number
  /** How long one call may wait for that in all: 30,000. A longer wait is not begun: the call fails at once. */
  readonly mostWaitMs?: number
  /**
   * Never back in time: each answer is at least as new as the newest that this client has seen of its chain, whichever
   * instance or replica gives it. What the feed tells counts as seen, and the feed begins where the ledger is as new.
   */
  readonly neverBack?: boolean
  /** Instead of the runtime's own. */
  readonly fetch?: Fetch
}

export interface Chain extends ChainCalls {
  /** Rows as they come and go. Goes on by itself where a connection is lost, from where it stood. */
  changes(query?: FeedQuery, options?: FeedOptions): AsyncIterable<Change>
}

export type Readiness = Documented["ready"]["responses"][200]["content"]["application/json"]

export interface Cowry extends ServiceCalls {
  /** A chain by its id, or all of the network. */
  chain(chainId: number | bigint | string, network?: string): Chain
  /** How far each chain is; also where the service is not ready yet. */
  ready(options?: Pick<CallOptions, "signal">): Promise<Readiness>
  /** Who is told of events by requests, with a key that may manage them. */
  readonly webhooks: Webhooks
}

const placesIn = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "networkId" && name !== "chainId")

/** A method: the places of the path in their order, then the query, then options. */
const methodOf =
  (calls: Calls, name: Operation, fixed: Readonly<Record<string, string>>) =>
  (...args: ReadonlyArray<unknown>): unknown => {
    const { path, kind, integers } = operations[name]
    const names = placesIn(path)
    const places = Object.fromEntries(names.map((place, index) => [place, placeOf(place, args[index])]))
    const query = (args[names.length] ?? {}) as Readonly<Record<string, unknown>>
    const options = (args[names.length + 1] ?? {}) as CallOptions
    const call = { path, places: { ...fixed, ...places }, query, options }
    if (kind === "list") return listOf(calls, name, call)
    return calls.json(call).then(({ body, about }) => ({ ...about, data: withRaw(body as object, integers) }))
  }

/** A path without it would be another one. */
const placeOf = (name: string, value: unknown): string => {
  if (typeof value === "string" && value !== "") return value
  throw new TypeError(`${name}: expected a text, got ${value === "" ? "an empty one" : typeof value}`)
}

const methodsOf = (calls: Calls, ofChain: boolean, fixed: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    (Object.keys(operations) as ReadonlyArray<Operation>)
      .filter((name) => operations[name].path.includes("{chainId}") === ofChain)
      .map((name) => [name, methodOf(calls, name, fixed)]),
  )

export const createClient = (given: ClientOptions): Cowry => {
  const { network: usual = "mainnet", apiKey, retries = 3, mostWaitMs = 30_000, neverBack = false } = given
  const baseUrl = given.baseUrl.replace(/\/+$/, "")
  // Called as it stands: browsers want it called on the window.
  const fetch: Fetch = given.fetch ?? ((request) => globalThis.fetch(request))
  const headers = apiKey === undefined ? {} : { apikey: apiKey }
  const networks = new Map<string, Seen>()
  const seenOf = (network: string): Seen => {
    const seen = networks.get(network) ?? new Map()
    networks.set(network, seen)
    return seen
  }
  const calls = makeCalls({
    baseUrl,
    headers,
    fetch: patient(fetch, { retries, mostWaitMs }),
    ...(neverBack ? { seenOf } : {}),
  })

  const chain: Cowry["chain"] = (id, network = usual) => {
    const fixed = { networkId: placeOf("network", network), chainId: placeOf("chainId", String(id)) }
    const url = `${baseUrl}/v2/network/${encodeURIComponent(network)}/evm/${encodeURIComponent(String(id))}/events`
    const settings = { url, chainId: fixed.chainId, headers, fetch, seen: neverBack ? seenOf(network) : undefined }
    const changes: Chain["changes"] = (query = {}, options = {}) => feedOf(settings, query, options)
    return { ...(methodsOf(calls, true, fixed) as unknown as ChainCalls), changes }
  }

  const ready: Cowry["ready"] = async ({ signal } = {}) => {
    const url = `${baseUrl}/ready`
    const request = new Request(url, {
      headers: { accept: "application/json" },
      ...(signal === undefined ? {} : { signal }),
    })
    const unreachable = (cause: unknown): never => {
      if (signal?.aborted === true) throw cause
      throw new CowryError(`no answer of ${url}`, { code: "UNREACHABLE", url, cause })
    }
    const response = await fetch(request).catch(unreachable)
    const text = await response.text().catch(unreachable)
    // 503 has the same body: not ready is an answer.
    if (!response.ok && response.status !== 503) throw refusalOf(response, text, url)
    return bodyOf(response, text, url, (body) => "chains" in body && Array.isArray(body.chains)) as Readiness
  }

  const webhooks = webhooksOf({ baseUrl, headers, fetch })
  return { ...(methodsOf(calls, false, {}) as unknown as ServiceCalls), chain, ready, webhooks }
}
