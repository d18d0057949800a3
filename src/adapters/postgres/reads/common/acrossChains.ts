/** The one place where chains come together: which of them can be read, one statement over all, their rows in one union. */
import { Context, Effect, Layer, Semaphore } from "effect"
import type { Fragment, Sql, TransactionSql } from "postgres"
import type { AsOf } from "../../../../model/block.ts"
import type { StoreError } from "../../../../model/errors.ts"
import type { Snapshot } from "../../../../model/page.ts"
import type { ChainId } from "../../../../model/primitives.ts"
import { makeShared } from "../../../../model/time/shared.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { Database, type DatabaseShape, type Pending } from "../../database/Database.ts"
import { asOfPoints, type StateRow, selectAsOf, selectState } from "./asOf.ts"
import { isGone } from "./gone.ts"
import { makeKeptPlans, unprepared } from "./keptPlans.ts"
import { makeReadList, type ReadList } from "./lists.ts"
import { makeOpened } from "./opened.ts"
import { makeTogether, type Together } from "./together.ts"

interface Shape extends Together {
  readonly database: DatabaseShape
  /** Those of the chains that have been opened once; the others are left out, which is no error. */
  opened(chains: ReadonlyArray<ChainId>): Effect.Effect<ReadonlyArray<ChainSql>, StoreError>
  /** A statement over these chains. Of many it is not kept prepared: callers' choices of chains would fill the server with them. */
  prepared<S extends object>(chains: ReadonlyArray<ChainSql>, statement: S): S
  /** Retries a read that found a chain gone: it was dropped since, and is left out from now on. */
  retryIfDropped<A>(read: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError>
  /** A read over very many chains waits for a permit: only so many run at a time. */
  throttled<A>(chains: ReadonlyArray<ChainSql>, read: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError>
  /**
   * Runs one statement of scalar `columns` (`(select …) as a, (select …) as b`), and gives its row together with the
   * blocks it speaks of, in one snapshot. `none` is the row where no chain has been opened. `parameters`: server settings
   * of the statement's own.
   */
  read<Row extends object>(
    chains: ReadonlyArray<ChainId>,
    none: Row,
    columns: (sql: Sql, chains: readonly [ChainSql, ...Array<ChainSql>]) => Fragment,
    parameters?: Readonly<Record<string, string>>,
  ): Effect.Effect<Snapshot<Row>, StoreError>
  /**
   * The same over the probes' connections, made once for all who ask under one `name` while it goes on; without a name for
   * each. `join`: what the rows of single chains come to, where chains lie on different servers.
   */
  probe<Row extends object>(
    name: string | undefined,
    chains: ReadonlyArray<ChainId>,
    none: Row,
    columns: (sql: Sql, chains: readonly [ChainSql, ...Array<ChainSql>]) => Fragment,
    join?: (rows: ReadonlyArray<Row>) => Row,
  ): Effect.Effect<Snapshot<Row>, StoreError>
  /** Where one chain stands, as a probe that has no columns tells it, at half of its cost; undefined = it has no stored block. */
  newest(chain: ChainId): Effect.Effect<AsOf | undefined, StoreError>
  /** A page of a list, with the blocks it speaks of. */
  readonly list: ReadList
  readOne<Row extends object>(
    chain: ChainId,
    none: Row,
    columns: (chain: ChainSql) => Fragment,
    parameters?: Readonly<Record<string, string>>,
  ): Effect.Effect<Snapshot<Row>, StoreError>
  /** One scalar of one chain, without the block it speaks of; `none` where there is no row. */
  readScalar<A>(chain: ChainId, none: A, select: (chain: ChainSql) => Fragment): Effect.Effect<A, StoreError>
}

export class AcrossChains extends Context.Service<AcrossChains, Shape>()("cowry/adapters/postgres/AcrossChains") {}

/** Over a hundred chains a statement takes over a thousand locks of the server's table: beyond so many chains, four at a time. */
const manyChains = 16

const make = Effect.gen(function* () {
  const permits = yield* Semaphore.make(4)
  const { database, openedBy } = makeOpened(yield* Database)
  const { sql } = database
  const retryIfDropped: Shape["retryIfDropped"] = (read) =>
    Effect.catch(read, (error) => (isGone(error) ? read : Effect.fail(error)))

  const plans = makeKeptPlans()
  const prepared: Shape["prepared"] = (chains, statement) =>
    chains.length > 1 ? unprepared(statement) : plans.prepared(statement)

  const opened: Shape["opened"] = (chains) => openedBy(database, chains)

  /** The row of columns with the blocks it speaks of, as `run` runs its statement. */
  const readBy = Effect.fnUntraced(function* <Row extends object>(
    by: DatabaseShape["probes"],
    chains: ReadonlyArray<ChainId>,
    none: Row,
    columns: (sql: Sql, chains: readonly [ChainSql, ...Array<ChainSql>]) => Fragment,
    run: (
      readable: ReadonlyArray<ChainSql>,
      statement: (by: Sql | TransactionSql) => Pending<Array<Row & { as_of: Array<StateRow> }>>,
    ) => Effect.Effect<Array<Row & { as_of: Array<StateRow> }>, StoreError>,
  ) {
    const readable = yield* openedBy(by, chains)
    const [first, ...others] = readable
    if (first === undefined) return { asOf: [], value: none }
    const rows = yield* run(readable, (by) =>
      prepared(
        readable,
        by<Array<Row & { as_of: Array<StateRow> }>>`
          select (${selectAsOf(sql, readable)}) as as_of, ${columns(sql, [first, ...others])}`,
      ),
    )
    const { as_of, ...row } = rows[0]!
    return { asOf: asOfPoints(readable, as_of), value: { ...none, ...row } as Row }
  })

  const read: Shape["read"] = (chains, none, columns, parameters) =>
    retryIfDropped(
      readBy(database, chains, none, columns, (readable, statement) =>
        parameters === undefined
          ? throttled(
              readable,
              database.query(() => statement(sql)),
            )
          : database.snapshot(async (transaction, run) => {
              const settings = JSON.stringify(parameters)
              await run(transaction`
                select set_config(name, value, true) from json_each_text(${settings}::text::json) as setting (name, value)`)
              return run(statement(transaction))
            }),
      ),
    )

  const shared = makeShared<StoreError>()
  const probe: Shape["probe"] = (name, chains, none, columns, join = () => none) => {
    const { probes } = database
    const together = (some: ReadonlyArray<ChainId>) =>
      readBy(probes, some, none, columns, (_, made) => probes.query(() => made(probes.sql)))
    const each = Effect.map(
      Effect.forEach(chains, (chain) => together([chain]), { concurrency: "unbounded" }),
      (parts) => ({ asOf: parts.flatMap(({ asOf }) => asOf), value: join(parts.map(({ value }) => value)) }),
    )
    const read = retryIfDropped(database.distributed() && chains.length > 1 ? each : together(chains))
    return name === undefined ? read : shared(`${name} ${chains}`, read)
  }

  const newest: Shape["newest"] = (chain) => {
    const { probes } = database
    return retryIfDropped(
      Effect.flatMap(openedBy(probes, [chain]), ([readable]) =>
        readable === undefined
          ? Effect.undefined
          : Effect.map(
              probes.query(() => prepared([readable], probes.sql<Array<StateRow>>`${selectState(readable)}`)),
              (rows) => asOfPoints([readable], rows)[0],
            ),
      ),
    )
  }

  const readOne: Shape["readOne"] = (chain, none, columns, parameters) =>
    read([chain], none, (_, [only]) => columns(only), parameters)

  const readScalar = <A>(chain: ChainId, none: A, select: (chain: ChainSql) => Fragment) =>
    Effect.map(
      readOne<{ found?: A }>(chain, {}, (only) => only.sql`(${select(only)}) as found`),
      ({ value }) => value.found ?? none,
    )

  const throttled: Shape["throttled"] = (chains, read) =>
    chains.length > manyChains ? permits.withPermits(1)(read) : read

  return AcrossChains.of({
    database,
    opened,
    prepared,
    retryIfDropped,
    throttled,
    read,
    probe,
    newest,
    list: makeReadList({ database, opened, prepared, retryIfDropped }),
    readOne,
    ...makeTogether({ database, plans, opened, retryIfDropped }),
    readScalar,
  })
})

/** One for all stores: they share what is known of the chains, and the permits. */
export const layer = Layer.effect(AcrossChains, make)
