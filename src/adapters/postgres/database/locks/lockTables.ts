/** How all tables of a schema are taken at once. */
import type postgres from "postgres"

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
