/** When each block of a ledger was committed, by the server's own clock; needs `track_commit_timestamp`. */
import type postgres from "postgres"

export interface Commits {
  readonly newest: () => number
  /** Milliseconds since 1970; undefined where nobody looked between it and the next. */
  readonly of: (block: number) => number | undefined
}

/** Looks at each call, which comes behind the commit: what it takes to look is not part of the time. */
export const watchCommits = async (sql: postgres.Sql, schema: string): Promise<Commits> => {
  const committed = new Map<number, number>()
  let newest = -1
  const look = async () => {
    const [row] = await sql<[{ next: number; at: number }]>`
      select next_block as next, (1000 * extract(epoch from pg_xact_commit_timestamp(xmin)))::float8 as at
      from ${sql(`${schema}.state`)}`
    newest = Number(row.next) - 1
    if (!committed.has(newest)) committed.set(newest, row.at)
  }
  await look()
  await sql.listen(schema, () => void look().catch(() => {}))
  return { newest: () => newest, of: (block) => committed.get(block) }
}
