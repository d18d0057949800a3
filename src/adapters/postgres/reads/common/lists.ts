/** A list over chains: of one chain it is one statement; of many, each chain's part of the page, brought together. */
import { Effect } from "effect"
import type { Fragment, Sql } from "postgres"
import type { AsOf } from "../../../../model/block.ts"
import type { StoreError } from "../../../../model/errors.ts"
import type { Snapshot } from "../../../../model/page.ts"
import type { ChainId } from "../../../../model/primitives.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import type { DatabaseShape } from "../../database/Database.ts"
import { asOfPoints, type StateRow, selectAsOf } from "./asOf.ts"
import { makeKeptPlans, mostKeptParts, unprepared } from "./keptPlans.ts"
import { makeRecent } from "./recent.ts"
import { type Rendered, rendered } from "./rendered.ts"

type Chains = readonly [ChainSql, ...Array<ChainSql>]

/** What a list is made of. */
export interface ListParts<Row> {
  /** All that the statements are made of, but for the chains: equal ones make equal statements. */
  readonly question: ReadonlyArray<unknown>
  /** Whether statements over many chains are kept as texts and with their plans; default yes. Each that callers type is its own. */
  readonly isKept?: boolean
  /** Rows of a page. */
  readonly limit: number
  /** Scalar: one chain's first rows in the order read, at most `limit`, as a JSON array. */
  readonly rows: (chain: ChainSql, limit: number) => Fragment
  /**
   * Scalar: of the page's rows, how many each chain has: a JSON object by chain id, without those that have none. Its text
   * is the same wherever the page begins, so that its plan may be kept.
   */
  readonly shares: (sql: Sql, chains: Chains) => Fragment
  /** Scalar over these chains, which adds up; absent = nobody asks for it. */
  readonly total: ((sql: Sql, chains: Chains) => Fragment) | undefined
  /** The order read, of rows of different chains. */
  readonly compare: (a: Row, b: Row) => number
}

export interface ListRead<Row> {
  readonly rows: Array<Row>
  readonly total?: number
}

export type ReadList = <Row extends { readonly chain_id: unknown }>(
  chains: ReadonlyArray<ChainId>,
  parts: ListParts<Row>,
) => Effect.Effect<Snapshot<ListRead<Row>>, StoreError>

/** What is needed of `AcrossChains`. */
interface Across {
  readonly database: DatabaseShape
  readonly opened: (chains: ReadonlyArray<ChainId>) => Effect.Effect<ReadonlyArray<ChainSql>, StoreError>
  readonly prepared: <S extends object>(chains: ReadonlyArray<ChainSql>, statement: S) => S
  readonly retryIfDropped: <A>(read: Effect.Effect<A, StoreError>) => Effect.Effect<A, StoreError>
}

type Found<Row> = ListRead<Row> & { readonly as_of: Array<StateRow> }

export const makeReadList = ({ database, opened, prepared, retryIfDropped }: Across): ReadList => {
  const { sql } = database
  const plans = makeKeptPlans(mostKeptParts)
  const statements = makeRecent<Rendered>(mostRendered)

  /** Rows, total and as-of of one chain, in one statement. */
  const whole = <Row>({ rows, limit, total }: ListParts<Row>, chain: ChainSql) =>
    prepared(
      [chain],
      sql<Array<Found<Row>>>`
        select (${selectAsOf(sql, [chain])}) as as_of, (${rows(chain, limit)}) as rows
          ${total === undefined ? sql`` : sql`, (${total(sql, [chain])}) as total`}`,
    )

  const ofOne = Effect.fnUntraced(function* <Row>(parts: ListParts<Row>, chain: ChainSql) {
    const [found] = yield* database.query(() => whole(parts, chain))
    const { as_of, ...value } = found!
    return { asOf: asOfPoints([chain], as_of), value }
  })

  /** On a distributed server: each chain speaks of its own block, whichever server it lies on. */
  const ofEach = Effect.fnUntraced(function* <Row>(parts: ListParts<Row>, chains: Chains) {
    const found = yield* Effect.forEach(chains, (chain) => ofOne(parts, chain), { concurrency: mostAtOnce })
    return {
      asOf: found.flatMap(({ asOf }): ReadonlyArray<AsOf> => asOf),
      value: merged(
        parts,
        found.map(({ value }) => value),
      ),
    }
  })

  /** On one server: which chains the page is of, by a plan that is kept; then the rows of these, in the same snapshot. */
  const ofAll = <Row extends { readonly chain_id: unknown }>(parts: ListParts<Row>, chains: Chains) =>
    database.wide.snapshot(async (transaction, run) => {
      const { question, isKept = true, shares: selectShares, total } = parts
      const name = JSON.stringify([question, total !== undefined, chains.map(({ chainId }) => chainId)])
      const put = () =>
        rendered(sql`
          select (${selectAsOf(sql, chains)}) as as_of, (${selectShares(sql, chains)}) as shares
            ${total === undefined ? sql`` : sql`, (${total(sql, chains)}) as total`}`)
      const { text, values } = isKept ? statements(name, put) : put()
      const prepare = isKept && plans.keeps(text, chains.length)
      const [{ as_of, shares, ...counted }] = (await run(
        transaction.unsafe(text, values as Array<string>, { prepare }),
      )) as unknown as [Omit<Found<Row>, "rows"> & { shares: Readonly<Record<string, number>> }]
      const found = await Promise.all(
        chains.flatMap((chain) => {
          const share = shares[chain.chainId] ?? 0
          if (share === 0) return []
          const statement = transaction<[ListRead<Row>]>`select (${parts.rows(chain, share)}) as rows`
          return [run(isKept ? plans.prepared(statement) : unprepared(statement)).then(([value]) => value)]
        }),
      )
      const { rows } = merged(parts, found)
      return { asOf: asOfPoints(chains, as_of), value: { rows, ...counted } }
    })

  return (chains, parts) =>
    retryIfDropped(
      Effect.gen(function* () {
        const [first, ...others] = yield* opened(chains)
        if (first === undefined) return { asOf: [], value: { rows: [] } }
        if (others.length === 0) return yield* ofOne(parts, first)
        return yield* database.distributed() ? ofEach(parts, [first, ...others]) : ofAll(parts, [first, ...others])
      }),
    )
}

/** Statements over many chains that are kept as texts: putting one together takes longer than running it. */
const mostRendered = 50

/** Statements that one list of a distributed server has under way. */
const mostAtOnce = 8

const merged = <Row>({ compare, limit }: ListParts<Row>, found: ReadonlyArray<ListRead<Row>>): ListRead<Row> => {
  const rows = found
    .flatMap((part) => part.rows)
    .sort(compare)
    .slice(0, limit)
  const totals = found.flatMap(({ total }) => (total === undefined ? [] : [total]))
  return { rows, ...(totals.length > 0 && { total: totals.reduce((sum, total) => sum + total, 0) }) }
}

/** `shares` of rows with a `chain_id`: of the page's rows, how many each chain has. */
export const selectShares = (sql: Sql, page: Fragment): Fragment => sql`
  select coalesce(json_object_agg(share.chain_id, share.number), '{}') from (
    select page.chain_id, count(*) as number from (${page}) page group by page.chain_id) share`
