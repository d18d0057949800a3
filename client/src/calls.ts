/** One call: the request by openapi-fetch, the answer with what its headers say, every failure as the one error. */
import createFetchClient, { type Client } from "openapi-fetch"
import { type AsOf, asOfOf } from "./asOf.ts"
import { CowryError, refusalOf } from "./error.ts"
import type { paths } from "./generated/schema.ts"
import type { Fetch } from "./patience.ts"
import { minBlockOf, type Seen, see } from "./seen.ts"
import type { About, CallOptions } from "./shapes.ts"

export interface Call {
  readonly path: string
  readonly places: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly options: CallOptions
}

export interface Told {
  readonly body: unknown
  readonly about: About
}

export interface Calls {
  /** The body as JSON; `fits`: whether it is what was asked for. */
  readonly json: (call: Call, fits?: (body: object) => boolean) => Promise<Told>
  /** The body as it comes, of one of NDJSON. */
  readonly lines: (call: Call) => Promise<{ readonly body: ReadableStream<Uint8Array>; readonly about: About }>
}

export interface CallSettings {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: Fetch
  /** Of a network; absent = what was seen is not remembered. */
  readonly seenOf?: (network: string) => Seen
}

/** What may be said of figures together: of several chains the worst counts. */
const byWorst = ["drift", "rebasing", "unverified", "exact"]

const aboutOf = (headers: Headers, asOf: ReadonlyArray<AsOf>): About => {
  const states = (headers.get("x-audit-state") ?? "").split(",").map((it) => it.split(":").at(-1))
  const auditState = byWorst.find((state) => states.includes(state))
  const balanceSource = headers.get("x-balance-source")
  const meant = (headers.get("x-at-block") ?? "").split(",")
  const atBlock = meant.length > 1 ? undefined : meant[0]?.split(":")[1]
  const ignored = headers.get("x-ignored-parameters")
  return {
    asOf,
    ...(auditState === undefined ? {} : { auditState }),
    ...(balanceSource === null ? {} : { balanceSource }),
    ...(atBlock === undefined ? {} : { atBlock: Number(atBlock) }),
    ignored: ignored === null ? [] : ignored.split(",").map((name) => decodeURIComponent(name.trim())),
  }
}

/** What fails without an answer. Who gave up himself is told his own reason. */
const unreachable = (cause: unknown, url: string, signal: AbortSignal | undefined): unknown => {
  if (cause instanceof CowryError || signal?.aborted === true) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new CowryError(`no answer of ${url}: ${reason}`, { code: "UNREACHABLE", url, cause })
}

/** Of these an empty list says what none says: nothing is left out, nothing is added. */
const mayBeEmpty = new Set(["excludedChainIds", "include"])

/** Of any other, openapi-fetch would leave it out, and ask for everything. */
const refuseEmpty = (query: Call["query"], url: string): void => {
  for (const [parameter, value] of Object.entries(query)) {
    if (!Array.isArray(value) || value.length > 0 || mayBeEmpty.has(parameter)) continue
    const message = `${parameter}: expected one value or more, got none: leave it out to ask for all`
    throw new CowryError(message, { code: "INVALID_PARAMETER", parameter, url })
  }
}

/** `text` as the object that it is; anything else is somebody else's. */
export const bodyOf = (response: Response, text: string, url: string, fits?: (body: object) => boolean): object => {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw refusalOf(response, text, url)
  }
  if (typeof body === "object" && body !== null && fits?.(body) !== false) return body
  throw refusalOf(response, text, url)
}

export const makeCalls = ({ baseUrl, headers, fetch, seenOf }: CallSettings): Calls => {
  const http: Client<paths> = createFetchClient<paths>({
    baseUrl,
    headers,
    fetch,
    querySerializer: { array: { style: "form", explode: false } },
  })
  // Paths are the generated table's; what they take and give, shapes.ts says of each.
  const get = http.GET as unknown as (
    path: string,
    init: object,
  ) => Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>

  const ask = async ({ path, places, query, options }: Call, accept: string, parseAs: "text" | "stream") => {
    const { signal } = options
    const url = baseUrl + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? "")
    refuseEmpty(query, url)
    const seen = places.networkId === undefined ? undefined : seenOf?.(places.networkId)
    const minBlock = minBlockOf(options, places.chainId, seen, url)
    const init = {
      params: { path: places, query },
      parseAs,
      headers: { accept, ...(minBlock === "" ? {} : { "x-min-block": minBlock }) },
      ...(signal === undefined ? {} : { signal }),
    }
    const { data, error, response } = await get(path, init).catch((cause: unknown) => {
      throw unreachable(cause, url, signal)
    })
    if (!response.ok) throw refusalOf(response, typeof error === "string" ? error : JSON.stringify(error ?? null), url)
    const asOf = asOfOf(response.headers)
    for (const { chainId, block } of asOf) see(seen, chainId, block)
    return { data, response, url, about: aboutOf(response.headers, asOf) }
  }

  return {
    json: async (call, fits) => {
      const { data, response, url, about } = await ask(call, "application/json", "text")
      return { body: bodyOf(response, String(data), url, fits), about }
    },
    lines: async (call) => {
      const { data, response, url, about } = await ask(call, "application/x-ndjson", "stream")
      if (!(response.headers.get("content-type") ?? "").startsWith("application/x-ndjson")) {
        await response.body?.cancel()
        throw refusalOf(response, "a list that comes by pages alone", url)
      }
      return { body: data as ReadableStream<Uint8Array>, about }
    },
  }
}
