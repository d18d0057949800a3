/** Changes whole schemas while nobody is in them: in one transaction, without readers that see half of it. */
import { Effect } from "effect"
import { type Backoff, sleepBackoff } from "../../../model/time/backoff.ts"
import { idleLimit } from "../database/statements.ts"
import { type Session, transaction } from "../ledger/wire/session.ts"
import { attempt } from "./claim.ts"

/**
 * Readers and writers wait at most so long for one table. Below the server's deadlock_timeout, one second: so it is always
 * this one that gives way, never a reader.
 */
const lockTimeoutMs = 400
/** For all tables together. */
const lockAllTimeoutMs = 1000
const waits: Backoff = { firstMs: 100, capMs: 2000 }
/** A vacuum is pushed aside by the server after deadlock_timeout. */
const vacuumTimeoutMs = 10_000

/**
 * Runs `change` in a transaction that has every table of `schemas` for itself, so that no transaction of others straddles
 * it. Tries until it has: whoever is in the tables now ends first. Where `change` gives undefined it may not go on yet: all is
 * taken back and tried again. `onWait` hears of each vain try, `onDone` of the commit, whoever ends the command meanwhile.
 */
export const exclusively = Effect.fn("exclusively")(function* <A>(
  session: Session,
  schemas: ReadonlyArray<string>,
  change: () => Promise<A | undefined>,
  onWait: () => void,
  onDone: () => void = () => {},
) {
  for (let tries = 0; ; tries++) {
    const done = yield* Effect.uninterruptible(
      Effect.tap(
        attempt("changing the chain's schemas", () => tryExclusively(session, schemas, change)),
        (it) => Effect.sync(() => it !== undefined && onDone()),
      ),
    )
    if (done !== undefined) return done
    onWait()
    yield* sleepBackoff(waits, tries)
  }
})

/** lock_not_available, deadlock_detected, query_canceled */
const takenCodes = ["55P03", "40P01", "57014"]

class TakenByOthers extends Error {}

const tryExclusively = async <A>(
  session: Session,
  schemas: ReadonlyArray<string>,
  change: () => Promise<A | undefined>,
): Promise<A | undefined> => {
  try {
    return await transaction(session, async () => {
      await session.run((sql) => sql.unsafe(idleLimit()))
      for (const schema of schemas) {
        const tables = await listTables(session, schema)
        if (tables.length === 0) continue
        // Stands in nobody's way but a vacuum's, which would else outlast the short timeout below again and again.
        await lock(session, tables, "share update exclusive", vacuumTimeoutMs)
        await set(session, "statement_timeout", lockAllTimeoutMs)
        await lock(session, tables, "access exclusive", lockTimeoutMs)
        await set(session, "statement_timeout", 0)
      }
      const value = await change()
      if (value === undefined) throw new TakenByOthers()
      return value
    })
  } catch (cause) {
    const { code = "" } = cause as { readonly code?: string }
    if (cause instanceof TakenByOthers || takenCodes.includes(code)) return undefined
    throw cause
  }
}

/** `state` first, as readers take them. */
const listTables = async (session: Session, schema: string): Promise<ReadonlyArray<string>> => {
  const rows = await session.run(
    (sql) => sql<Array<{ name: string }>>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname = ${schema} order by tablename <> 'state', tablename`,
  )
  return rows.map(({ name }) => name)
}

const lock = async (
  session: Session,
  tables: ReadonlyArray<string>,
  mode: string,
  timeoutMs: number,
): Promise<void> => {
  await set(session, "lock_timeout", timeoutMs)
  await session.run((sql) => sql.unsafe(`lock table ${tables.join(", ")} in ${mode} mode`))
}

const set = (session: Session, setting: string, milliseconds: number): Promise<unknown> =>
  session.run((sql) => sql.unsafe(`set local ${setting} = ${milliseconds}`))
