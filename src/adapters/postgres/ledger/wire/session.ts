/** One server session, held on purpose: the writer's lock lives in it, so no statement ever moves to another one unseen. */
import type postgres from "postgres"
import type { DatabaseShape } from "../../database/Database.ts"
import { statementsOf } from "../../database/distributed.ts"

export interface Session {
  readonly sql: postgres.ReservedSql
  readonly pid: number
  /** Why the session ended; undefined while it lives. */
  readonly failure: () => unknown
  /** Ends the session: everything waiting on it fails with `cause`. The server rolls back what is open. */
  fail(cause: unknown): void
  /** The promise, or the session's end if that comes first. */
  guard<A>(promise: Promise<A>): Promise<A>
  /** Sends a statement; fails at once when the session is over. */
  run<A>(statement: (sql: postgres.ReservedSql) => Promise<A>): Promise<A>
  close(): Promise<void>
}

/** What a writer's statements must not inherit from the role or the server. */
const sessionSettings = {
  // Every statement of a writer goes by keys: a hash join or a scan of a table of millions is never right there,
  // whatever stale statistics say. Disabled plans look dear, which would start the compiler (jit) for nothing.
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  // A bitmap for each of thousands of keys is dearer than the key.
  enable_bitmapscan: "off",
  jit: "off",
  // A plan kept from when the tables were nearly empty is the wrong one for ever.
  plan_cache_mode: "force_custom_plan",
  default_transaction_isolation: "read committed",
  // An append has its own deadline.
  statement_timeout: "0",
  lock_timeout: "0",
  transaction_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  idle_session_timeout: "0",
  // A client that vanished must not hold the lock for hours.
  tcp_keepalives_idle: "30",
  tcp_keepalives_interval: "10",
  tcp_keepalives_count: "3",
  client_connection_check_interval: "10s",
}

/** Opens a connection of its own, with `schema` as search path and plans that walk indexes. */
export const openSession = async (database: DatabaseShape, schema: string): Promise<Session> => {
  const waiting = new Set<(cause: unknown) => void>()
  let failure: unknown
  const fail = (cause: unknown): void => {
    if (failure !== undefined) return
    failure = cause
    for (const reject of waiting) reject(cause)
    waiting.clear()
    client.end({ timeout: 0 }).catch(() => {})
  }
  const client = database.connect({ max: 1, onClose: () => fail(new Error("the writer's connection was lost")) })
  const guard = <A>(promise: Promise<A>): Promise<A> =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) {
        promise.catch(() => {})
        return reject(failure)
      }
      waiting.add(reject)
      promise.then(resolve, reject).finally(() => waiting.delete(reject))
    })
  try {
    const sql = await guard(client.reserve())
    const [row] = await guard(sql<[{ pid: number }]>`
      select pg_backend_pid() as pid, (
        select count(set_config(name, value, false))
        from (values ${sql(Object.entries({ ...sessionSettings, search_path: `"${schema}"` }))}) as wanted (name, value)
        -- by the list of what this server knows: versions and platforms differ
        where exists (select from pg_settings s where s.name = wanted.name)
      ) as settings`)
    const { pid } = row
    return {
      sql,
      pid,
      failure: () => failure,
      fail,
      guard,
      run: (statement) => (failure === undefined ? guard(statement(sql)) : Promise.reject(failure)),
      close: async () => {
        if (failure !== undefined) return
        await guard(sql`select pg_advisory_unlock_all()`).catch(() => {})
        fail(new Error("the writer was closed"))
      },
    }
  } catch (cause) {
    fail(cause)
    throw cause
  }
}

/** A script, statement by statement: they are sent one behind the other, and the first failure is told. `sent`: default all. */
export const runScript = (
  session: Session,
  script: string,
  sent: (statement: string) => boolean = () => true,
): Promise<unknown> =>
  Promise.all(
    statementsOf(script)
      .filter(sent)
      .map((statement) => session.run((sql) => sql.unsafe(statement))),
  )

/** All of `body` or nothing. */
export const transaction = async <A>(session: Session, body: () => Promise<A>): Promise<A> => {
  await session.run((sql) => sql`begin`)
  try {
    const value = await body()
    await session.run((sql) => sql`commit`)
    return value
  } catch (cause) {
    await session.run((sql) => sql`rollback`).catch(() => {})
    throw cause
  }
}
