/** What the query of a database URL may say: how the server is reached, and settings of the server. */
import { readTls, type Tls } from "./tls.ts"
import type { Wanted } from "./wanted.ts"

export interface Parameters {
  /** They win over what stands before the path. */
  readonly host?: string
  readonly port?: string
  readonly user?: string
  readonly password?: string
  readonly tls?: Tls
  /** Options of the driver. */
  readonly driver: Readonly<Record<string, unknown>>
  /** Settings of the server, as a connection asks for them when it is opened. */
  readonly server: Readonly<Record<string, string>>
}

/** What the text of values and statements means, and what a transaction sees: never the role's, nor the URL's. */
export const valueParameters = {
  bytea_output: "hex",
  standard_conforming_strings: "on",
  array_nulls: "on",
  DateStyle: "ISO",
  default_transaction_isolation: "read committed",
} as const

/** By names in lower case: a server takes them in any. */
const fixed: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...valueParameters, client_encoding: "UTF8" }).map(([name, value]) => [name.toLowerCase(), value]),
)

/** What libpq knows and does here is nothing, or another thing: a server would refuse it in words that explain less. */
const unsupported = new Map([
  ...["sslcert", "sslkey", "sslpassword", "sslcertmode"].map(
    (name) => [name, "client certificates are not supported"] as const,
  ),
  ...["dbname", "database"].map((name) => [name, "the database stands before the question mark"] as const),
  ...[
    ..."hostaddr passfile require_auth keepalives keepalives_idle keepalives_interval keepalives_count".split(" "),
    ..."tcp_user_timeout replication gssdelegation gsslib".split(" "),
    ..."krbsrvname sslcompression sslcrl sslcrldir sslsni sslkeylogfile requirepeer requiressl".split(" "),
    ..."ssl_min_protocol_version ssl_max_protocol_version min_protocol_version max_protocol_version".split(" "),
    ..."load_balance_hosts service servicefile scram_client_key scram_server_key".split(" "),
  ].map((name) => [name, "it is not supported"] as const),
])

/**
 * Said for other programs, and passed over: sizes and times of pools, which are ours to choose, and what hosts write into
 * their URLs. There is no channel binding here, TLS or not, and no GSS.
 */
const passedOver: ReadonlyArray<string> = [
  ..."max idle_timeout connect_timeout max_lifetime backoff fetch_types debug publications timeout".split(" "),
  ..."channel_binding gssencmode fallback_application_name pgbouncer connection_limit pool_timeout".split(" "),
]

/** A server is looked at anyway: whether it is a standby, and takes writes. The driver knows no `any`. */
const sessions: ReadonlyArray<string> = "any read-write read-only primary standby prefer-standby".split(" ")

const named = /^[a-z_][\w.$]*$/iu

/** `utf-8` is UTF8, and of `ISO, MDY` the first word is what values are written by. */
const isSame = (needed: string, value: string): boolean => {
  const plain = (text: string) => text.toLowerCase().replaceAll("-", "").split(",")[0]!.trim()
  return plain(needed) === plain(value)
}

export const readParameters = (query: string): Parameters | Wanted => {
  // The last one of a name counts; one without a value says nothing, as of a template's variable that is not set.
  const said = [...new URLSearchParams(query)].filter(([name, value]) => value !== "" || !named.test(name))
  const all = Object.fromEntries(said)
  const tls = readTls(all)
  if ("wanted" in tls) return tls
  const { host, port, user, password, ...more } = all
  const { sslmode, ssl, sslrootcert, sslnegotiation, target_session_attrs: session, ...others } = more
  if (session !== undefined && !sessions.includes(session))
    return { wanted: `a URL whose target_session_attrs is ${sessions.join(", ")}` }
  const driver: Record<string, unknown> = {
    ...(session === undefined || session === "any" ? {} : { target_session_attrs: session }),
    ...(sslnegotiation === "direct" ? { sslnegotiation } : {}),
  }
  const server: Record<string, string> = {}
  for (const [name, value] of Object.entries(others)) {
    const reason = unsupported.get(name)
    if (reason !== undefined) return { wanted: `a URL without ${name}: ${reason}` }
    const needed = fixed.get(name.toLowerCase())
    if (needed !== undefined && !isSame(needed, value))
      return { wanted: `a URL without ${name}, or with ${needed} for it: values and statements are written so` }
    // What is no name may be a part of a password: it is not shown.
    if (!named.test(name) || value.includes("\0"))
      return { wanted: "a URL with name=value behind its question mark, %-escapes for special characters" }
    if (name === "prepare") driver.prepare = value !== "false" && value !== "disable"
    else if (name === "keep_alive" || name === "max_pipeline") driver[name] = Number(value)
    else if (needed === undefined && !passedOver.includes(name)) server[name] = value
  }
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(tls.tls === undefined ? {} : { tls: tls.tls }),
    driver,
    server,
  }
}
