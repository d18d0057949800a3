/** A database URL as the driver wants it. It holds a password: no error of this file ever quotes it. */
import { Schema } from "effect"
import { readDatabaseUrl } from "../url/databaseUrl.ts"
import { driverTls, type Tls } from "../url/tls.ts"

/** The database cannot be used as it is. `message` says what to change. */
export class DatabaseRefused extends Schema.TaggedError<DatabaseRefused>()("DatabaseRefused", {
  message: Schema.String,
}) {}

/** All of a database URL that may be shown: scheme, host and port. */
export const labelOf = (url: string): string => connectionOf(url).label

export interface Connection {
  readonly label: string
  /** Who is asked, and how: options of the driver. It reads no URL: it knows no IPv6, and takes what it does not know for settings. */
  readonly driver: Readonly<Record<string, unknown>>
  /** Settings of the server that the URL asks for. */
  readonly server: Readonly<Record<string, string>>
  readonly tls?: Tls
}

export const connectionOf = (url: string): Connection => {
  const read = readDatabaseUrl(url)
  if ("wanted" in read) throw new DatabaseRefused({ message: `DATABASE_URL: expected ${read.wanted}` })
  const { label, host, port, folder, user, password, database, tls: asked, driver, server } = read
  // A socket is on this machine: as in libpq there is no TLS on it.
  const tls = folder === undefined ? asked : undefined
  return {
    label,
    server,
    ...(tls === undefined ? {} : { tls }),
    driver: {
      ...driver,
      // As lists: of a text the driver takes what stands before the first colon.
      ...(host === undefined ? {} : { host: [host], port: [port ?? 5432] }),
      ...(host === undefined && port !== undefined ? { port } : {}),
      ...(folder === undefined ? {} : { path: `${folder}/.s.PGSQL.${port ?? 5432}` }),
      ...(user === undefined ? {} : { user }),
      ...(password === undefined ? {} : { pass: password }),
      ...(database === undefined ? {} : { database }),
      ...(tls === undefined ? {} : { ssl: driverTls(tls, host) }),
    },
  }
}
