/** The readers' pool, made anew when one of its connections was lost: the driver may never use that one rightly again. */
import type postgres from "postgres"

export interface Pool {
  /** Always of the connections in use now. */
  readonly sql: postgres.Sql
  /** After this statements go over new connections; those under way have their time on the old ones. */
  readonly renew: () => void
  readonly end: () => Promise<void>
}

/** Between two renewals: of many statements that are lost together one is enough. */
const renewalPauseMs = 1000
/** That statements, and streams, have to end on the old connections. */
const drainSeconds = 900

export const makePool = (make: () => postgres.Sql): Pool => {
  let current = make()
  let renewedAt = Number.NEGATIVE_INFINITY
  const sql = new Proxy((() => {}) as unknown as postgres.Sql, {
    apply: (_, __, words) =>
      Reflect.apply(current as unknown as (...words: Array<unknown>) => unknown, undefined, words),
    get: (_, name) => {
      const value: unknown = Reflect.get(current, name)
      return typeof value === "function" ? value.bind(current) : value
    },
  })
  return {
    sql,
    renew: () => {
      if (performance.now() - renewedAt < renewalPauseMs) return
      renewedAt = performance.now()
      const before = current
      current = make()
      before.end({ timeout: drainSeconds }).catch(() => {})
    },
    end: () => current.end({ timeout: 1 }),
  }
}

/** The connection went, under the statement or before it; a server that refuses one is merely down. */
export const isLost = (cause: unknown): boolean =>
  ["CONNECTION_CLOSED", "CONNECTION_ENDED", "CONNECTION_DESTROYED", "CONNECT_TIMEOUT", "ECONNRESET", "EPIPE"].includes(
    String(Object(cause).code),
  )

/** What states of SQLSTATE say of a server, in words of our own: its sentence may name a user, a database or a path. */
export const ofServer: Readonly<Record<string, string>> = {
  "25006": "takes no writes",
  "28000": "refuses the login that its URL names",
  "28P01": "refuses the login that its URL names",
  "53000": "is out of resources",
  "53100": "has no room left",
  "53200": "has no memory left",
  "53300": "takes no more connections",
  "53400": "is out of resources",
  "57P01": "ended the connection",
  "57P02": "ended the connection",
  "57P03": "is not ready",
}

/** Classes of SQLSTATE that say nothing of what was asked: of a connection, a login, a transaction or a server that ended. */
const outsideStates = /^(?:08|25|28|3D|40|53|57)/

/** Whether the server refused what it was asked, rather than whoever asks or all that is asked of it now. */
export const isOfStatement = (cause: unknown): boolean => {
  const { severity, code } = Object(cause) as Readonly<Record<"severity" | "code", string | undefined>>
  return severity !== undefined && !outsideStates.test(String(code))
}

/** What anybody may be shown of why a statement failed. */
export const saidOf = (cause: unknown): string => {
  const { name, code } = Object(cause) as Readonly<Record<"name" | "code", string | undefined>>
  const shown = code === undefined ? "" : ` (${code})`
  if (name !== "PostgresError") return `the database cannot be reached${shown}`
  return `the database ${ofServer[String(code)] ?? "fails"}${shown}`
}
