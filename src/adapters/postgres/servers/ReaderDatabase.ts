/** The database as a reader has it: several servers behind one service, nothing made or changed, no lock taken. */
import { Context, Duration, Effect, Layer } from "effect"
import type postgres from "postgres"
import { type StoreError, StoreUnavailable } from "../../../model/errors.ts"
import { mostProbes, mostReaders, mostWide } from "../../../ports/ReadServers.ts"
import { makeClient, mostPrepared, readerParameters } from "../database/client.ts"
import { DatabaseRefused, labelOf } from "../database/connectionUrl.ts"
import { Database, type DatabaseShape } from "../database/Database.ts"
import { databaseOf } from "../database/databaseOf.ts"
import { isLost, makePool } from "../database/pool.ts"
import { sessionsAreKept } from "../database/serverCheck.ts"
import { makeServers, type Server, type Servers } from "./servers.ts"

export interface ReaderSettings {
  /** Standbys in order of preference. Their URLs are never shown. */
  readonly readUrls: ReadonlyArray<string>
  /** The server of DATABASE_URL, which reads go to at last; absent = there are standbys only. */
  readonly primary?: string | DatabaseShape
  readonly primaryUrl?: string
  readonly schema: string
  readonly maxLagMs: number
}

/** Milliseconds between two looks at the servers: where there is a choice, and where there is none. */
const lookMs = { several: 250, one: 1000 }

/** A start waits no longer for what is asked of servers. What is found later is told in the log and in `/ready`. */
const checkedWithin = Duration.seconds(8)

const lendsSessions =
  "it is reached through a pooler that lends a server connection for one transaction only, so what a session was told is another's. Use the server's own address, or the pooler's session mode"

/** Where the reads of a fiber go; undefined = wherever is best. */
const ChosenServer = Context.Reference<number | undefined>("cowry/adapters/postgres/ChosenServer", {
  defaultValue: () => undefined,
})

/** Opens what can be opened: a server that does not answer is tried again and again. One that answers and cannot be used ends the start. */
export const layer = (settings: ReaderSettings): Layer.Layer<Database, DatabaseRefused> =>
  Layer.effect(
    Database,
    Effect.gen(function* () {
      const { readUrls, primary, primaryUrl, schema, maxLagMs } = settings
      const standbys = yield* Effect.forEach(readUrls, (url) => openServer(url, schema, false))
      const last =
        primary === undefined
          ? []
          : typeof primary === "string"
            ? [yield* openServer(primary, schema, true)]
            : [{ url: primaryUrl!, isPrimary: true, database: primary }]
      const servers = makeServers([...standbys, ...last], maxLagMs)
      yield* servers.look
      yield* Effect.timeoutOption(Effect.promise(servers.settled), checkedWithin)
      for (const server of servers.all) {
        const obstacle = servers.obstacleOf(server)
        const setting = server.isPrimary ? "DATABASE_URL" : "DATABASE_READ_URL"
        if (obstacle !== undefined)
          return yield* new DatabaseRefused({
            message: `${setting}: ${labelOf(server.url)} cannot be read: ${obstacle}`,
          })
      }
      const every = Duration.millis(servers.all.length > 1 ? lookMs.several : lookMs.one)
      yield* servers.look.pipe(Effect.delay(every), Effect.forever, Effect.forkScoped)
      return readerOf(servers, schema)
    }),
  )

const openServer = Effect.fnUntraced(function* (url: string, schema: string, isPrimary: boolean) {
  const open = (max: number, held = mostPrepared.readers) =>
    Effect.acquireRelease(
      Effect.try({
        try: () => makePool(() => makeClient({ url, max, parameters: readerParameters, mostPrepared: held })),
        catch: (cause) => (cause instanceof DatabaseRefused ? cause : new DatabaseRefused({ message: String(cause) })),
      }),
      (it) => Effect.promise(it.end),
    )
  const pool = yield* open(mostReaders)
  const probes = yield* open(mostProbes)
  const wide = yield* open(mostWide, mostPrepared.wide)
  const settings = { url, schema }
  const database = databaseOf(pool.sql, settings, pool.renew, probes, wide)
  const check = async () => ((await sessionsAreKept(database)) ? undefined : lendsSessions)
  const server: Server = { url, isPrimary, database, check }
  return server
})

