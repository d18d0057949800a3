/** Reads of one chain that many ask for at once: their statements are put together once, and those that wait are one. */
import { Effect, Exit } from "effect"
import type { Fragment } from "postgres"
import type { StoreError } from "../../../../model/errors.ts"
import type { Snapshot } from "../../../../model/page.ts"
import type { ChainId } from "../../../../model/primitives.ts"
import { ReadFor } from "../../../../ports/ReadFor.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { withoutNulls } from "../../database/client.ts"
import type { DatabaseShape, Pending } from "../../database/Database.ts"
import { asOfPoints, type StateRow } from "./asOf.ts"
import { type Joined, makeJoined } from "./joined.ts"
import type { KeptPlans } from "./keptPlans.ts"
import { makeKeptStatements, type SelectColumns } from "./keptStatements.ts"
import { fewLimits, type JoinedValue, joinedLimits, selectJoined, selectJoinedRows, textsOf } from "./selectJoined.ts"

export interface Together {
  /** Columns of one chain with the block they speak of, by a statement that is put together once under its name: only the texts differ. */
  readonly readKept: <Row extends object>(
    chain: ChainId,
    name: string,
    none: Row,
    texts: ReadonlyArray<string>,
    columns: SelectColumns,
  ) => Effect.Effect<Snapshot<Row>, StoreError>
  /**
   * A question that many may ask at once. Those that wait together are one statement, of one snapshot and one as-of. `kind`
   * names all that the statement hangs on but `values`; `select` gives one row of them.
   */
  readonly readJoined: <Row extends object>(
    chain: ChainId,
    kind: string,
    none: Row,
    values: ReadonlyArray<JoinedValue>,
    select: (chain: ChainSql, values: ReadonlyArray<Fragment>) => Fragment,
  ) => Effect.Effect<Snapshot<Row>, StoreError>
  /** The same for long answers: fewer are one statement, and short ones do not wait for them. */
  readonly readFew: Together["readJoined"]
  /** The same where nobody can tell how long one takes: neither short ones nor long pages wait for them. */
  readonly readUnforetold: Together["readJoined"]
  /** The same for one that others would wait too long for: by itself, at once. Of the same `kind` it is the same statement. */
  readonly readAlone: Together["readJoined"]
  /** Questions that wait together, as whoever asks them puts them together. */
  readonly together: Joined<StoreError>["ask"]
  /** The same of long answers: no short one waits behind them. */
  readonly togetherFew: Joined<StoreError>["ask"]
}

/** What is needed of `AcrossChains`. */
interface Across {
  readonly database: DatabaseShape
  readonly plans: KeptPlans
  readonly opened: (chains: ReadonlyArray<ChainId>) => Effect.Effect<ReadonlyArray<ChainSql>, StoreError>
  readonly retryIfDropped: <A>(read: Effect.Effect<A, StoreError>) => Effect.Effect<A, StoreError>
}

interface Found {
  readonly as_of: Array<StateRow>
}

export const makeTogether = ({ database, plans, opened, retryIfDropped }: Across): Together => {
  const statement = makeKeptStatements(plans)
  /** Rows of a kept statement, without the block that they speak of; none of a chain that was never opened. */
  const readKeptRows = <Row extends object>(
    chain: ChainId,
    name: string,
    texts: ReadonlyArray<string>,
    columns: SelectColumns,
  ) =>
    retryIfDropped(
      Effect.flatMap(opened([chain]), ([only]): Effect.Effect<Snapshot<ReadonlyArray<Row>>, StoreError> => {
        if (only === undefined) return Effect.succeed({ asOf: [], value: [] })
        const make = () => statement(database.sql, only, name, texts, columns) as Pending<unknown>
        return Effect.map(database.query(make as () => Pending<Array<Row & Found>>), (rows) => ({
          asOf: asOfPoints([only], rows[0]?.as_of ?? []),
          value: rows.map(({ as_of: _, ...row }) => row as unknown as Row),
        }))
      }),
    )
  const readKept: Together["readKept"] = <Row extends object>(
    chain: ChainId,
    name: string,
    none: Row,
    texts: ReadonlyArray<string>,
    columns: SelectColumns,
  ) =>
    Effect.map(readKeptRows<Row>(chain, name, texts, columns), ({ asOf, value: [row] }) => ({
      asOf,
      value: { ...none, ...row },
    }))

  const { servers } = database
  /** Who asks one server is asked together with those who ask the same one. */
  const togetherIn =
    (joined: Joined<StoreError>): Together["together"] =>
    (kind, question, ask) =>
      Effect.withFiber((fiber) => {
        const { caller } = fiber.getRef(ReadFor)
        const at = (place: number | undefined) =>
          place === undefined
            ? joined.ask(kind, question, ask, caller)
            : joined.ask(`${place} ${kind}`, question, (questions) => servers.on(place, ask(questions)), caller)
        const { chosen } = servers
        return Exit.isExit(chosen) && Exit.isSuccess(chosen)
          ? at(chosen.value as number | undefined)
          : Effect.flatMap(chosen, at)
      })
  const together = togetherIn(makeJoined(joinedLimits))
  const togetherFew = togetherIn(makeJoined(fewLimits))
  const togetherUnforetold = togetherIn(makeJoined(fewLimits))

  type Select = (chain: ChainSql, values: ReadonlyArray<Fragment>) => Fragment
  type Values = readonly [ReadonlyArray<JoinedValue>, ...Array<ReadonlyArray<JoinedValue>>]
  /** One statement of all questions. */
  const readAll = <Row extends object>(
    chain: ChainId,
    kind: string,
    none: Row,
    questions: Values,
    select: Select,
  ): Effect.Effect<ReadonlyArray<Snapshot<Row>>, StoreError> =>
    Effect.map(
      readKept<{ rows: ReadonlyArray<Row> }>(chain, kind, { rows: [] }, textsOf(questions), (only, texts) =>
        selectJoined(only, questions[0], texts, select),
      ),
      ({ asOf, value: { rows } }) =>
        questions.map((_, index) => ({ asOf, value: { ...none, ...withoutNulls(rows[index] ?? {}) } })),
    )

  /** The same, each answer a row of its own: of a long text JSON would take a look at every character, here and there. */
  const readRows = <Row extends object>(
    chain: ChainId,
    kind: string,
    none: Row,
    questions: Values,
    select: Select,
  ): Effect.Effect<ReadonlyArray<Snapshot<Row>>, StoreError> =>
    Effect.map(
      readKeptRows<Row & { readonly place: number }>(chain, `${kind} rows`, textsOf(questions), (only, texts) =>
        selectJoinedRows(only, questions[0], texts, select),
      ),
      ({ asOf, value: rows }) => {
        const values = questions.map(() => none)
        for (const { place, ...row } of rows) values[place - 1] = { ...none, ...row }
        return values.map((value) => ({ asOf, value }))
      },
    )

  const readIn =
    (ask: Together["together"], read: typeof readAll): Together["readJoined"] =>
    (chain, kind, none, values, select) =>
      ask(`${chain} ${kind}`, values, (questions) => read(chain, kind, none, questions as unknown as Values, select))

  return {
    readKept,
    together,
    togetherFew,
    readAlone: (chain, kind, none, values, select) =>
      Effect.map(readAll(chain, kind, none, [values], select), ([only]) => only!),
    readJoined: readIn(together, readAll),
    readFew: readIn(togetherFew, readRows),
    readUnforetold: readIn(togetherUnforetold, readAll),
  }
}
