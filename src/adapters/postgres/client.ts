/** The connection to PostgreSQL: its value shapes, decided once, and `Database`, the service every Postgres adapter works through. */
import { Context, Effect } from "effect"
import postgres from "postgres"
import type { StoreError } from "../../domain/model/errors.ts"
import type { ChainId } from "../../domain/model/primitives.ts"
import { connectionOf } from "./connectionUrl.ts"
import { cancel, runSnapshot, runStatement, within } from "./statements.ts"

export interface ClientSettings {
  /** `postgres://user:password@host:port/database`; never shown. */
  readonly url: string
  readonly max: number
  /** Called when a connection of this client ends, whoever ended it. */
  readonly onClose?: () => void
  /** Server settings of its connections. */
  readonly parameters?: Readonly<Record<string, string>>
}

/**
 * Server settings of the readers' pool. Every read follows an index in its order. But the planner takes each token for
 * an average one, and for most of those a bitmap or a scan, sorted, looks a little cheaper: on a large token it is not
 * (holders of one with 135,000: 0.3 ms by the index, 100 ms by a bitmap). A plan for any parameters guesses even more.
 */
export const readerParameters = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  plan_cache_mode: "force_custom_plan",
  // Before version 18 an "off" is a huge cost, which would call for workers and compilation.
  max_parallel_workers_per_gather: "0",
  jit: "off",
}

/**
 * A pool whose rows have the shapes of the records: bytea as lower-case `0x…`, int8 as a number, numeric as decimal
 * text, timestamps as ISO 8601, json decoded; columns that are null are absent from row objects.
 * An int8 beyond 2⁵³ is refused, never rounded: take `pos` apart in SQL (`pos >> 24`, `pos & 16777215`).
 * Parameters of type bytea are Buffers (see `bytesOf`) or `0x…` text.
 */
export const makeClient = ({ url, max, onClose, parameters }: ClientSettings): postgres.Sql => {
  const { text, path } = connectionOf(url)
  const options = {
    max,
    ...(path === undefined ? {} : { path }),
    ...(onClose === undefined ? {} : { onclose: onClose }),
    // A writer's connection is its lock: nothing may end it but the server or us.
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: 10,
    // Seconds before a failed connection is tried again; the driver's own 20 would outlast most restarts.
    backoff: (attempt: number) => Math.min(3 ** attempt / 100, 1),
    onnotice: () => {},
    connection: { application_name: "cowry", ...parameters },
    types: valueShapes,
    transform: { row: { from: withoutNulls } },
  }
  return postgres(text, options) as unknown as postgres.Sql
}

const valueShapes = {
  bytea: {
    to: 17,
    from: [17],
    serialize: (value: string | Uint8Array) =>
      `\\x${typeof value === "string" ? value.slice(2) : Buffer.from(value).toString("hex")}`,
    parse: (raw: string) => `0x${raw.slice(2)}`,
  },
  int8: {
    to: 20,
    from: [20],
    serialize: String,
    parse: (raw: string) => {
      const value = Number(raw)
      if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${raw} is beyond 2^53`)
      return value
    },
  },
  date: {
    to: 1184,
    from: [1082, 1114, 1184],
    serialize: (value: Date | string) => new Date(value).toISOString(),
    parse: (raw: string) => new Date(raw).toISOString(),
  },
}

/** Raw rows are arrays and stay as they are. */
const withoutNulls = (row: postgres.Row): postgres.Row => {
  if (!Array.isArray(row)) for (const name in row) if (row[name] === null) delete row[name]
  return row
}

/** The bytes of `0x…`, as bytea parameters want them. */
export const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex")

/** A statement, or anything made of statements. */
export type Pending<A> = Promise<A> & { cancel?(): void }

export interface DatabaseShape {
  /** The readers' pool. */
  readonly sql: postgres.Sql
  /** Schema of the registry, and prefix of the chains' schemas. */
  readonly schema: string
  /** `cowry_43114` */
  chainSchema(chainId: ChainId): string
  /** Runs a statement, made anew by each evaluation. Cancelled when interrupted or past the time budget (`QueryTooSlow`). */
  query<A>(statement: () => Pending<A>): Effect.Effect<A, StoreError>
  /**
   * Runs statements in one read-only repeatable-read transaction: one snapshot for all. Hand each to `run`: that is
   * what ends the transaction early when the caller is interrupted.
   */
  snapshot<A>(
    body: (sql: postgres.TransactionSql, run: <B>(statement: Pending<B>) => Promise<B>) => Promise<A>,
  ): Effect.Effect<A, StoreError>
  /** Later statements of the readers' pool go over new connections: those there may be dead. */
  renew(): void
  /** A further client to the same database, the caller's to end. */
  connect(settings: Omit<ClientSettings, "url">): postgres.Sql
}

/** The open database; `PostgresDatabase.layer` makes it. */
export class Database extends Context.Service<Database, DatabaseShape>()("cowry/adapters/postgres/Database") {}

export interface DatabaseSettings {
  readonly url: string
  /** Default "cowry". Lower-case letters, digits and `_`, at most 40. */
  readonly schema?: string
  /** Connections of the readers' pool, default 10. */
  readonly max?: number
  /** Milliseconds a read may take, default 25,000: less than a request, so that what would be faster is said by who knows. */
  readonly queryBudget?: number
}

/** The service over an open pool. `renew`: called when a connection of it was lost; the statement is then made once more. */
export const databaseOf = (
  sql: postgres.Sql,
  { url, schema = "cowry", queryBudget = 25_000 }: DatabaseSettings,
  renew: () => void = () => {},
): DatabaseShape => ({
  sql,
  schema,
  chainSchema: (chainId) => `${schema}_${chainId}`,
  query: (statement) => within(queryBudget, renew, runStatement(statement, renew)),
  snapshot: (body) => within(queryBudget, renew, runSnapshot(sql, body, renew)),
  renew,
  connect: (settings) => makeClient({ ...settings, url }),
})

/**
 * The same service on a connection that has a read-only repeatable-read transaction open: every read is of its snapshot.
 * Whoever uses it has the time budget in hand. After a failure it is of no use any more.
 */
export const holding = (database: DatabaseShape, sql: postgres.ReservedSql): DatabaseShape => ({
  ...database,
  sql,
  query: (statement) => runStatement(statement),
  snapshot: (body) =>
    Effect.suspend(() => {
      let current: Pending<unknown> | undefined
      const run = <B>(statement: Pending<B>) => {
        current = statement
        return statement
      }
      // The transaction is there: all that `begin` would add is done.
      return Effect.onInterrupt(
        runStatement(() => body(sql as unknown as postgres.TransactionSql, run)),
        () => Effect.sync(() => current && cancel(current)),
      )
    }),
})
