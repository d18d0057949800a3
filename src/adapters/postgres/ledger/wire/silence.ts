/** A connection that went dead without a word, found out by asking the server over another one whether it is at work. */
import postgres from "postgres"
import type { DatabaseShape } from "../../database/Database.ts"
import { asLogin, openSession, type Session } from "./session.ts"

/** For a new connection and one short statement. */
const askTimeoutMs = 30_000

/** Neither we nor the server would ever go on: each waits for the other. */
export class ServerSilent extends Error {
  constructor(silenceMs: number) {
    super(
      `no word from the database for ${silenceMs / 1000} s on the writer's connection, which is taken for dead: the ledger is opened again over a new one`,
    )
  }
}

/** What is looked up there may be of another ledger than what is written here. */
export class OtherServer extends Error {
  constructor() {
    super(
      "DATABASE_URL leads to another server now than the one that the ledger is written to, as behind a failover whose old primary still runs: the ledger is opened again over a new connection",
    )
  }
}

/** A session for look-ups beside a writer's: at the very server, or it fails with `OtherServer`, and all else that is asked goes over new connections too. */
export const openBeside = async (
  database: DatabaseShape,
  { server }: Session,
  openSession: () => Promise<Session>,
): Promise<Session> => {
  const opened = await openSession()
  if (opened.server === server) return opened
  await opened.close()
  database.renew()
  throw new OtherServer()
}

/**
 * As `openSession`. Where the server is owed an answer for `silenceMs` and is not at work on it, the session
 * fails with `ServerSilent`. A session that fails ends its server process too: that would keep the writer's lock until
 * it finds out for itself, which behind a proxy may be never.
 */
export const openWatched = async (database: DatabaseShape, schema: string, silenceMs: number): Promise<Session> => {
  const inner = await withTimeout(openSession(database, schema), askTimeoutMs, (late) => late.close())
  let owed = 0
  let heard = performance.now()
  const settle = () => {
    owed--
    heard = performance.now()
  }
  const counted = <A>(answer: Promise<A>): Promise<A> => {
    if (owed++ === 0) heard = performance.now()
    answer.then(settle, settle)
    return answer
  }
  const run: Session["run"] = (statement) => counted(inner.run(statement))
  /** Process ids are used again, and after a failover there may be another server: the very process. */
  const self = (sql: postgres.TransactionSql) =>
    sql`pid = ${inner.pid} and backend_start = ${inner.since ?? null}::text::timestamptz`
  const isAtWork = () =>
    askBeside(
      database,
      (sql) => sql<Array<{ works: boolean }>>`
        select (state = 'active' and wait_event_type is distinct from 'Client')
            -- track_activities is off, or what others do is not for this role to see: nobody knows
            or state = 'disabled' or state is null
            -- its answer may be under way; what lies further ahead is of a clock that was set back since
            or abs(extract(epoch from clock_timestamp() - state_change)) < ${silenceMs / 2000}::float8 as works
        from pg_stat_activity where coalesce(${self(sql)}, pid = ${inner.pid})`,
    ).then(
      ([row]) => row?.works === true,
      // A server that has no room for one more connection is there.
      (cause) => cause instanceof postgres.PostgresError,
    )
  const fail = (cause: unknown): void => {
    clearInterval(watch)
    if (inner.failure() !== undefined) return
    inner.fail(cause)
    if (cause instanceof ServerSilent) database.renew()
    askBeside(database, (sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity where ${self(sql)}`).catch(
      () => {},
    )
  }
  let looking = false
  const isLate = () => owed > 0 && performance.now() - heard >= silenceMs
  let looked = performance.now()
  const look = async () => {
    const now = performance.now()
    // It was this process that was held up: what the server said meanwhile may lie unread, and what it waits for unsent.
    if (now - looked > silenceMs / 2) heard = now
    looked = now
    if (inner.failure() !== undefined) clearInterval(watch)
    else if (!looking && isLate()) {
      looking = true
      if (!(await isAtWork()) && isLate()) fail(new ServerSilent(silenceMs))
      looking = false
    }
  }
  const watch = setInterval(look, silenceMs / 4)
  watch.unref()
  return {
    ...inner,
    fail,
    run,
    guard: (promise) => counted(inner.guard(promise)),
    close: () => withTimeout(inner.close(), 5000).catch(fail),
  }
}

/** One statement on a connection of its own: the readers' may be dead as well. */
const askBeside = async <A>(database: DatabaseShape, ask: (sql: postgres.TransactionSql) => Promise<A>): Promise<A> => {
  const client = database.connect({ max: 1 })
  const asked = async (sql: postgres.TransactionSql): Promise<A> => {
    await sql.unsafe(asLogin)
    return ask(sql)
  }
  try {
    return await withTimeout(client.begin(asked) as Promise<A>, askTimeoutMs)
  } finally {
    client.end({ timeout: 0 }).catch(() => {})
  }
}

/** Rejects with `ServerSilent` when it takes too long; `late` gets what comes after that. */
const withTimeout = async <A>(promise: Promise<A>, timeoutMs: number, late?: (value: A) => unknown): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      promise.then(late, () => {})
      reject(new ServerSilent(timeoutMs))
    }, timeoutMs)
  })
  try {
    return await Promise.race([promise, over])
  } finally {
    clearTimeout(timer)
  }
}
