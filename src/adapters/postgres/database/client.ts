/** Connections to PostgreSQL: their value shapes, decided once. */
import postgres from "postgres"
import { valueParameters } from "../url/parameters.ts"
import { arrayOf } from "./arrays.ts"
import { connectionOf } from "./connectionUrl.ts"

export interface ClientSettings {
  /** `postgres://user:password@host:port/database`; never shown. */
  readonly url: string
  readonly max: number
  /** Called when a connection of this client ends, whoever ended it. */
  readonly onClose?: () => void
  /** Called for each notification to a channel that a connection of it listens to. */
  readonly onNotify?: (channel: string) => void
  /** Server settings of its connections. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Prepared statements that a connection holds, by weight; beyond that those that were not used for longest go. Absent = all. */
  readonly mostPrepared?: number
  readonly observe?: Observer | undefined
}

/** Hears the text of a statement. */
export type Observer = (statement: string) => void

/**
 * Server settings of the readers' pool. Every read follows an index in its order. But the planner takes each token for
 * an average one, and for most of those a bitmap or a scan, sorted, looks a little cheaper: on a large token it is not
 * (holders of one with 135,000: 0.3 ms by the index, 100 ms by a bitmap). What is left is one way for any parameters, so
 * that a plan may be kept: making it took longer than running it.
 */
export const readerParameters = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  plan_cache_mode: "force_generic_plan",
  // Before version 18 an "off" is a huge cost, which would call for workers and compilation.
  max_parallel_workers_per_gather: "0",
  jit: "off",
}

export const idleSetting = (seconds: number): string =>
  `set_config('idle_in_transaction_session_timeout', '${seconds}s', true)`

/**
 * That a transaction of ours may stand still between two statements. It holds rows and tables that others wait for, and its
 * process may be stopped, or gone without a word. What is done between two statements takes milliseconds.
 */
export const idleLimit = (seconds = 30): string => `select ${idleSetting(seconds)}`

/**
 * One statement, for the one round trip. Writes come with thousands of values, each time others: a plan for any of them is none
 * that a distributed server can make of an insert.
 */
export const writingSettings = `select set_config('plan_cache_mode', 'force_custom_plan', true), ${idleSetting(30)}`

/** Plans that are kept: of statements of one chain; of those over many, in parts of one chain, of lists, of pages whose places are known, and of which chains saw somebody. */
export const mostPlans = { ofOneChain: 100, ofLists: 2400, ofKnownPages: 1600, ofPresence: 400 }
/** Statements that are prepared whoever asks: of many chains these are more, and go first. */
const otherStatements = 50

/** What connections of readers hold, and of readers over many chains. */
export const mostPrepared = {
  readers: mostPlans.ofOneChain + otherStatements,
  wide: mostPlans.ofLists + mostPlans.ofKnownPages + mostPlans.ofPresence + otherStatements,
}

/**
 * A client whose host vanished, or that was cut off, must not hold a lock, rows or a snapshot for hours: the server asks after
 * 30 seconds without a word, and ends the session after a minute. A pooler that leaves these out sees to its own clients.
 */
export const keepalives = {
  tcp_keepalives_idle: "30",
  tcp_keepalives_interval: "10",
  tcp_keepalives_count: "3",
}

/**
 * A pool whose rows have the shapes of the records: bytea as lower-case `0x…`, int8 as a number, numeric as decimal
 * text, timestamps as ISO 8601, json decoded; columns that are null are absent from row objects.
 * An int8 beyond 2⁵³ is refused, never rounded: take `pos` apart in SQL (`pos >> 24`, `pos & 16777215`).
 * Parameters of type bytea are Buffers (see `bytesOf`) or `0x…` text.
 */
export const makeClient = ({
  url,
  max,
  onClose,
  onNotify,
  parameters,
  mostPrepared,
  observe,
}: ClientSettings): postgres.Sql => {
  const { driver, server } = connectionOf(url)
  const options = {
    ...driver,
    max,
    ...(onClose === undefined ? {} : { onclose: onClose }),
    ...(onNotify === undefined ? {} : { onnotify: onNotify }),
    // A writer's connection is its lock: nothing may end it but the server or us.
    max_lifetime: null,
    idle_timeout: 0,
    most_prepared: mostPrepared ?? null,
    ...(observe === undefined ? {} : { debug: (_connection: number, statement: string) => observe(statement) }),
    connect_timeout: 10,
    // Seconds before a failed connection is tried again; the driver's own 20 would outlast most restarts.
    backoff: (attempt: number) => Math.min(3 ** attempt / 100, 1),
    onnotice: () => {},
    connection: { application_name: "cowry", ...keepalives, ...parameters, ...server, ...valueParameters },
    types: { ...valueShapes, ...arrayShapes },
    // Over each connection the driver would read all types of the database, two for each table of each chain.
    fetch_types: false,
    transform: { row: { from: withoutNulls } },
  }
  return postgres(options) as unknown as postgres.Sql
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

const asText = { serialize: String, parse: (raw: string) => raw }
const asNumber = { serialize: String, parse: Number }
/** Of the types whose arrays statements take or give, by the array's number, which never changes: bool, bytea, int8, int2, int4, text, float8, numeric. */
const arrayShapes = Object.fromEntries(
  [
    arrayOf(1000, { serialize: String, parse: (raw: string) => raw === "t" }),
    arrayOf(1001, valueShapes.bytea),
    arrayOf(1016, valueShapes.int8),
    arrayOf(1005, asNumber),
    arrayOf(1007, asNumber),
    arrayOf(1009, asText),
    arrayOf(1022, asNumber),
    arrayOf(1231, asText),
  ].map((shape) => [`arrayOf${shape.to}`, shape]),
)

/** Raw rows are arrays and stay as they are. */
export const withoutNulls = <Row extends object>(row: Row): Row => {
  if (!Array.isArray(row)) for (const name in row) if (row[name] === null) delete row[name]
  return row
}

/** The bytes of `0x…`, as bytea parameters want them. */
export const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex")

/** Text that may hold words of others. What no text of PostgreSQL can be would keep away all that is stored with it. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")
