/** A database URL as the driver wants it. It holds a password: no error of this file ever quotes it. */
import { Schema } from "effect"

/** The database cannot be used as it is. `message` says what to change. */
export class DatabaseRefused extends Schema.TaggedError<DatabaseRefused>()("DatabaseRefused", {
  message: Schema.String,
}) {}

/** All of a database URL that may be shown: scheme, host and port. */
export const labelOf = (url: string): string => {
  const { protocol, host, searchParams } = new URL(url)
  return `${protocol}//${host || searchParams.get("host") || "localhost"}`
}

export interface Connection {
  readonly text: string
  /** Of a unix socket. */
  readonly path?: string
  /** As it is called: the driver takes the URL's escapes for letters. */
  readonly database?: string
}

/** `?host=/folder` names a unix socket, as in libpq. */
export const connectionOf = (url: string): Connection => {
  // Parsed here first: the driver's and the platform's own complaints quote the whole text.
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^postgres(ql)?:$/.test(parsed.protocol) || !decodes(parsed)) {
    throw new DatabaseRefused({
      message:
        "DATABASE_URL: expected postgres://user:password@host:port/database, with %-escapes for special characters in user, password and database",
    })
  }
  const name = decodeURIComponent(parsed.pathname.slice(1))
  const database = name === "" ? {} : { database: name }
  const folder = parsed.searchParams.get("host")
  if (!folder?.startsWith("/")) return { text: url, ...database }
  parsed.searchParams.delete("host")
  return { text: parsed.href, path: `${folder}/.s.PGSQL.${parsed.port || 5432}`, ...database }
}

const decodes = ({ username, password, pathname }: URL): boolean => {
  try {
    return decodeURIComponent(username + password + pathname) !== undefined
  } catch {
    return false
  }
}
