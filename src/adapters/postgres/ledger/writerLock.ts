/** The lock that lets one writer at a time have a chain: it lives and ends with the session that took it. */
import { Effect } from "effect"
import { type Backoff, sleepBackoff } from "../../../model/time/backoff.ts"
import { attempt } from "./ledgerErrors.ts"
import type { Session } from "./wire/session.ts"

const waits: Backoff = { firstMs: 20, capMs: 1000 }

/** Asks again and again rather than blocks: a statement that waits for days would hold back the server's vacuum. */
export const takeLock = Effect.fnUntraced(function* (session: Session, schema: string) {
  const ask = attempt(() =>
    session.run(
      (sql) => sql<[{ taken: boolean }]>`select pg_try_advisory_lock(hashtextextended(${schema}, 0)) as taken`,
    ),
  )
  for (let tries = 0; !(yield* ask)[0].taken; tries++) yield* sleepBackoff(waits, tries)
})
