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

/** `?host=/folder` names a unix socket, as in libpq. */
export const connectionOf = (url: string): { readonly text: string; readonly path?: string } => {
  // Parsed here first: the driver's and the platform's own complaints quote the whole text.
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^postgres(ql)?:$/.test(parsed.protocol) || !decodes(parsed)) {
    throw new DatabaseRefused({
      message:
        "DATABASE_URL: expected postgres://user:password@host:port/database, with %-escapes for special characters in user and password",
    })
  }
  const folder = parsed.searchParams.get("host")
  if (!folder?.startsWith("/")) return { text: url }
  parsed.searchParams.delete("host")
  return { text: parsed.href, path: `${folder}/.s.PGSQL.${parsed.port || 5432}` }
}

const decodes = ({ username, password }: URL): boolean => {
  try {
    return decodeURIComponent(username + password) !== undefined
  } catch {
    return false
  }
}
