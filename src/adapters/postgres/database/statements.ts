/** Statements as effects: cancelled when nobody waits for them any more, within a time budget, made once more where a connection was lost. */
import { Duration, Effect } from "effect"
import postgres from "postgres"
import { QueryTooSlow, type StoreError, StoreUnavailable } from "../../../model/errors.ts"
import type { DatabaseShape, Pending } from "./Database.ts"
import { isLost } from "./pool.ts"
import { isReadOnly } from "./readOnly.ts"

/** `renew`: called where a statement that was cancelled does not end: its connection is dead. */
export const runStatement = <A>(statement: () => Pending<A>, renew?: () => void) =>
  Effect.callback<A, StoreError>((resume) => {
    const query = statement()
    settle(query, resume)
    return Effect.sync(() => {
      cancel(query)
      expectEnd(query, renew)
    })
  })

export const runSnapshot = <A>(sql: postgres.Sql, body: Parameters<DatabaseShape["snapshot"]>[0], renew?: () => void) =>
  Effect.callback<A, StoreError>((resume) => {
    let current: Pending<unknown> | undefined
    let interrupted = false
    const transaction = sql.begin("isolation level repeatable read read only", (tx) =>
      body(tx, (statement) => {
        if (interrupted) throw new Error("interrupted")
        current = statement
        return statement
      }),
    )
    settle(transaction as Promise<A>, resume)
    return Effect.sync(() => {
      interrupted = true
      if (current !== undefined) cancel(current)
      expectEnd(transaction, renew)
    })
  })

/** In which a server that is reached ends what it is told to. */
const cancelTimeoutMs = 5000

const expectEnd = (work: Promise<unknown>, renew: (() => void) | undefined): void => {
  if (renew === undefined) return
  const late = setTimeout(renew, cancelTimeoutMs)
  late.unref()
  const stop = () => clearTimeout(late)
  work.then(stop, stop)
}

export const within = <A>(milliseconds: number, renew: () => void, effect: Effect.Effect<A, StoreError>) =>
  effect.pipe(
    // A cancel request names a server process, not a statement: one that came late hit this one instead.
    Effect.retry({
      times: 1,
      while: (error) => {
        const cause = error._tag === "StoreUnavailable" ? error.cause : undefined
        const isOver = isLost(cause) || isEnded(cause) || isReadOnly(cause)
        if (isOver) renew()
        return isCancelled(cause) || isOver
      },
    }),
    Effect.timeoutOrElse({
      duration: Duration.millis(milliseconds),
      orElse: () => Effect.fail(tooSlow(`${milliseconds / 1000} s`)),
    }),
  )

/** admin_shutdown, crash_shutdown: the server ended the session. */
const isEnded = (cause: unknown): boolean => ["57P01", "57P02"].includes(String(Object(cause).code))

const tooSlow = (limit: string) => new QueryTooSlow({ message: `the query took longer than ${limit}: ask for less` })

/** The server says both by one code: that it was asked to cancel, and that a statement_timeout of its own passed. */
const isCancelled = (cause: unknown): boolean => cause instanceof postgres.PostgresError && cause.code === "57014"
const isTimeout = (cause: unknown): boolean => isCancelled(cause) && String(cause).includes("statement timeout")

const settle = <A>(promise: Promise<A>, resume: (effect: Effect.Effect<A, StoreError>) => void): void => {
  promise.then(
    (value) => resume(Effect.succeed(value)),
    (cause) => resume(Effect.fail(isTimeout(cause) ? tooSlow("the database allows") : new StoreUnavailable({ cause }))),
  )
}

/** The driver drops the promise of its cancel request: where the server is gone that would be an unhandled rejection. */
export const cancel = (statement: Pending<unknown>): void => {
  const query = statement as { canceller?: ((query: unknown) => Promise<void>) | null }
  const canceller = query.canceller
  query.canceller = null
  canceller?.(statement).catch(() => {})
}
