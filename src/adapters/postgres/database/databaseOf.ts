/** The database over a pool, and over one connection whose snapshot is open. */
import { Effect } from "effect"
import type postgres from "postgres"
import { mostProbes, mostReaders, mostWide, noChoice, type ReadServer } from "../../../ports/ReadServers.ts"
import { makeClient } from "./client.ts"
import { labelOf } from "./connectionUrl.ts"
import type { DatabaseSettings, DatabaseShape } from "./Database.ts"
import type { HeldConnection } from "./held.ts"
import { makePlaces } from "./places.ts"
import type { Pool } from "./pool.ts"
import {
  makeIssued,
  type Runner,
  runStatement,
  runTransaction,
  snapshotMode,
  within,
  writingMode,
} from "./statements.ts"

/** That a probe may take: who asks whether the store answers waits no longer. */
const probeBudgetMs = 2000

/** Of the places, for reads that may take long: a request can have several at once. */
const costlyPart = 0.4

type OpenPool = Pick<Pool, "sql" | "renew">

/**
 * The service over an open pool. `renew`: called when a connection of it was lost; the statement is then made once more.
 * `probes`, `wide`: pools of their own; absent = the same.
 */
export const databaseOf = (
  sql: postgres.Sql,
  { url, schema = "cowry", max = mostReaders, queryBudgetMs = 25_000, distributed = false, observe }: DatabaseSettings,
  renew: () => void = () => {},
  probes?: OpenPool,
  wide?: OpenPool,
): DatabaseShape => {
  // The driver sends a statement to a connection that is busy where all are: it would wait behind whichever runs there.
  const readers: Runner = { renew, places: makePlaces(max, Math.ceil(max * costlyPart)) }
  const query: DatabaseShape["query"] = (statement) =>
    within(queryBudgetMs, renew, (deadline) => runStatement(statement, readers, deadline))
  const snapshot: DatabaseShape["snapshot"] = (body) =>
    within(queryBudgetMs, renew, (deadline) => runTransaction(sql, snapshotMode, body, readers, deadline))
  const database: DatabaseShape = {
    sql,
    schema,
    distributed: () => distributed,
    chainSchema: (chainId) => `${schema}_${chainId}`,
    query,
    snapshot,
    transact: (body) =>
      within(queryBudgetMs, renew, (deadline) => runTransaction(sql, writingMode, body, readers, deadline)),
    probes: probes === undefined ? { sql, query } : probesOf(probes),
    wide: wide === undefined ? { snapshot } : wideOf(wide, queryBudgetMs),
    renew,
    connect: (settings) => makeClient({ ...settings, url, observe }),
    servers: { ...noChoice, list: () => [primaryAt(url)] },
    here: Effect.suspend(() => Effect.succeed(database)),
  }
  return database
}

const wideOf = ({ sql, renew }: OpenPool, budgetMs: number): DatabaseShape["wide"] => {
  const runner: Runner = { renew, places: makePlaces(mostWide, mostWide - 1) }
  return {
    snapshot: (body) =>
      within(budgetMs, renew, (deadline) => runTransaction(sql, snapshotMode, body, runner, deadline)),
  }
}

/** The only server there is, which was found to take writes when it was opened. */
const primaryAt = (url: string): ReadServer => ({
  label: labelOf(url),
  isPrimary: true,
  isStandby: false,
  takesWrites: true,
  isReached: true,
  lagMs: 0,
  isUsed: true,
})

const probesOf = ({ sql, renew }: OpenPool): DatabaseShape["probes"] => {
  const runner: Runner = { renew, places: makePlaces(mostProbes, mostProbes - 1) }
  return {
    sql,
    query: (statement) => within(probeBudgetMs, renew, (deadline) => runStatement(statement, runner, deadline)),
  }
}

/**
 * The same service on a connection that has a read-only repeatable-read transaction open: every read is of its snapshot.
 * Whoever uses it has the time budget in hand. After a failure it is of no use any more.
 */
export const holding = (database: DatabaseShape, { sql, guard }: HeldConnection): DatabaseShape => {
  const runner: Runner = { guard }
  const snapshot: DatabaseShape["snapshot"] = (body) =>
    Effect.suspend(() => {
      const { issue, stop } = makeIssued()
      // The transaction is there: all that `begin` would add is done.
      return Effect.onInterrupt(
        runStatement(() => body(sql as unknown as postgres.TransactionSql, issue), runner),
        () => Effect.sync(() => void stop()),
      )
    })
  return { ...database, sql, query: (statement) => runStatement(statement, runner), snapshot, wide: { snapshot } }
}
