/** Who calls: a configured key, else the address. A made-up key is neither a caller nor a way round a limit. */
import { isIP } from "node:net"
import type { ApiKeys } from "../../../ports/ApiKeys.ts"
import type { Endpoint, Style } from "../contract/endpoint.ts"
import { Unauthorized } from "../contract/faults.ts"
import { pathParameters } from "../contract/path.ts"
import { firstValue, foldNames, type Query } from "../contract/query.ts"

export interface Caller {
  /** For counting; never a key. */
  readonly name: string
  readonly hasKey: boolean
}

export const callerOf = (keys: ApiKeys["Service"], key: string | undefined, address: string): Caller => {
  const name = key === undefined ? undefined : keys.identify(key)
  return name === undefined ? callerAt(address) : { name: `key ${name}`, hasKey: true }
}

/** Who calls from an address without a configured key. */
export const callerAt = (address: string): Caller => ({ name: `ip ${network(address)}`, hasKey: false })

/** Who sends a body, by the headers alone. `keys`: undefined while the process starts. */
export const senderOf = (keys: ApiKeys["Service"] | undefined, headers: Headers, address: string): Caller =>
  keys === undefined ? callerAt(address) : callerOf(keys, keyOf(headers, [], "native"), address)

/** Strict mode lets nobody in without a configured key. */
export const unauthorized = ({ strict }: ApiKeys["Service"], caller: Caller): Unauthorized | undefined =>
  strict && !caller.hasKey
    ? new Unauthorized({ message: "apikey: expected a valid API key, in the header or the query" })
    : undefined

/** Whether a caller would be let in at this moment. */
export const isLetIn = (keys: ApiKeys["Service"], { key, address }: { key: string | undefined; address: string }) =>
  unauthorized(keys, callerOf(keys, key, address)) === undefined

/** The key as sent: header `apikey`, else the query, else `Authorization: Bearer`. */
export const keyOf = (headers: Headers, query: Query, style: Style): string | undefined => {
  const inQuery =
    style === "compat"
      ? firstValue(foldNames(query), "apikey")
      : (firstValue(query, "apikey") ?? firstValue(query, "apiKey"))
  return headers.get("apikey") || inQuery || bearerOf(headers.get("authorization"))
}

const bearerOf = (authorization: string | null): string | undefined =>
  authorization === null ? undefined : /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1]

/** The same on a path of another service too, whose clients send it their way. */
export const keySent = (
  endpoint: Endpoint | undefined,
  headers: Headers,
  path: string,
  query: Query,
): string | undefined => {
  const own = keyOf(headers, query, endpoint?.style ?? "native")
  if (own !== undefined || endpoint?.foreign === undefined) return own
  const parameters = pathParameters(endpoint.path, path)
  return endpoint.foreign.keyOf({ headers, query, param: (name) => parameters.get(name) ?? "" })
}

/** The caller's address. A trusted proxy appends the address it saw: only the last entry is its own word. */
export const addressOfCaller = (headers: Headers, peer: string | undefined, trustProxy: boolean): string => {
  const forwarded = trustProxy ? headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined
  return (isAddress(forwarded) ? forwarded : peer || "unknown").slice(0, 64)
}

/** Made-up words are no caller; some proxies append the port. */
const isAddress = (text: string | undefined): text is string =>
  text !== undefined && isIP(text.replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^([\d.]+):\d+$/, "$1")) !== 0

/** Who calls often is in the map already; it begins anew where it is full. */
const networks = new Map<string, string>()
const mostNetworks = 10_000

const network = (address: string): string => {
  const found = networks.get(address)
  if (found !== undefined) return found
  if (networks.size >= mostNetworks) networks.clear()
  const made = networkOf(address)
  networks.set(address, made)
  return made
}

/** An IPv4 address as it is, of an IPv6 address its /64: who has one of its addresses has them all. */
const networkOf = (address: string): string => {
  const ipv4 = /(?:^|:)(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/.exec(address)?.[1]
  if (ipv4 !== undefined) return ipv4
  const [head = "", tail] = address.replace(/^\[|\].*$|%.*$/g, "").split("::")
  const left = head.split(":").filter((group) => group !== "")
  const right = (tail ?? "").split(":").filter((group) => group !== "")
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0")
  return [...left, ...zeros, ...right].slice(0, 4).join(":")
}
