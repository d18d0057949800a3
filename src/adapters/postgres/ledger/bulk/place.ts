/** Where a load lies: a schema beside the ledger's, made like it, that takes its place by a new name. */
import postgres from "postgres"
import { LedgerRefused, type LedgerSettings, type LoadProgress } from "../../../../ports/Ledger.ts"
import type { DatabaseShape } from "../../database/Database.ts"
import { canonical, digestOf } from "../../database/ledgerSettings.ts"
import { isTaken, listTables, lockTables } from "../../database/locks/lockTables.ts"
import { makeState, migrateLedger } from "../../database/registry.ts"
import { bulkSchema, removeSchema } from "../../database/schemas.ts"
import { FenceBroken } from "../state/checkpoint.ts"
import { leap } from "../state/leap.ts"
import { type Session, transaction } from "../wire/session.ts"
import { copyNotes } from "./copyNotes.ts"
import { takeIndexesOff } from "./indexes.ts"
import { type BulkStage, createStage, dropStage, stepOf } from "./stage.ts"

/** The empty ledger in whose place a load goes, as it was when the load began or was gone on with. */
export interface EmptyLedger {
  readonly schema: string
  readonly epoch: number
}

/**
 * Breaks where another ledger has come into its place, as that of a resync does: the load is fenced by a `state` of its own,
 * which nobody else moves, so it would never be told.
 */
export const confirmEmpty = async (session: Session, { schema, epoch }: EmptyLedger): Promise<void> => {
  const found = await session.run(
    (sql) => sql`select from ${sql(`${schema}.state`)} where head_hash is null and epoch = ${epoch}`,
  )
  if (found.length === 0) throw new FenceBroken()
}

const besideOf = (database: DatabaseShape, schema: string): DatabaseShape => ({
  ...database,
  chainSchema: () => bulkSchema(schema),
})

/** Makes the place of a load for the empty ledger; the session's statements go there from now on. */
export const beginPlace = async (
  database: DatabaseShape,
  session: Session,
  empty: EmptyLedger,
  settings: LedgerSettings,
): Promise<void> => {
  const { schema } = empty
  const place = bulkSchema(schema)
  await confirmEmpty(session, empty)
  const beside = besideOf(database, schema)
  await removeSchema(database, place)
  await migrateLedger(beside, settings)
  await session.run((sql) => copyNotes(sql, schema, place))
  await makeState(beside, settings)
  await go(session, place)
  await transaction(session, async () => {
    await takeIndexesOff(session)
    await createStage(session, database.distributed())
  })
}

/**
 * Goes on with a load that was left, where it is one for this ledger with these settings: the session's statements go there.
 * Anything else that lies there is removed, and `onRemoved` hears why. What fails says nothing of it: the ledger is opened
 * again, since days may lie there. Gives the ledger that it is for; undefined = there is none.
 */
export const resumePlace = async (
  database: DatabaseShape,
  session: Session,
  schema: string,
  settings: LedgerSettings,
  onRemoved: (why: string) => void,
): Promise<EmptyLedger | undefined> => {
  const place = bulkSchema(schema)
  const found = await session.run((sql) => sql`select from pg_namespace where nspname = ${place}`)
  if (found.length === 0) return undefined
  const empty = await findEmpty(session, schema)
  const fault = empty === undefined ? "its ledger has blocks" : await findFault(database, session, schema, settings)
  if (fault === undefined) {
    await go(session, place)
    return empty
  }
  await removeSchema(database, place)
  onRemoved(fault)
  return undefined
}

/** What the load for the ledger in `schema` does, whoever loads it; undefined = there is none. One that lies beside a ledger with blocks is left over. */
export const loadingStep = async (
  { sql }: Pick<DatabaseShape, "sql">,
  schema: string,
): Promise<LoadProgress["step"] | undefined> => {
  const place = bulkSchema(schema)
  const [table] = await sql`select from pg_tables where schemaname = ${place} and tablename = 'bulk_load'`
  if (table === undefined) return undefined
  // It may end between any two of these.
  const empty = await sql`select from ${sql(`${schema}.state`)} where head_hash is null`.catch(() => [])
  if (empty.length === 0) return undefined
  const rows = await sql<Array<{ stage: BulkStage }>>`select stage from ${sql(`${place}.bulk_load`)}`.catch(() => [])
  const [row] = rows
  return row && stepOf(row.stage)
}

