/** The database over a pool, and over one connection whose snapshot is open. */
import { Effect } from "effect"
import type postgres from "postgres"
import { makeClient } from "./client.ts"
import type { DatabaseSettings, DatabaseShape, Pending } from "./Database.ts"
import { cancel, runSnapshot, runStatement, within } from "./statements.ts"

/** The service over an open pool. `renew`: called when a connection of it was lost; the statement is then made once more. */
export const databaseOf = (
  sql: postgres.Sql,
  { url, schema = "cowry", queryBudgetMs = 25_000 }: DatabaseSettings,
  renew: () => void = () => {},
): DatabaseShape => ({
  sql,
  schema,
  chainSchema: (chainId) => `${schema}_${chainId}`,
  query: (statement) => within(queryBudgetMs, renew, runStatement(statement, renew)),
  snapshot: (body) => within(queryBudgetMs, renew, runSnapshot(sql, body, renew)),
  renew,
  connect: (settings) => makeClient({ ...settings, url }),
})

/**
 * The same service on a connection that has a read-only repeatable-read transaction open: every read is of its snapshot.
 * Whoever uses it has the time budget in hand. After a failure it is of no use any more.
 */
export const holding = (database: DatabaseShape, sql: postgres.ReservedSql): DatabaseShape => ({
  ...database,
  sql,
  query: (statement) => runStatement(statement),
  snapshot: (body) =>
    Effect.suspend(() => {
      let current: Pending<unknown> | undefined
      const run = <B>(statement: Pending<B>) => {
        current = statement
        return statement
      }
      // The transaction is there: all that `begin` would add is done.
      return Effect.onInterrupt(
        runStatement(() => body(sql as unknown as postgres.TransactionSql, run)),
        () => Effect.sync(() => current && cancel(current)),
      )
    }),
})
