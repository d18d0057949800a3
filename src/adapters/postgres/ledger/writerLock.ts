/** The lock that lets one writer at a time have a chain: it lives and ends with the session that took it. */
import { Effect } from "effect"
import { attempt } from "./ledgerErrors.ts"
import type { Session } from "./wire/session.ts"

/** Asks again and again rather than blocks: a statement that waits for days would hold back the server's vacuum. */
export const takeLock = Effect.fnUntraced(function* (session: Session, schema: string) {
  const ask = attempt(() =>
    session.run(
      (sql) => sql<[{ taken: boolean }]>`select pg_try_advisory_lock(hashtextextended(${schema}, 0)) as taken`,
    ),
  )
  for (let wait = 20; !(yield* ask)[0].taken; wait = Math.min(wait * 2, 1000)) yield* Effect.sleep(wait)
})
