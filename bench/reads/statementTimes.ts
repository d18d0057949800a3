/** How long statements are planned and run, as the server itself counts it (pg_stat_statements). */
import type postgres from "postgres"

export interface StatementTimes {
  readonly reset: () => Promise<void>
  /** Microseconds since then, of all statements together; NaN where the server does not count. */
  readonly read: () => Promise<{ readonly planning: number; readonly execution: number }>
}

/** A server of one's own counts them where `shared_preload_libraries` has the extension. */
export const openStatementTimes = async (sql: postgres.Sql): Promise<StatementTimes> => {
  const uncounted = { reset: async () => {}, read: async () => ({ planning: Number.NaN, execution: Number.NaN }) }
  try {
    await sql`create extension if not exists pg_stat_statements`
    await sql`select pg_stat_statements_reset()`
  } catch {
    return uncounted
  }
  return {
    reset: async () => {
      await sql`select pg_stat_statements_reset()`
    },
    read: async () => {
      const [row] = await sql<[{ planning: number; execution: number }]>`
        select coalesce(sum(total_plan_time), 0) * 1000 as planning, coalesce(sum(total_exec_time), 0) * 1000 as execution
        from pg_stat_statements where query not like '%pg_stat_statements%'`
      return row
    },
  }
}
