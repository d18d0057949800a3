/** One server session, held on purpose: the writer's lock lives in it, so no statement ever moves to another one unseen. */
import { keepalives } from "../../database/client.ts"
import type { DatabaseShape } from "../../database/Database.ts"
import { statementsOf } from "../../database/distributed.ts"
import { type HeldConnection, openHeld } from "../../database/held.ts"
import { valueParameters } from "../../url/parameters.ts"

export interface Session extends HeldConnection {
  readonly pid: number
  /** When its server process began, as text: process ids are used again. Absent = the server does not tell this role. */
  readonly since?: string
  /** When its server was started, as text: no two servers that run beside each other have the same. */
  readonly server?: string
  /** What another session was asked, or this one's end if that comes first: meanwhile this one's server owes no answer. */
  beside<A>(promise: Promise<A>): Promise<A>
  close(): Promise<void>
}

/** What a writer's statements must not inherit from the role or the server. */
export const sessionSettings = {
  // Named once more: a pooler may leave out what a connection asks for as it is opened.
  ...valueParameters,
  ...keepalives,
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
  // An append has its own deadline.
  statement_timeout: "0",
  lock_timeout: "0",
  transaction_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  idle_session_timeout: "0",
}

/**
 * Of the transaction that it stands in: it is run as whoever logged in. A session that begins as another role
 * (`alter role … set role`) may not see, nor end, what this one has open: not even itself.
 */
export const asLogin = "set local role none"

/** One statement, which is its own transaction: the role is set before the process is looked up. */
const whichProcess = `
  select it.pid, it.backend_start::text as since, extract(epoch from pg_postmaster_start_time())::text as server
  from (select set_config('role', 'none', true) as role offset 0) login
  cross join lateral pg_stat_get_activity(case when login.role is not null then pg_backend_pid() end) it`

/** While a statement runs, too. */
const checkClient = "set client_connection_check_interval = '10s'"

/** invalid_parameter_value: a server whose platform cannot tell closed sockets (Windows, illumos) takes nothing but 0; undefined_object. */
const withoutChecks: ReadonlyArray<unknown> = ["22023", "42704"]

/** Opens a connection of its own, with `schema` as search path and plans that walk indexes. */
export const openSession = async (database: DatabaseShape, schema: string): Promise<Session> => {
  let self: Pick<Session, "pid" | "since" | "server"> = { pid: 0 }
  const held = await openHeld(database, {
    lost: "the writer's connection was lost",
    first: async (sql) => {
      // By itself, as it may be refused; the others go out behind it in the same turn.
      const checked = sql.unsafe(checkClient).catch((cause) => {
        if (!withoutChecks.includes(cause.code)) throw cause
      })
      const asked = sql.unsafe<[Pick<Session, "pid" | "since" | "server">]>(whichProcess)
      const set = sql`
        select count(set_config(name, value, false))
        from (values ${sql(Object.entries({ ...sessionSettings, search_path: `"${schema}"` }))}) as wanted (name, value)
        -- by the list of what this server knows: versions and platforms differ
        where exists (select from pg_settings s where s.name = wanted.name)`
      const [[row]] = await Promise.all([asked, set, checked])
      self = row
    },
  })
  return {
    ...held,
    ...self,
    beside: held.guard,
    close: async () => {
      if (held.failure() !== undefined) return
      await held.run((sql) => sql`select pg_advisory_unlock_all()`).catch(() => {})
      held.fail(new Error("the writer was closed"))
    },
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
