/** The lock that lets one writer at a time have a chain: it lives and ends with the session that took it. */
import { Effect } from "effect"
import { type Backoff, sleepBackoff } from "../../../model/time/backoff.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { attempt } from "./ledgerErrors.ts"
import type { Session } from "./wire/session.ts"

const waits: Backoff = { firstMs: 20, capMs: 1000 }
/** Between two looks at who holds which lock: a writer that ended is followed within a second. */
const lookWaits: Backoff = { firstMs: 20, capMs: 400 }
/** For which one look is good for every chain that waits. */
const sharedMs = 100

/** Asks again and again rather than blocks: a statement that waits for days would hold back the server's vacuum. */
export const takeLock = Effect.fnUntraced(function* (session: Session, schema: string) {
  const ask = attempt(() =>
    session.run(
      (sql) => sql<[{ taken: boolean }]>`select pg_try_advisory_lock(hashtextextended(${schema}, 0)) as taken`,
    ),
  )
  for (let tries = 0; !(yield* ask)[0].taken; tries++) yield* sleepBackoff(waits, tries)
})

export interface LockWatch {
  /** Until nobody holds the lock: who stands by for a hundred chains needs no hundred sessions. Taking it may still fail. */
  readonly untilFree: (schema: string) => ReturnType<typeof untilFreeOf>
}

type Held = ReadonlySet<string>

/** One for all chains of a process. */
export const makeLockWatch = (database: DatabaseShape): LockWatch => {
  let last: { readonly at: number; readonly held: Promise<Held> } | undefined
  const look = (): Promise<Held> => {
    const now = performance.now()
    if (last === undefined || now - last.at > sharedMs) last = { at: now, held: readHeld(database) }
    return last.held
  }
  return { untilFree: (schema) => untilFreeOf(database, look, schema) }
}

const untilFreeOf = Effect.fnUntraced(function* (database: DatabaseShape, look: () => Promise<Held>, schema: string) {
  const [{ key }] = yield* attempt(
    () => database.sql<[{ key: string }]>`select hashtextextended(${schema}, 0)::text as key`,
  )
  for (let tries = 0; (yield* attempt(look)).has(key); tries++) yield* sleepBackoff(lookWaits, tries)
})

/** The keys of the advisory locks of this database, which the server shows in two halves. */
const readHeld = async ({ sql }: DatabaseShape): Promise<Held> => {
  const rows = await sql<Array<{ key: string }>>`
    select ((classid::int8 << 32) | objid::int8)::text as key from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())`
  return new Set(rows.map(({ key }) => key))
}
