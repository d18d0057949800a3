/** Statements as effects: cancelled when nobody waits for them any more, within a time budget, made once more where a connection was lost. */
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import postgres from "postgres"
import { QueryTooSlow, type StoreError, StoreUnavailable } from "../../../model/errors.ts"
import { type Reader, ReadFor } from "../../../ports/ReadFor.ts"
import { writingSettings } from "./client.ts"
import type { DatabaseShape, Pending } from "./Database.ts"
import type { Places } from "./places.ts"
import { isLost, saidOf } from "./pool.ts"
import { isReadOnly } from "./readOnly.ts"

/** A pool that statements run on. `renew`: called where a statement that was cancelled does not end: its connection is dead. */
export interface Runner {
  readonly renew?: () => void
  /** Absent = the driver's own queue. */
  readonly places?: Places
  /** What a statement waits for besides its own end: that of a connection held on purpose. */
  readonly guard?: <A>(promise: Promise<A>) => Promise<A>
}

/** When a statement is given up, by the clock of `performance.now()`, and what it was allowed. */
interface Deadline {
  readonly at: number
  readonly milliseconds: number
}

export const runStatement = <A>(statement: () => Pending<A>, runner: Runner = {}, deadline?: Deadline) =>
  run<A>(runner, deadline, () => {
    const query = statement()
    return { work: runner.guard?.(query) ?? query, stop: () => cancel(query) }
  })

export const snapshotMode = "isolation level repeatable read read only"
/** Whether it may write is the database's to say, or its role's: neither is overridden. */
export const writingMode = "isolation level read committed"

export const runTransaction = <A>(
  sql: postgres.Sql,
  mode: typeof snapshotMode | typeof writingMode,
  body: Parameters<DatabaseShape["snapshot"]>[0],
  runner: Runner,
  deadline?: Deadline,
) =>
  run<A>(runner, deadline, () => {
    const { issue, stop } = makeIssued()
    const transaction = sql.begin(mode, async (tx) => {
      if (mode === writingMode) await tx.unsafe(writingSettings)
      return body(tx, issue)
    })
    return { work: transaction as Promise<A>, stop }
  })

/** The statements of one transaction: several may be sent at once, and the server runs them one after the other. */
export const makeIssued = () => {
  /** Those that are not over, the one that runs first. */
  const open = new Set<Pending<unknown>>()
  let isStopped = false
  const issue = <B>(statement: Pending<B>): Pending<B> => {
    if (isStopped) throw new Error("interrupted")
    open.add(statement)
    const end = () => open.delete(statement)
    statement.then(end, end)
    return statement
  }
  /** With the one that runs the transaction is aborted: those behind it fail at once. Where the request comes too late for it, the next one runs. */
  const stop = async (): Promise<void> => {
    isStopped = true
    for (const statement of open) {
      await cancel(statement)
      const isAborted = await statement.then(
        () => false,
        () => true,
      )
      if (isAborted) return
    }
  }
  return { issue, stop }
}

const unlimited: Places = {
  take: (_, start) => {
    start(() => {})
    return () => {}
  },
}

/**
 * What `begin` begins, in a place of its own until the driver has done with it: of two statements on one connection, one
 * of them cancelled, the driver may take the rows of the one for those of the other. So is the request to cancel it: it
 * names a connection's process, and what came next on that connection would be cancelled in its stead.
 */
const run = <A>(
  { renew, places = unlimited }: Runner,
  deadline: Deadline | undefined,
  begin: () => { readonly work: Promise<A>; readonly stop: () => Promise<void> },
) => Effect.withFiber<A, StoreError>((fiber) => inPlace(fiber.getRef(ReadFor), renew, places, deadline, begin))

