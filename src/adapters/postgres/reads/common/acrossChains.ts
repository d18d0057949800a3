/** The one place where chains come together: which of them can be read, one statement over all, their rows in one union. */
import { Context, Effect, Layer, Semaphore } from "effect"
import type { Fragment, Sql, TransactionSql } from "postgres"
import type { StoreError } from "../../../../model/errors.ts"
import type { Snapshot } from "../../../../model/page.ts"
import type { ChainId } from "../../../../model/primitives.ts"
import { Database, type DatabaseShape } from "../../database/Database.ts"
import { type ChainTables, tablesOf } from "../../database/tables.ts"
import { asOfPoints, type StateRow, selectState } from "./asOf.ts"

/** Branches joined by `union all`. Each must be a plain select, or be in brackets if it ends in `order by` or `limit`. */
export const unionAll = (sql: Sql, branches: ReadonlyArray<Fragment>): Array<Fragment> =>
  branches.flatMap((branch, index) => (index === 0 ? [branch] : [sql`union all`, branch]))

/** The state rows of chains as one JSON array, in no order. */
export const selectAsOf = (sql: Sql, chains: ReadonlyArray<ChainTables>): Fragment =>
  sql`select coalesce(json_agg(s), '[]') from (${unionAll(
    sql,
    chains.map((chain) => sql`(${selectState(sql, chain)})`),
  )}) s`

interface Shape {
  readonly database: DatabaseShape
  /** The tables of those chains that have been opened once; the others are left out, which is no error. */
  opened(chains: ReadonlyArray<ChainId>): Effect.Effect<ReadonlyArray<ChainTables>, StoreError>
  /** Runs a read again that found a chain gone: it was dropped since, and is left out from now on. */
  again<A>(read: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError>
  /** Waits where many reads over many chains run already. */
  inTurn<A>(chains: ReadonlyArray<ChainTables>, read: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError>
  /**
   * Runs one statement of scalar `columns` (`(select …) as a, (select …) as b`), and gives its row together with the
   * blocks it speaks of, in one snapshot. `none` is the row where no chain has been opened. A statement with server
   * settings of its own is one that may be long: it waits where many such run.
   */
  read<Row extends object>(
    chains: ReadonlyArray<ChainId>,
    none: Row,
    columns: (sql: Sql, chains: readonly [ChainTables, ...Array<ChainTables>]) => Fragment,
    parameters?: Readonly<Record<string, string>>,
  ): Effect.Effect<Snapshot<Row>, StoreError>
}

export class AcrossChains extends Context.Service<AcrossChains, Shape>()("cowry/adapters/postgres/AcrossChains") {}

/** A statement over a hundred chains takes over a thousand locks of the server's table, a long one a connection from the short: only so many at a time. */
const largeStatements = 4

const make = Effect.gen(function* () {
  const { query, snapshot, ...others } = yield* Database
  const turns = yield* Semaphore.make(largeStatements)
  // Positive answers only: a chain that is not there yet may come any time. One that was dropped shows by its statements.
  const known = new Map<ChainId, ChainTables>()
  const forgetting = <A>(read: Effect.Effect<A, StoreError>) =>
    Effect.tapError(read, (error) => Effect.sync(() => isGone(error) && known.clear()))
  const database: DatabaseShape = {
    ...others,
    query: (statement) => forgetting(query(statement)),
    snapshot: (body) => forgetting(snapshot(body)),
  }
  const { sql } = database
  const again: Shape["again"] = (read) => Effect.retry(read, { times: 1, while: isGone })

  const opened: Shape["opened"] = Effect.fnUntraced(function* (chains) {
    const unknown = chains.filter((chain) => !known.has(chain))
    if (unknown.length > 0) {
      const schemas = unknown.map((chain) => database.chainSchema(chain))
      const found = yield* database.query(
        () => sql<Array<{ schemaname: string }>>`
          select schemaname from pg_tables where schemaname = any(${schemas}::text[]) and tablename = 'state'`,
      )
      const there = new Set(found.map((row) => row.schemaname))
      for (const chain of unknown) {
        const schema = database.chainSchema(chain)
        if (there.has(schema)) known.set(chain, tablesOf(sql, chain, schema))
      }
    }
    return chains.flatMap((chain) => known.get(chain) ?? [])
  })

  const readOnce = Effect.fnUntraced(function* <Row extends object>(
    chains: ReadonlyArray<ChainId>,
    none: Row,
    columns: (sql: Sql, chains: readonly [ChainTables, ...Array<ChainTables>]) => Fragment,
    parameters?: Readonly<Record<string, string>>,
  ) {
    const readable = yield* opened(chains)
    const [first, ...others] = readable
    if (first === undefined) return { asOf: [], value: none }
    const statement = (by: Sql | TransactionSql) =>
      preparedFor(
        readable,
        by<Array<Row & { as_of: Array<StateRow> }>>`
          select (${selectAsOf(sql, readable)}) as as_of, ${columns(sql, [first, ...others])}`,
      )
    const settings = JSON.stringify(parameters)
    const rows = yield* parameters === undefined
      ? inTurn(
          readable,
          database.query(() => statement(sql)),
        )
      : turns.withPermits(1)(
          database.snapshot(async (transaction, run) => {
            await run(transaction`
              select set_config(name, value, true) from json_each_text(${settings}::text::json) as setting (name, value)`)
            return run(statement(transaction))
          }),
        )
    const { as_of, ...row } = rows[0]!
    return { asOf: asOfPoints(readable, as_of), value: { ...none, ...row } as Row }
  })

  const read: Shape["read"] = (chains, none, columns, parameters) => again(readOnce(chains, none, columns, parameters))

  const inTurn: Shape["inTurn"] = (chains, read) => (chains.length > 1 ? turns.withPermits(1)(read) : read)

  return AcrossChains.of({ database, opened, again, inTurn, read })
})

/** undefined_table, invalid_schema_name */
const isGone = (error: StoreError): boolean =>
  error._tag === "StoreUnavailable" &&
  ["42P01", "3F000"].includes((error.cause as { readonly code?: string })?.code ?? "")

/** One for all stores: they share what is known of the chains, and the turns. */
export const layer = Layer.effect(AcrossChains, make)

/** Statements over many chains are not kept prepared: callers' choices of chains would fill the server with them. */
export const preparedFor = <Statement extends object>(
  chains: ReadonlyArray<ChainTables>,
  statement: Statement,
): Statement => {
  if (chains.length > 1) Object.assign((statement as Statement & { options: object }).options, { prepare: false })
  return statement
}
