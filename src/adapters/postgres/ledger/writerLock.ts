/** The lock that lets one writer at a time have a chain: it lives and ends with the session that took it. */
import { Effect, type Exit } from "effect"
import { type Backoff, sleepBackoff } from "../../../model/time/backoff.ts"
import type { LedgerUnavailable } from "../../../ports/Ledger.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { askBriefly, attempt } from "./ledgerErrors.ts"
import type { Session } from "./wire/session.ts"

/** After a lock that was free when it was looked at, and taken when it was asked for. */
const waits: Backoff = { firstMs: 20, capMs: 1000 }
/** Between two looks at who holds which lock: a writer that ended is followed within a second. */
const lookWaits: Backoff = { firstMs: 20, capMs: 400 }
/** For which one look is good for every chain that waits. */
const sharedMs = 100

export interface LockWatch {
  /**
   * A session that has the chain's lock, closed with the scope. It is opened once nobody holds the lock, and closed again
   * where somebody was faster: who stands by for a hundred chains needs no hundred sessions. Asked for again and again
   * rather than blocked for: a statement that waits for days would hold back the server's vacuum.
   */
  readonly sessionOf: (schema: string, openSession: () => Promise<Session>) => ReturnType<typeof sessionOf>
  /** The same, if nobody holds the lock now; undefined = somebody does. */
  readonly sessionNow: (schema: string, openSession: () => Promise<Session>) => ReturnType<typeof sessionNow>
}

type Held = Exit.Exit<ReadonlySet<string>, LedgerUnavailable>
/** The locks held, by a look that began at `since` or later, in steady milliseconds. */
type Look = (since: number) => Promise<Held>

/** One for all chains of a process. */
export const makeLockWatch = (database: DatabaseShape): LockWatch => {
  let last: { readonly at: number; readonly held: Promise<Held> } | undefined
  const look: Look = (since) => {
    const now = performance.now()
    if (last === undefined || last.at < Math.max(since, now - sharedMs))
      last = { at: now, held: Effect.runPromiseExit(readHeld(database)) }
    return last.held
  }
  return {
    sessionOf: (schema, openSession) => sessionOf(database, look, schema, openSession),
    sessionNow: (schema, openSession) => sessionNow(database, schema, openSession),
  }
}

const sessionOf = Effect.fnUntraced(function* (
  database: DatabaseShape,
  look: Look,
  schema: string,
  openSession: () => Promise<Session>,
) {
  const key = yield* keyOf(database, schema)
  let since = Number.NEGATIVE_INFINITY
  for (let failures = 0; ; failures++) {
    yield* untilFree(look, key, since)
    const session = yield* lockedWithin(openSession, key)
    if (session !== undefined) return session
    // Looks from before this say that the lock is free.
    since = performance.now()
    yield* sleepBackoff(waits, failures)
  }
})

const sessionNow = Effect.fnUntraced(function* (
  database: DatabaseShape,
  schema: string,
  openSession: () => Promise<Session>,
) {
  return yield* lockedWithin(openSession, yield* keyOf(database, schema))
})

const keyOf = (database: DatabaseShape, schema: string) =>
  askBriefly(database, (sql) => sql<[{ key: string }]>`select hashtextextended(${schema}, 0)::text as key`).pipe(
    Effect.map(([{ key }]) => key),
  )

const lockedWithin = (openSession: () => Promise<Session>, key: string) =>
  Effect.acquireRelease(
    attempt(() => openLocked(openSession, key)),
    (it) => Effect.promise(async () => it?.close()),
  )

const untilFree = Effect.fnUntraced(function* (look: Look, key: string, since: number) {
  for (let tries = 0; (yield* yield* Effect.promise(() => look(since))).has(key); tries++)
    yield* sleepBackoff(lookWaits, tries)
})

/** Undefined: somebody else has the lock, and the session is closed. */
const openLocked = async (openSession: () => Promise<Session>, key: string): Promise<Session | undefined> => {
  const session = await openSession()
  const asked = session.run(
    (sql) => sql<[{ taken: boolean }]>`select pg_try_advisory_lock(${key}::text::int8) as taken`,
  )
  const taken = await asked.then(
    ([row]) => row.taken,
    async (cause) => {
      await session.close()
      throw cause
    },
  )
  if (taken) return session
  await session.close()
  return undefined
}

/** The keys of the advisory locks of this database, which the server shows in two halves. */
const readHeld = (database: DatabaseShape) =>
  askBriefly(
    database,
    (sql) => sql<Array<{ key: string }>>`
      select ((classid::int8 << 32) | objid::int8)::text as key from pg_locks
      where locktype = 'advisory' and objsubid = 1 and granted
        and database = (select oid from pg_database where datname = current_database())`,
  ).pipe(Effect.map((rows): ReadonlySet<string> => new Set(rows.map(({ key }) => key))))