const findEmpty = async (session: Session, schema: string): Promise<EmptyLedger | undefined> => {
  const [row] = await session.run(
    (sql) => sql<Array<{ epoch: number }>>`select epoch from ${sql(`${schema}.state`)} where head_hash is null`,
  )
  return row && { schema, epoch: row.epoch }
}

/** Why what lies beside an empty ledger is no load for it. */
const findFault = async (
  database: DatabaseShape,
  session: Session,
  schema: string,
  settings: LedgerSettings,
): Promise<string | undefined> => {
  const place = bulkSchema(schema)
  const [staged] = await session.run(
    (sql) => sql`select from pg_tables where schemaname = ${place} and tablename = 'bulk_load'`,
  )
  if (staged === undefined) return "it had not begun"
  const same = await session.run(
    (sql) => sql`
      select from ${sql(`${place}.state`)}, ${sql(`${place}.bulk_load`)}
      where settings_digest = ${digestOf(canonical(settings))}`,
  )
  if (same.length === 0) return "it was begun with other settings"
  try {
    await migrateLedger(besideOf(database, schema), settings)
    return undefined
  } catch (cause) {
    if (cause instanceof LedgerRefused || isOfOtherTables(cause))
      return `its tables are another version's (${cause.message})`
    throw cause
  }
}

/** A migration meets tables without the keys and indexes that were taken off, or other ones than it is for: it never will go through. */
const isOfOtherTables = (cause: unknown): cause is postgres.PostgresError =>
  cause instanceof postgres.PostgresError && otherTablesCodes.includes(cause.code)

/** undefined_table, _column and _object; duplicate_table, _column and _object; an `on conflict` or a foreign key without its key; invalid_table_definition */
const otherTablesCodes = ["42P01", "42703", "42704", "42P07", "42701", "42710", "42P10", "42830", "42P16"]

/** Tries once to put what was loaded in the place of the empty ledger; false = somebody was in its tables. */
export const tryTakePlace = async (session: Session, empty: EmptyLedger): Promise<boolean> => {
  const { schema } = empty
  const place = bulkSchema(schema)
  try {
    await transaction(session, async () => {
      const tables = await session.run((sql) => listTables(sql, schema))
      await lockTables((statement) => session.run((sql) => sql.unsafe(statement)), tables)
      // From here on nobody else can put another there.
      await confirmEmpty(session, empty)
      await dropStage(session)
      // Two statements: the two schemas may lie on two servers.
      const [{ epoch, revision, learned, appended }] = await session.run(
        (sql) => sql<[{ epoch: number; revision: number; learned: number; appended: number }]>`
          select epoch, revision, learned, appended from ${sql(`${schema}.state`)}`,
      )
      await session.run(
        (sql) => sql`
          update ${sql(`${place}.state`)} set
            epoch = greatest(epoch, ${epoch}::int8) + ${leap}, revision = greatest(revision, ${revision}::int8) + ${leap},
            learned = ${learned}, appended = ${appended}`,
      )
      await numberOn(session, schema, place)
      // Noted meanwhile; the tokens are marked by who keeps the notes.
      await session.run((sql) => sql`delete from ${sql(`${place}.token_note`)}`)
      await session.run((sql) => copyNotes(sql, schema, place))
      await session.run((sql) => sql`drop schema ${sql(schema)} cascade`)
      await session.run((sql) => sql`alter schema ${sql(place)} rename to ${sql(schema)}`)
    })
  } catch (cause) {
    if (isTaken(cause)) return false
    throw cause
  }
  await go(session, schema)
  return true
}

/** A reorg may have emptied the ledger: no walk as of one of its blocks goes on, as over a resync. */
const numberOn = async (session: Session, schema: string, place: string): Promise<void> => {
  const [{ last }] = await session.run(
    (sql) => sql<[{ last: number }]>`
      select coalesce(max(rollback_no), 0) as last from ${sql(`${schema}.rollback`)}`,
  )
  if (last === 0) return
  await session.run(
    (sql) => sql`insert into ${sql(`${place}.rollback`)} (rollback_no, from_block) values (${last + leap}, 0)`,
  )
}

const go = (session: Session, schema: string): Promise<unknown> =>
  session.run((sql) => sql`select set_config('search_path', ${`"${schema}"`}, false)`)
