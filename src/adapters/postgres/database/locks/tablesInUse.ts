/** Who is in tables that nobody else shall be in. */
import type postgres from "postgres"

/** Others stay in the tables that are to be changed. */
export class TablesInUse extends Error {
  constructor(schema: string, holders: ReadonlyArray<Holder>, cause: unknown) {
    const now = holders.length === 0 ? "" : `. In them now: ${holders.map(wordsOf).join(", ")}`
    super(
      `the tables of schema ${schema} are to be brought up to date, and others are in them for long: a stream that is read slowly, a backup, a session left in a transaction, a vacuum that the server does not push aside (against wraparound, or asked for by hand: pg_cancel_backend ends it)${now}. They are changed once nobody is`,
      { cause },
    )
  }
}

/** What is known of a session that is in tables; the server hides the most of it from a role without rights. */
interface Holder {
  readonly pid: number
  readonly kind: string | null
  /** Of its transaction, UTC. */
  readonly since: string | null
  readonly vacuums: boolean
}

const wordsOf = ({ pid, kind, since, vacuums }: Holder): string => {
  const known = [kind, vacuums ? "a vacuum or the like" : null, since && `since ${since} UTC`]
  const words = known.filter((word) => word !== null)
  return words.length === 0 ? `process ${pid}` : `process ${pid} (${words.join(", ")})`
}

/** Names who is in the tables, where the server tells. */
export const tablesInUse = async (sql: postgres.Sql, schema: string, cause: unknown): Promise<TablesInUse> =>
  new TablesInUse(schema, await findHolders(sql, schema).catch(() => []), cause)

/** Those that stay: who was in a table for a moment would be another one each time, and the log would say so. */
const findHolders = (sql: postgres.Sql, schema: string): Promise<ReadonlyArray<Holder>> => sql<Array<Holder>>`
  select a.pid, a.backend_type as kind, to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as since,
         bool_or(l.mode = 'ShareUpdateExclusiveLock') as vacuums
  from pg_locks l
  join pg_database d on d.oid = l.database and d.datname = current_database()
  join pg_class c on c.oid = l.relation
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = ${schema}
  join pg_stat_activity a on a.pid = l.pid
  where l.granted and coalesce(a.xact_start < now() - interval '5 seconds', true)
  group by a.pid, a.backend_type, a.xact_start
  order by vacuums desc, a.xact_start nulls first limit 3`
