/** `Database`, the service every PostgreSQL adapter works through. */
import { Context, type Effect } from "effect"
import type postgres from "postgres"
import type { StoreError } from "../../../model/errors.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { ReadServers } from "../../../ports/ReadServers.ts"
import type { ClientSettings, Observer } from "./client.ts"

/** A statement, or anything made of statements. */
export type Pending<A> = Promise<A> & { cancel?(): void }

export interface DatabaseShape {
  /** The readers' pool. */
  readonly sql: postgres.Sql
  /** Schema of the registry, and prefix of the chains' schemas. */
  readonly schema: string
  /** `cowry_43114` */
  chainSchema(chainId: ChainId): string
  /** Whether chains may lie on different servers: then no statement is about two of them. A reader learns it when it reaches its server. */
  distributed(): boolean
  /** Runs a statement, made anew by each evaluation. Cancelled when interrupted or past the time budget (`QueryTooSlow`). */
  query<A>(statement: () => Pending<A>): Effect.Effect<A, StoreError>
  /**
   * Runs statements in one read-only repeatable-read transaction: one snapshot for all. Hand each to `run`: that is
   * what ends the transaction early when the caller is interrupted.
   */
  snapshot<A>(
    body: (sql: postgres.TransactionSql, run: <B>(statement: Pending<B>) => Promise<B>) => Promise<A>,
  ): Effect.Effect<A, StoreError>
  /** Runs statements that write, in one read-committed transaction, in the same way. */
  transact<A>(
    body: (sql: postgres.TransactionSql, run: <B>(statement: Pending<B>) => Promise<B>) => Promise<A>,
  ): Effect.Effect<A, StoreError>
  /** The same over connections that no caller's read can take: for what says how the service is. */
  readonly probes: Pick<DatabaseShape, "query" | "sql">
  /** The same over a few connections that keep the plans of statements over many chains. */
  readonly wide: Pick<DatabaseShape, "snapshot">
  /** Later statements of the readers' pool go over new connections: those there may be dead. */
  renew(): void
  /** A further client to the same database, the caller's to end. */
  connect(settings: Omit<ClientSettings, "url">): postgres.Sql
  /** The servers that `sql`, `query` and `snapshot` may go to, and how they stand: whether the one in use is a standby. */
  readonly servers: ReadServers["Service"]
  /** This database on the one server that reads of the present fiber go to. */
  readonly here: Effect.Effect<DatabaseShape>
}

/** An open transaction, and what each of its statements is handed to. */
export interface Transaction {
  readonly tx: postgres.TransactionSql
  readonly run: <B>(statement: Pending<B>) => Promise<B>
}

/** The open database; `PostgresDatabase.layer` makes it. */
export class Database extends Context.Service<Database, DatabaseShape>()("cowry/adapters/postgres/Database") {}

export interface DatabaseSettings {
  readonly url: string
  /** Default "cowry". Lower-case letters, digits and `_`, at most 40. */
  readonly schema?: string
  /** Reads at once, default 14; a few connections more are there for what else a ledger needs. */
  readonly max?: number
  /** Milliseconds a read may take, default 25,000: less than a request, so that what would be faster is said by who knows. */
  readonly queryBudgetMs?: number
  /** Connections that whoever opens it needs: `least` to work at all, `most` at its busiest. Absent = not compared. */
  readonly connections?: { readonly least: number; readonly most: number; readonly words: string }
  /** Default: as the server is. A server that is one can be asked as if it were several. */
  readonly distributed?: boolean
  /** Hears each statement as it is sent: what is proved of all of them is proved by it. */
  readonly observe?: Observer
}
