/** What a server must be before anything is stored on it: new enough, and reached without a pooler that swaps sessions. */
import type postgres from "postgres"
import type { DatabaseShape } from "./Database.ts"

const oldestVersion = 15

/** Why this server cannot be used, in a sentence; undefined = it can. `waitMs`: how long a second session may. */
export const findObstacle = async (database: DatabaseShape, waitMs = 5000): Promise<string | undefined> => {
  const [server] = await database.sql.unsafe(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
            current_user as role, current_database() as name,
            has_database_privilege(current_database(), 'temporary') as temporary`,
  )
  if (server!.number < oldestVersion * 10_000) {
    return `PostgreSQL ${oldestVersion} or newer is needed, the server of DATABASE_URL is ${server!.version}`
  }
  if (!server!.temporary) {
    return `the database's role may not make temporary tables. As an administrator run: grant temporary on database "${server!.name}" to "${server!.role}";`
  }
  return (await sessionsAreKept(database, waitMs))
    ? undefined
    : "DATABASE_URL leads through a pooler that lends a server connection for one transaction only: the writer's lock would mean nothing. Use the server's own address, or the pooler's session mode"
}

/**
 * Whether a client keeps its server process between transactions while another client is in one. A pooler in transaction
 * mode hands over the process that just fell idle, or the next in turn: either shows as a shared or changing process.
 */
const sessionsAreKept = async (database: DatabaseShape, waitMs: number): Promise<boolean> => {
  const [one, other] = [database.connect({ max: 1 }), database.connect({ max: 1 })]
  try {
    const first = await processOf(one)
    const kept = await other.begin(async (tx) => {
      const during = await processOf(tx)
      // A pooler with a single server connection has none left now, and lets this one wait.
      const again = await Promise.race([processOf(one), after(waitMs)])
      return during !== first && again === first
    })
    return kept && (await processOf(one)) === first
  } finally {
    await Promise.all([one.end({ timeout: 1 }), other.end({ timeout: 1 })])
  }
}

// As simple statements: a prepared one would fail behind such a pooler with a message that explains nothing.
const processOf = async (sql: Pick<postgres.Sql, "unsafe">): Promise<number> =>
  (await sql.unsafe("select pg_backend_pid() as pid"))[0]!.pid

const after = (milliseconds: number) =>
  new Promise<undefined>((resolve) => setTimeout(resolve, milliseconds, undefined).unref())
