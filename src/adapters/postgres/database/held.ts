/** One connection, held on purpose: whoever waits on it is told when it ends. The driver forgets that now and then. */
import type postgres from "postgres"
import type { DatabaseShape } from "./Database.ts"

export interface HeldConnection {
  readonly sql: postgres.ReservedSql
  /** Why the connection ended; undefined while it lives. */
  readonly failure: () => unknown
  /** Ends the connection: everything waiting on it fails with `cause`. The server rolls back what is open. */
  fail(cause: unknown): void
  /** The promise, or the connection's end if that comes first. */
  guard<A>(promise: Promise<A>): Promise<A>
  /** Sends a statement; fails at once when the connection is over. */
  run<A>(statement: (sql: postgres.ReservedSql) => Promise<A>): Promise<A>
}

/** In which a server that is reached lets somebody in. */
const openMs = 20_000

/** Somebody is reached, and nothing comes of it: a pooler lets those wait for whom it has no connection. */
export class LetInNobody extends Error {
  override readonly name = "LetInNobody"
  constructor() {
    super(`the database let nobody in for ${openMs / 1000} s: it, or a pooler before it, may have too few connections`)
  }
}

export interface HeldSettings {
  /** What is said of it when it is gone. */
  readonly lost: string
  /** Server settings. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Its first statement, without which it is not open. */
  readonly first?: (sql: postgres.ReservedSql) => Promise<unknown>
  /** Hears what it listens to. */
  readonly onNotify?: (channel: string) => void
  /** Told once it is gone, after it was open. */
  readonly onLost?: () => void
  /** Ends it, also while it is being opened. */
  readonly signal?: AbortSignal
}

/**
 * Opens a connection of its own; rejects where it is lost on the way, or nothing comes of it. The driver leaves a
 * statement that is sent over one that is gone without an answer for ever.
 */
export const openHeld = async (
  database: DatabaseShape,
  { lost, parameters = {}, first, onNotify, onLost, signal }: HeldSettings,
): Promise<HeldConnection> => {
  const waiting = new Set<(cause: unknown) => void>()
  let failure: unknown
  let isOpen = false
  const fail = (cause: unknown): void => {
    if (failure !== undefined) return
    failure = cause
    for (const reject of waiting) reject(cause)
    waiting.clear()
    signal?.removeEventListener("abort", abort)
    if (isOpen) onLost?.()
    client.end({ timeout: 0 }).catch(() => {})
  }
  const abort = () => fail(new Error(lost))
  const client = database.connect({
    ...{ max: 1, parameters, onClose: abort },
    ...(onNotify === undefined ? {} : { onNotify }),
  })
  const guard = <A>(promise: Promise<A>): Promise<A> =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) {
        promise.catch(() => {})
        return reject(failure)
      }
      waiting.add(reject)
      promise.then(resolve, reject).finally(() => waiting.delete(reject))
    })
  const late = setTimeout(() => fail(new LetInNobody()), openMs)
  signal?.addEventListener("abort", abort)
  try {
    const sql = await guard(client.reserve())
    if (first !== undefined) await guard(first(sql))
    isOpen = true
    return {
      sql,
      failure: () => failure,
      fail,
      guard,
      run: (statement) => (failure === undefined ? guard(statement(sql)) : Promise.reject(failure)),
    }
  } catch (cause) {
    fail(cause)
    throw cause
  } finally {
    clearTimeout(late)
  }
}
