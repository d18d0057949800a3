/** The schemas of a chain beside its own: the one that is being built, and the one that was replaced. How all tables of one are taken at once. */
import type postgres from "postgres"
import type { ChainId } from "../../../model/primitives.ts"
import type { DatabaseShape } from "./Database.ts"

/** Where a ledger is built that shall take the place of the chain's. */
export const nextSchema = (database: DatabaseShape, chainId: ChainId): string => `${database.chainSchema(chainId)}_next`

/** Where the replaced ledger lies until it is removed. Nobody reads it. */
export const oldSchema = (database: DatabaseShape, chainId: ChainId): string => `${database.chainSchema(chainId)}_old`

/** Where a ledger in this schema is loaded in bulk, to take its place. Nobody reads it. */
export const bulkSchema = (schema: string): string => `${schema}_bulk`

/** Those of the chain that are there. */
export const listSchemas = async (database: DatabaseShape, chainId: ChainId): Promise<ReadonlySet<string>> => {
  const [stored, next] = [database.chainSchema(chainId), nextSchema(database, chainId)]
  const names = [stored, bulkSchema(stored), next, bulkSchema(next), oldSchema(database, chainId)]
  const found = await database.sql<Array<{ nspname: string }>>`
    select nspname from pg_namespace where nspname = any(${names}::text[])`
  return new Set(found.map(({ nspname }) => nspname))
}

/** Removes a schema that nobody reads; whoever else does so at the same time may be first. */
export const removeSchema = async (database: DatabaseShape, schema: string): Promise<void> => {
  const isThere = async () => (await database.sql`select from pg_namespace where nspname = ${schema}`).length > 0
  if (!(await isThere())) return
  try {
    await database.sql`drop schema ${database.sql(schema)} cascade`
  } catch (cause) {
    if (await isThere()) throw cause
  }
}

/**
 * Removes a ledger that nobody reads, and its load, unless a writer has it: then false. The claim on the chain does not tell of
 * a writer for sure: it lives in a session of its own.
 */
export const removeUnwritten = (database: DatabaseShape, schema: string): Promise<boolean> =>
  database.sql.begin(async (tx) => {
    const [writer] = await tx<[{ gone: boolean }]>`
      select pg_try_advisory_xact_lock(hashtextextended(${schema}, 0)) as gone`
    if (!writer.gone) return false
    for (const each of [bulkSchema(schema), schema]) await tx`drop schema if exists ${tx(each)} cascade`
    return true
  })

/** Name of the advisory lock of whoever works on the chain's schemas. */
export const claimName = (database: DatabaseShape, chainId: ChainId): string =>
  `rebuild ${database.chainSchema(chainId)}`

/** Removes the replaced ledger that a killed command left; never waits for one that is about to. Whether none is left. */
export const removeLeftOver = async (database: DatabaseShape, chainId: ChainId): Promise<boolean> => {
  const old = oldSchema(database, chainId)
  if (!(await listSchemas(database, chainId)).has(old)) return true
  return database.sql.begin(async (tx) => {
    const [claim] = await tx<[{ free: boolean }]>`
      select pg_try_advisory_xact_lock(hashtextextended(${claimName(database, chainId)}, 0)) as free`
    if (claim.free) await tx`drop schema if exists ${tx(old)} cascade`
    return claim.free
  })
}

/** Whether a ledger that was begun beside the chain's lies there, and no command is at work on the chain: none has the claim, and none writes. */
export const isNextLeft = async (database: DatabaseShape, chainId: ChainId): Promise<boolean> => {
  const next = nextSchema(database, chainId)
  const there = await listSchemas(database, chainId)
  if (!there.has(next) && !there.has(bulkSchema(next))) return false
  return database.sql.begin(async (tx) => {
    const [claim] = await tx<[{ free: boolean }]>`
      select pg_try_advisory_xact_lock(hashtextextended(${claimName(database, chainId)}, 0))
        and pg_try_advisory_xact_lock(hashtextextended(${next}, 0)) as free`
    return claim.free
  })
}

export interface Table {
  readonly name: string
  /** With its schema, as statements name it. */
  readonly full: string
}