const inPlace = <A>(
  reader: Reader,
  renew: Runner["renew"],
  places: Places,
  deadline: Deadline | undefined,
  begin: () => { readonly work: Promise<A>; readonly stop: () => Promise<void> },
) =>
  Effect.callback<A, StoreError>((resume) => {
    let interrupt: (() => void) | undefined
    const giveUp = () => {
      ;(interrupt ?? leave)()
      resume(Effect.fail(tooSlow(`${(deadline?.milliseconds ?? 0) / 1000} s`)))
    }
    const late = deadline && setTimeout(giveUp, Math.max(0, deadline.at - performance.now()))
    const leave = places.take(reader, (done) => {
      try {
        const { work, stop } = begin()
        settle(work, (effect) => {
          clearTimeout(late)
          resume(effect)
        })
        let stopped = Promise.resolve()
        const end = () => stopped.then(done)
        work.then(end, end)
        interrupt = () => {
          stopped = stop()
          void expectEnd(Promise.allSettled([work, stopped]), () => {
            renew?.()
            done()
          })
        }
      } catch (cause) {
        clearTimeout(late)
        done()
        resume(Effect.die(cause))
      }
    })
    return Effect.sync(() => {
      clearTimeout(late)
      ;(interrupt ?? leave)()
    })
  })

/** In which a server that is reached ends what it is told to. */
const cancelTimeoutMs = 5000

const expectEnd = async (work: Promise<unknown>, giveUp: () => void): Promise<void> => {
  const late = setTimeout(giveUp, cancelTimeoutMs)
  late.unref()
  await work
  clearTimeout(late)
}

/** Within `milliseconds` in all. What was cut off by what the statement is not to blame for is made once more. */
export const within = <A>(
  milliseconds: number,
  renew: () => void,
  attempt: (deadline: Deadline) => Effect.Effect<A, StoreError>,
): Effect.Effect<A, StoreError> =>
  Effect.suspend(() => {
    const deadline = { at: performance.now() + milliseconds, milliseconds }
    return Effect.catch(attempt(deadline), (error) => {
      const cause = error._tag === "StoreUnavailable" ? error.cause : undefined
      const isOver = isLost(cause) || isEnded(cause) || isReadOnly(cause)
      if (isOver) renew()
      // A cancel request names a server process, not a statement: one that came late hit this one instead.
      return isCancelled(cause) || isOver || isConflict(cause) ? attempt(deadline) : Effect.fail(error)
    })
  })

/** admin_shutdown, crash_shutdown: the server ended the session. */
const isEnded = (cause: unknown): boolean => ["57P01", "57P02"].includes(String(Object(cause).code))

/** serialization_failure: a standby had to replay what the statement was in the way of. */
const isConflict = (cause: unknown): boolean => String(Object(cause).code) === "40001"

const tooSlow = (limit: string) => new QueryTooSlow({ message: `the query took longer than ${limit}: ask for less` })

/** The server says both by one code: that it was asked to cancel, and that a statement_timeout of its own passed. */
export const isCancelled = (cause: unknown): boolean =>
  cause instanceof postgres.PostgresError && cause.code === "57014"
const isTimeout = (cause: unknown): boolean => isCancelled(cause) && String(cause).includes("statement timeout")

const settle = <A>(promise: Promise<A>, resume: (effect: Effect.Effect<A, StoreError>) => void): void => {
  promise.then(
    (value) => resume(Effect.succeed(value)),
    (cause) => resume(Effect.fail(isTimeout(cause) ? tooSlow("the database allows") : unreached(cause))),
  )
}

const unreached = (cause: unknown) => new StoreUnavailable({ cause, said: saidOf(cause) })

/** Between two looks whether a statement was sent. */
const sentPauseMs = 20

/**
 * Ends once the server has read the request, or there is nothing to cancel any more. The driver drops that promise: where
 * the server is gone it would be an unhandled rejection. A statement that its connection is still opened for is cancelled
 * once it was sent: before, the driver would never use that connection again.
 */
export const cancel = async (statement: Pending<unknown>): Promise<void> => {
  const query = statement as { canceller?: ((query: unknown) => Promise<void>) | null; state?: object | null }
  const { canceller } = query
  if (canceller === undefined || canceller === null) return
  query.canceller = null
  let isOver = false
  const end = () => {
    isOver = true
  }
  statement.then(end, end)
  while (!isOver && (query.state === undefined || query.state === null))
    await pause(sentPauseMs, undefined, { ref: false })
  if (!isOver) await canceller(statement).catch(() => {})
}