/** Exported for tests, which bring servers of their own. */
export const readerOf = (servers: Servers, schema: string): DatabaseShape => {
  /** The server that a statement is just being made for. */
  let addressed: Server | undefined
  const now = () => (addressed ?? servers.used()).database
  const at = <A>(server: Server, make: () => A): A => {
    const before = addressed
    addressed = server
    try {
      return make()
    } finally {
      addressed = before
    }
  }
  /** Where that server fails, not the statement, once more on the next. */
  const routed = <A>(reading: (server: Server) => Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError> =>
    Effect.flatMap(ChosenServer, (place) => {
      const run = (server: Server) => {
        const obstacle = servers.obstacleOf(server)
        if (obstacle === undefined) return reading(server)
        return Effect.fail(
          new StoreUnavailable({ cause: obstacle, reason: `the database cannot be read: ${obstacle}` }),
        )
      }
      const chosen = place === undefined ? undefined : servers.all[place]
      if (chosen !== undefined) return run(chosen)
      const server = servers.used()
      return Effect.catch(run(server), (error) => {
        if (!isServers(error)) return Effect.fail(error)
        servers.failed(server)
        const next = servers.used()
        return next === server ? Effect.fail(error) : run(next)
      })
    })
  const sql = sqlOf(() => now().sql)
  const reader: DatabaseShape = {
    sql,
    schema,
    chainSchema: (chainId) => `${schema}_${chainId}`,
    query: (statement) => routed((server) => server.database.query(() => at(server, statement))),
    snapshot: (body) => routed((server) => server.database.snapshot(body)),
    transact: (body) => routed((server) => server.database.transact(body)),
    wide: { snapshot: (body) => routed((server) => server.database.wide.snapshot(body)) },
    distributed: servers.distributed,
    probes: {
      sql: sqlOf(() => now().probes.sql),
      query: (statement) => routed((server) => server.database.probes.query(() => at(server, statement))),
    },
    renew: () => now().renew(),
    connect: (settings) => now().connect(settings),
    servers: {
      list: servers.list,
      on: (place, reading) => Effect.provideService(reading, ChosenServer, place),
      chosen: ChosenServer,
    },
    here: Effect.map(ChosenServer, (place) => {
      const chosen = place === undefined ? servers.used() : servers.all[place]
      return chosen === undefined ? reader : { ...reader, connect: chosen.database.connect }
    }),
  }
  return reader
}

/** Statements are made on whichever server is meant at that moment; parts of statements are of none. */
const sqlOf = (current: () => postgres.Sql): postgres.Sql =>
  new Proxy((() => {}) as unknown as postgres.Sql, {
    apply: (_, __, words) =>
      Reflect.apply(current() as unknown as (...words: Array<unknown>) => unknown, undefined, words),
    get: (_, name) => {
      const sql = current()
      const value: unknown = Reflect.get(sql, name)
      return typeof value === "function" ? value.bind(sql) : value
    },
  })

/** It is not there, does not take us, or is in the way of what it has to replay: another may answer. */
const isServers = (error: StoreError): boolean => {
  if (error._tag !== "StoreUnavailable") return false
  const code = String(Object(error.cause).code)
  return (
    isLost(error.cause) ||
    ["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ETIMEDOUT"].includes(code) ||
    refusing.has(code)
  )
}

/** serialization_failure; too_many_connections; the server stops, crashed, starts; its database was dropped. */
const refusing = new Set(["40001", "53300", "57P01", "57P02", "57P03", "57P04"])
