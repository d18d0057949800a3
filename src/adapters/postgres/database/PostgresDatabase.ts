/** Opens the database: refuses one that cannot work, makes or updates the registry, and ends its pool with the scope. */
import { Effect, Layer } from "effect"
import { mostProbes, mostReaders, mostWide, spareReaders } from "../../../ports/ReadServers.ts"
import { tlsFault } from "../url/tls.ts"
import { makeClient, mostPrepared, readerParameters } from "./client.ts"
import { connectionOf, DatabaseRefused, labelOf } from "./connectionUrl.ts"
import { Database, type DatabaseSettings } from "./Database.ts"
import { databaseOf } from "./databaseOf.ts"
import { isDistributed } from "./distributed.ts"
import { TablesInUse } from "./locks/tablesInUse.ts"
import { migrate, registryMigrations } from "./migrate.ts"
import { makePool } from "./pool.ts"
import { isReadOnly } from "./readOnly.ts"
import { findObstacle, roomFor } from "./serverCheck.ts"

export const layer = (settings: DatabaseSettings): Layer.Layer<Database, DatabaseRefused> =>
  Layer.effect(
    Database,
    Effect.gen(function* () {
      const { url, max = mostReaders, observe } = settings
      const attempt = attemptOn(url)
      const open = (max: number, held = mostPrepared.readers) =>
        Effect.acquireRelease(
          attempt(async () =>
            makePool(() => makeClient({ url, max, parameters: readerParameters, mostPrepared: held, observe })),
          ),
          (it) => Effect.promise(it.end),
        )
      const pool = yield* open(max + spareReaders)
      const { sql } = pool
      const { schema = "cowry" } = settings
      if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema)) {
        return yield* new DatabaseRefused({
          message: `the schema's name: expected at most 40 lower-case letters, digits and _, got ${schema}`,
        })
      }
      const distributed = settings.distributed ?? (yield* attempt(() => isDistributed(sql)))
      const pools = [yield* open(mostProbes), yield* open(mostWide, mostPrepared.wide)] as const
      const database = databaseOf(sql, { ...settings, distributed }, pool.renew, ...pools)
      const obstacle = yield* attempt(() => findObstacle(database))
      if (obstacle !== undefined) return yield* new DatabaseRefused({ message: obstacle })
      const { connections } = settings
      const room = connections && (yield* attempt(() => roomFor(sql, connections)))
      if (room?.obstacle !== undefined) return yield* new DatabaseRefused({ message: room.obstacle })
      if (room?.warning !== undefined) yield* Effect.logWarning(room.warning)
      yield* Effect.logDebug(`start: the server was looked at${distributed ? ": it lays schemas on workers" : ""}`)
      yield* Effect.tryPromise({ try: () => migrate(sql, schema, registryMigrations), catch: (cause) => cause }).pipe(
        Effect.tapError((cause) => (cause instanceof TablesInUse ? Effect.logWarning(cause.message) : Effect.void)),
        Effect.retry({ while: (cause) => cause instanceof TablesInUse }),
        Effect.mapError(refusalOf(url)),
      )
      yield* Effect.logDebug("start: the registry is up to date")
      return database
    }),
  )

/** A refusal stays one; any other failure is an unreachable or failing server, told in its own words. */
const attemptOn =
  (url: string) =>
  <A>(work: () => Promise<A>): Effect.Effect<A, DatabaseRefused> =>
    Effect.tryPromise({ try: work, catch: refusalOf(url) })

const refusalOf =
  (url: string) =>
  (cause: unknown): DatabaseRefused =>
    cause instanceof DatabaseRefused
      ? cause
      : new DatabaseRefused({ message: `the database at ${labelOf(url)} cannot be used: ${reasonOf(cause, url)}` })

const whereToWrite =
  "a standby, or a database made read-only. Give DATABASE_URL its primary; to answer from this server alone, start with ROLE=reader"

/** The server's sentence, or the network's code; neither holds the password. */
const reasonOf = (cause: unknown, url: string): string => {
  const { name, code, message } = cause as { readonly name?: string; readonly code?: string; readonly message?: string }
  if (isReadOnly(cause)) return `it takes no writes (${message}): ${whereToWrite}`
  if (name === "PostgresError") return `${message} (${code})`
  const { tls, driver } = connectionOf(url)
  // The driver ends a connection to a server of another kind.
  if (code === "CONNECTION_DESTROYED" && driver.target_session_attrs !== undefined)
    return `it is no server that target_session_attrs=${String(driver.target_session_attrs)} asks for; check DATABASE_URL`
  return tlsFault(cause, tls) ?? `it cannot be reached (${code ?? name ?? "unknown"}); check DATABASE_URL`
}
