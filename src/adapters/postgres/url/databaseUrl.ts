/** What a database URL says, or what is wanted of it. It holds a password: no text of this folder ever quotes it. */
import { isIPv6 } from "node:net"
import { type Parameters, readParameters } from "./parameters.ts"
import type { Wanted } from "./wanted.ts"

export interface DatabaseUrl extends Omit<Parameters, "host" | "port"> {
  /** All of the URL that may be shown: scheme, host and port. */
  readonly label: string
  /** Without brackets; absent = the environment's, or this machine. */
  readonly host?: string
  readonly port?: number
  /** Folder of a unix socket. */
  readonly folder?: string
  readonly user?: string
  readonly password?: string
  readonly database?: string
}

const shape =
  /^(?<scheme>postgres(?:ql)?):\/\/(?:(?<credentials>[^/?#]*)@)?(?<place>[^/?#]*)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?(?<hash>#.*)?$/isu
const placeShape = /^(?:\[(?<v6>[^\]]*)\]|(?<name>[^:[\]]*))(?::(?<port>\d*))?$/u

const escapes = "%-escapes for special characters in user, password and database (# %23, / %2F, ? %3F, @ %40, % %25)"
const usual: Wanted = { wanted: `a URL like postgres://user:password@host:port/database, with ${escapes}` }
const oneHost: Wanted = {
  wanted: "a URL with one host, got several: standbys that reads go to have a URL each in DATABASE_READ_URL",
}

export const readDatabaseUrl = (url: string): DatabaseUrl | Wanted => {
  const groups = shape.exec(url)?.groups
  if (groups === undefined) return { wanted: "a URL with postgres:// or postgresql://" }
  const { scheme = "", credentials, place = "", path = "", query = "", hash } = groups
  // Else a part of a password would be taken for the host, and shown as such.
  if (hash !== undefined || path.includes("@") || isOfPassword(query, credentials, place)) {
    return { wanted: `a URL with ${escapes}` }
  }
  if (place.includes(",")) return oneHost
  const written = placeOf(place)
  const names = namesOf(credentials, path)
  if (written === undefined || names === undefined) return usual
  const parameters = readParameters(query)
  if ("wanted" in parameters) return parameters
  const { host: given, port: givenPort, ...rest } = parameters
  if (given?.includes(",") || givenPort?.includes(",")) return oneHost
  const named = given === undefined ? written.host : hostOf(given)
  const port = portOf(givenPort ?? written.port)
  if (named === undefined || port === undefined) return usual
  const isFolder = named.startsWith("/")
  const shown = named === "" ? "localhost" : isIPv6(named) ? `[${named}]` : named
  return {
    ...names,
    ...rest,
    label: `${scheme.toLowerCase()}://${shown}${port === "" || isFolder ? "" : `:${port}`}`,
    ...(port === "" ? {} : { port }),
    ...(isFolder ? { folder: named } : named === "" ? {} : { host: named }),
  }
}

/**
 * An `@` of a query is its own, unless a `/` follows it before the query's next part, or what stands for the host may be a
 * user: then it ends a password.
 */
const isOfPassword = (query: string, credentials: string | undefined, place: string): boolean =>
  credentials === undefined && place !== "" ? query.includes("@") : /@[^&]*\//su.test(query)

const placeOf = (place: string) => {
  const { v6, name, port = "" } = placeShape.exec(place)?.groups ?? {}
  const host = v6 === undefined ? name : decodedOf(v6)
  if (host === undefined || (v6 !== undefined && !isIPv6(host))) return undefined
  const known = v6 === undefined ? hostOf(host) : host
  return known === undefined ? undefined : { host: known, port }
}

/** A name, an address or a socket's folder; undefined = none of them. */
const hostOf = (written: string): string | undefined => {
  const host = decodedOf(written)
  const isHost = host !== undefined && (/^(?:\/[^\0]*|[^\s\p{Cc}:/@[\]]*)$/u.test(host) || isIPv6(host))
  return isHost ? host : undefined
}

/** "" = none is given; undefined = it is none. */
const portOf = (written: string): number | "" | undefined => {
  if (written === "") return ""
  const port = Number(written)
  return /^\d{1,5}$/u.test(written) && port >= 1 && port <= 65_535 ? port : undefined
}

/** Undefined = an escape is broken. */
const namesOf = (credentials: string | undefined, path: string) => {
  const [, rawUser = "", rawPassword = ""] = /^([^:]*):?(.*)$/su.exec(credentials ?? "") ?? []
  const user = decodedOf(rawUser)
  const password = decodedOf(rawPassword)
  const database = decodedOf(path.slice(1))
  if (user === undefined || password === undefined || database === undefined) return undefined
  return {
    ...(user === "" ? {} : { user }),
    ...(password === "" ? {} : { password }),
    ...(database === "" ? {} : { database }),
  }
}

/** A zero ends a word where connections are opened: what follows it would be a parameter. */
const decodedOf = (text: string): string | undefined => {
  try {
    const decoded = decodeURIComponent(text)
    return decoded.includes("\0") ? undefined : decoded
  } catch {
    return undefined
  }
}