/** `state` first, as readers take them. */
export const listTables = (
  sql: postgres.Sql | postgres.TransactionSql,
  schema: string,
): Promise<ReadonlyArray<Table>> => sql<Array<Table>>`
  select tablename as name, format('%I.%I', schemaname, tablename) as full from pg_tables
  where schemaname = ${schema} order by tablename <> 'state', tablename`

/**
 * Readers and writers wait at most so long for one table. Below the server's deadlock_timeout, one second: so it is always
 * who wants tables for itself that gives way, never a reader.
 */
const lockTimeoutMs = 400
/** For all tables together. */
const lockAllTimeoutMs = 1000
/**
 * Autovacuum is pushed aside by the server after deadlock_timeout. One against wraparound is not, nor is one that was asked for
 * by hand: they are waited for by further tries.
 */
const vacuumTimeoutMs = 10_000

/** Takes these tables for the transaction alone, or fails as `isTaken` knows. What it locks later waits as briefly. */
export const lockTables = async (
  send: (statement: string) => Promise<unknown>,
  tables: ReadonlyArray<Table>,
): Promise<void> => {
  const set = (setting: string, milliseconds: number) => send(`set local ${setting} = ${milliseconds}`)
  const lock = async (mode: string, timeoutMs: number) => {
    await set("lock_timeout", timeoutMs)
    if (tables.length > 0) await send(`lock table ${tables.map(({ full }) => full).join(", ")} in ${mode} mode`)
  }
  // Stands in nobody's way but a vacuum's, which would else outlast the short timeout below again and again.
  await lock("share update exclusive", vacuumTimeoutMs)
  await set("statement_timeout", lockAllTimeoutMs)
  await lock("access exclusive", lockTimeoutMs)
  await set("statement_timeout", 0)
}

/** lock_not_available, deadlock_detected, query_canceled */
const takenCodes = ["55P03", "40P01", "57014"]

/** Whether others were in tables that somebody wanted for himself. */
export const isTaken = (cause: unknown): boolean => takenCodes.includes(String(Object(cause).code))

/** Others stay in the tables that are to be changed. */
export class TablesInUse extends Error {
  constructor(schema: string, holders: ReadonlyArray<Holder>, cause: unknown) {
    const now = holders.length === 0 ? "" : `. In them now: ${holders.map(wordsOf).join(", ")}`
    super(
      `the tables of schema ${schema} are to be brought up to date, and others are in them for long: a stream that is read slowly, a backup, a session left in a transaction, a vacuum that the server does not push aside (against wraparound, or asked for by hand: pg_cancel_backend ends it)${now}. They are changed once nobody is`,
      { cause },
    )
  }
}

/** What is known of a session that is in tables; the server hides the most of it from a role without rights. */
interface Holder {
  readonly pid: number
  readonly kind: string | null
  /** Of its transaction, UTC. */
  readonly since: string | null
  readonly vacuums: boolean
}

const wordsOf = ({ pid, kind, since, vacuums }: Holder): string => {
  const known = [kind, vacuums ? "a vacuum or the like" : null, since && `since ${since} UTC`]
  const words = known.filter((word) => word !== null)
  return words.length === 0 ? `process ${pid}` : `process ${pid} (${words.join(", ")})`
}

/** Names who is in the tables, where the server tells. */
export const tablesInUse = async (sql: postgres.Sql, schema: string, cause: unknown): Promise<TablesInUse> =>
  new TablesInUse(schema, await findHolders(sql, schema).catch(() => []), cause)

/** Those that stay: who was in a table for a moment would be another one each time, and the log would say so. */
const findHolders = (sql: postgres.Sql, schema: string): Promise<ReadonlyArray<Holder>> => sql<Array<Holder>>`
  select a.pid, a.backend_type as kind, to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as since,
         bool_or(l.mode = 'ShareUpdateExclusiveLock') as vacuums
  from pg_locks l
  join pg_database d on d.oid = l.database and d.datname = current_database()
  join pg_class c on c.oid = l.relation
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = ${schema}
  join pg_stat_activity a on a.pid = l.pid
  where l.granted and coalesce(a.xact_start < now() - interval '5 seconds', true)
  group by a.pid, a.backend_type, a.xact_start
  order by vacuums desc, a.xact_start nulls first limit 3`
