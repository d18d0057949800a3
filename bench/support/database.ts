/** The database of a bench: `DATABASE_URL`, or the service's own embedded PostgreSQL in a folder that goes at the end. */
import { rmSync } from "node:fs"
import { Effect, Exit, Scope } from "effect"
import postgres from "postgres"
import { startEmbedded } from "../../src/adapters/embedded/embedded.ts"
import { openTemporaryFolder } from "../../test/support/postgres.ts"
import { serverOfBackend } from "./processes.ts"

export interface BenchDatabase {
  readonly url: string
  readonly sql: postgres.Sql
  readonly version: string
  /** Process of the server; undefined where it is not on this machine. */
  readonly server: number | undefined
  /** Bytes of write-ahead log since the server began. */
  readonly wal: () => Promise<number>
  readonly close: () => Promise<void>
}

/** Without `DATABASE_URL`, the very code and settings by which the service starts its own. `schema` is dropped first and last on a server that is not ours. `settings`: `name=value,…` over the service's own. */
export const openDatabase = async (schema: string, settings = ""): Promise<BenchDatabase> => {
  const over = Object.fromEntries(
    settings
      .split(",")
      .filter(Boolean)
      .map((it) => it.split("=") as [string, string]),
  )
  const scope = Effect.runSync(Scope.make())
  const given = process.env.DATABASE_URL
  const folder = given === undefined ? openTemporaryFolder("cowry-bench-") : undefined
  const url =
    given ??
    (
      await Effect.runPromise(
        startEmbedded({ dataDir: `${folder}/data`, settings: over }).pipe(Effect.provideService(Scope.Scope, scope)),
      )
    ).url
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  const dropSchemas = async () => {
    const found =
      await sql`select nspname from pg_namespace where nspname = ${schema} or nspname like ${`${schema}\\_%`}`
    for (const { nspname } of found) await sql`drop schema ${sql(nspname)} cascade`
  }
  if (given !== undefined) await dropSchemas()
  const [row] = await sql`select pg_backend_pid() as backend, current_setting('server_version') as version`
  return {
    url,
    sql,
    version: row!.version,
    server: serverOfBackend(row!.backend),
    wal: async () => Number((await sql`select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`)[0]!.bytes),
    close: async () => {
      if (given !== undefined) await dropSchemas()
      await sql.end()
      await Effect.runPromise(Scope.close(scope, Exit.void))
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
