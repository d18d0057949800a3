/** What a server must be before anything is stored on it: new enough, with room for us, and reached without a pooler that swaps sessions. */
import type postgres from "postgres"
import type { DatabaseSettings, DatabaseShape } from "./Database.ts"

export const oldestVersion = 15

/** The second takes any bytes as they come. */
const encodings: ReadonlyArray<string> = ["UTF8", "SQL_ASCII"]

/** Why this server cannot be used, in a sentence; undefined = it can. `waitMs`: how long a second session may. */
export const findObstacle = async (database: DatabaseShape, waitMs = 5000): Promise<string | undefined> => {
  const [server] = await database.sql.unsafe(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
            current_user as role, current_database() as name, current_setting('server_encoding') as encoding,
            has_database_privilege(current_database(), 'temporary') as temporary`,
  )
  if (server!.number < oldestVersion * 10_000) {
    return `PostgreSQL ${oldestVersion} or newer is needed, the server of DATABASE_URL is ${server!.version}`
  }
  if (!encodings.includes(server!.encoding)) {
    return `the database "${server!.name}" keeps its text as ${server!.encoding}, which not every token's name fits in: UTF8 is needed. As an administrator run: create database … template template0 encoding 'UTF8'; and name that one`
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
 * mode hands over the process that just fell idle, or the next in turn: either shows as a shared or changing process. One
 * that has two of them, in turn, gives the same again after every second transaction: so it is asked several times.
 */
export const sessionsAreKept = async (database: Pick<DatabaseShape, "connect">, waitMs = 5000): Promise<boolean> => {
  const [one, other] = [database.connect({ max: 1 }), database.connect({ max: 1 })]
  try {
    const first = await processOf(one)
    const isFirst = async () => {
      for (let times = 0; times < 3; times++) if ((await processOf(one)) !== first) return false
      return true
    }
    if (!(await isFirst())) return false
    const kept = await other.begin(async (tx) => {
      const during = await processOf(tx)
      // A pooler with a single server connection has none left now, and lets this one wait.
      const again = await Promise.race([processOf(one), after(waitMs)])
      return during !== first && again === first
    })
    return kept && (await isFirst())
  } finally {
    await Promise.all([one.end({ timeout: 1 }), other.end({ timeout: 1 })])
  }
}

// As simple statements: a prepared one would fail behind such a pooler with a message that explains nothing.
const processOf = async (sql: Pick<postgres.Sql, "unsafe">): Promise<number> =>
  (await sql.unsafe("select pg_backend_pid() as pid"))[0]!.pid

const after = (milliseconds: number) =>
  new Promise<undefined>((resolve) => setTimeout(resolve, milliseconds, undefined).unref())

export interface Room {
  /** Why it cannot work, in a sentence. */
  readonly obstacle?: string
  /** What will be tight, likewise. */
  readonly warning?: string
}

interface Limits {
  /** Of the server, without those that are kept for superusers and reserved roles. */
  readonly server: number
  /** Of the role and of the database; absent = none. */
  readonly role?: number
  readonly database?: number
}

/** Held against what the server, the role and the database allow all clients together. */
export const roomFor = async (
  sql: Pick<postgres.Sql, "unsafe">,
  { least, most, words }: NonNullable<DatabaseSettings["connections"]>,
): Promise<Room> => {
  const [limits] = await sql.unsafe<[Limits]>(`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
             - coalesce(current_setting('reserved_connections', true)::int, 0) as server,
           (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user and not rolsuper) as role,
           (select nullif(datconnlimit, -1) from pg_database where datname = current_database()
            and not exists (select from pg_roles where rolname = current_user and rolsuper)) as database`)
  const all: ReadonlyArray<readonly [number | undefined, string, string]> = [
    [limits.server, "the server of DATABASE_URL has", "raise max_connections"],
    [limits.role, "the database's role may have", "raise its connection limit"],
    [limits.database, "the database may have", "raise its connection limit"],
  ]
  const [room, who, remedy] = all.reduce((a, b) => ((b[0] ?? Number.POSITIVE_INFINITY) < a[0]! ? b : a))
  const missing = (needed: number): number => needed - room!
  if (room! < least) {
    return {
      obstacle: `${least} connections to the database are needed (${words}), ${who} ${room} for all its clients. Make it ${missing(most)} more, for times when all chains are synced too: ${remedy}; or follow fewer chains with one database`,
    }
  }
  if (room! < most) {
    return {
      warning: `up to ${most} connections to the database are wanted while chains are synced for the first time, ${who} ${room} for all its clients. Chains that find none wait for one: ${remedy} by ${missing(most)}`,
    }
  }
  return {}
}
