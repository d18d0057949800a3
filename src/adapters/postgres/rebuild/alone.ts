/** Changes whole schemas while nobody is in them: in one transaction, without readers that see half of it. */
import { Effect } from "effect"
import type { Session } from "../ledger/session.ts"
import { transaction } from "../ledger/session.ts"
import { attempt } from "./claim.ts"

/**
 * Readers and writers wait at most so long (milliseconds) at a time. Below the server's deadlock_timeout, one second: so it
 * is always this one that gives way, never a reader.
 */
const patience = 400
/** A vacuum is pushed aside by the server after deadlock_timeout. */
const patienceWithVacuum = 10_000

/**
 * Runs `change` in a transaction that has every table of `schemas` for itself, so that no transaction of others straddles
 * it. Tries until it has: whoever is in the tables now ends first. `onWait` hears of each vain try. `change` is told by
 * `undefined` that it may not go on either, and then it is tried again.
 */
export const alone = Effect.fn("alone")(function* <A>(
  session: Session,
  schemas: ReadonlyArray<string>,
  change: () => Promise<A | undefined>,
  onWait: () => void,
) {
  for (let wait = 100; ; wait = Math.min(wait * 2, 2000)) {
    const done = yield* Effect.uninterruptible(
      attempt("changing the chain's schemas", () => tryAlone(session, schemas, change)),
    )
    if (done !== undefined) return done
    onWait()
    yield* Effect.sleep(wait)
  }
})

class TakenByOthers extends Error {}

const tryAlone = async <A>(
  session: Session,
  schemas: ReadonlyArray<string>,
  change: () => Promise<A | undefined>,
): Promise<A | undefined> => {
  try {
    return await transaction(session, async () => {
      const tables = await listTables(session, schemas)
      if (tables.length > 0) {
        // Stands in nobody's way but a vacuum's, which would else outlast the short patience below again and again.
        await lock(session, tables, "share update exclusive", patienceWithVacuum)
        await lock(session, tables, "access exclusive", patience)
      }
      const value = await change()
      if (value === undefined) throw new TakenByOthers()
      return value
    })
  } catch (cause) {
    // lock_not_available, deadlock_detected
    const { code } = cause as { readonly code?: string }
    if (cause instanceof TakenByOthers || code === "55P03" || code === "40P01") return undefined
    throw cause
  }
}

/** `state` first, as readers take them. */
const listTables = async (session: Session, schemas: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const rows = await session.run(
    (sql) => sql<Array<{ name: string }>>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname = any(${[...schemas]}::text[]) order by schemaname, tablename <> 'state', tablename`,
  )
  return rows.map(({ name }) => name)
}

const lock = async (session: Session, tables: ReadonlyArray<string>, mode: string, timeout: number): Promise<void> => {
  await session.run((sql) => sql.unsafe(`set local lock_timeout = ${timeout}`))
  await session.run((sql) => sql.unsafe(`lock table ${tables.join(", ")} in ${mode} mode`))
}
