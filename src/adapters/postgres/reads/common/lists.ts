/** A list over chains: of one chain it is one statement; of many, each chain's part of the page, brought together. */
import { Effect } from "effect"
import type { Fragment, Sql } from "postgres"
import type { AsOf } from "../../../../model/block.ts"
import type { StoreError } from "../../../../model/errors.ts"
import type { Snapshot } from "../../../../model/page.ts"
import type { ChainId } from "../../../../model/primitives.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { mostPlans } from "../../database/client.ts"
import type { DatabaseShape } from "../../database/Database.ts"
import { asOfPoints, type StateRow, selectAsOf } from "./asOf.ts"
import { makeKeptPlans } from "./keptPlans.ts"
import { makeAsk, makeKeptTexts } from "./keptTexts.ts"
import { readPoints, selectPoints } from "./points.ts"

export type Chains = readonly [ChainSql, ...Array<ChainSql>]

/** Part of a list: all of its rows are ahead of those of the stages after it, on whichever chain. */
export interface Stage {
  readonly chains: Chains
  /**
   * Scalar: of the page's rows, how many each of these chains has: a JSON object by chain id, without those that have none.
   * Its text is the same wherever the page begins, so that its plan may be kept.
   */
  readonly shares: (sql: Sql, chains: Chains, values: ReadonlyArray<string>) => Fragment
  /** What of it hangs on the page's place, where it is put together once for all pages. */
  readonly values?: ReadonlyArray<string>
  /** All that its statement hangs on but the chains and `values`; absent = the list's question. */
  readonly name?: ReadonlyArray<unknown>
  /** Whether its chains hang on the list's chains alone, and not on the page's place. */
  readonly isSteady?: boolean
}

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
  /** What `rows` gives, as rows, where it is no array of them. */
  readonly rowsOf?: (chain: ChainSql, found: unknown) => Array<Row>
  /** Where the page's rows are looked for: each stage only where those before it have fewer rows than the page. */
  readonly stages: (chains: Chains) => ReadonlyArray<Stage>
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
  const plans = makeKeptPlans(mostPlans.ofLists)
  const statements = makeKeptTexts()

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
    return { asOf: asOfPoints([chain], as_of), value: readBy(parts, chain, value) }
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

  /** On one server: which chains the page is of, by plans that are kept; then the rows of these, in the same snapshot. */
  const ofAll = <Row extends { readonly chain_id: unknown }>(parts: ListParts<Row>, chains: Chains) =>
    database.wide.snapshot(async (transaction, run) => {
      const { question, isKept = true, limit, total } = parts
      const ask = makeAsk({ transaction, run, statements: isKept ? statements : undefined, plans })
      const stages = parts.stages(chains)
      // Where a stage is of all chains, so is the statement that the blocks are read by. Those ahead of it are small.
      const wide = stages.findIndex((stage) => stage.chains.length === chains.length)
      const fused = stages[wide]
      const nameOf = (stage: Stage | undefined) => [
        stage?.name ?? question,
        stage?.chains.map(({ chainId }) => chainId),
      ]
      // Which chains go first may hang on the key: plans of every such choice would be too many.
      const askOnce = makeAsk({ transaction, run, statements: undefined, plans })
      const askStage = async (stage: Stage) => {
        const { values = [], isSteady = false } = stage
        const isKeptStage = isSteady || stage.chains.length === 1 || stage.chains.length === chains.length
        const make = (marks: ReadonlyArray<string>) => sql`select (${stage.shares(sql, stage.chains, marks)}) as shares`
        const [found] = await (isKeptStage ? ask : askOnce)<[{ shares: Shares }]>(
          ["stage", nameOf(stage)],
          stage.chains.length,
          values,
          make,
        )
        return found.shares
      }
      const [[{ points, shares = {}, ...counted }], ...small] = await Promise.all([
        ask<[Counted & { points: string | null; shares?: Shares }]>(
          ["points", nameOf(fused), total && question, chains.map(({ chainId }) => chainId)],
          chains.length,
          fused?.values ?? [],
          (marks) => sql`
            select (${selectPoints(sql, chains)}) as points
              ${fused === undefined ? sql`` : sql`, (${fused.shares(sql, chains, marks)}) as shares`}
              ${total === undefined ? sql`` : sql`, (${total(sql, chains)}) as total`}`,
        ),
        ...stages.slice(0, Math.max(wide, 0)).map(askStage),
      ])
      const all = new Map<string, number>()
      const add = (more: Shares) => {
        for (const [chainId, share] of Object.entries(more)) all.set(chainId, (all.get(chainId) ?? 0) + share)
      }
      for (const more of [shares, ...small]) add(more)
      for (const stage of stages.slice(wide + 1)) if (sum(all) < limit) add(await askStage(stage))
      const found = await Promise.all(
        chains.flatMap((chain) => {
          const share = Math.min(all.get(chain.chainId) ?? 0, limit)
          if (share === 0) return []
          const make = () => sql`select (${parts.rows(chain, share)}) as rows`
          return [
            ask<[ListRead<Row>]>(["rows", question, chain.chainId, share], 1, [], make).then(([value]) =>
              readBy(parts, chain, value),
            ),
          ]
        }),
      )
      const { rows } = merged(parts, found)
      const states = readPoints(points).map(({ state }) => state)
      return { asOf: asOfPoints(chains, states), value: { rows, ...counted } }
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

/** Of rows by chain. */
type Shares = Readonly<Record<string, number>>
type Counted = Pick<ListRead<unknown>, "total">

const sum = (shares: ReadonlyMap<string, number>): number => [...shares.values()].reduce((all, one) => all + one, 0)

/** Statements that one list of a distributed server has under way. */
const mostAtOnce = 8

const readBy = <Row>({ rowsOf }: ListParts<Row>, chain: ChainSql, read: ListRead<Row>): ListRead<Row> =>
  rowsOf === undefined ? read : { ...read, rows: rowsOf(chain, read.rows) }

const merged = <Row>({ compare, limit }: ListParts<Row>, found: ReadonlyArray<ListRead<Row>>): ListRead<Row> => {
  const rows = found
    .flatMap((part) => part.rows)
    .sort(compare)
    .slice(0, limit)
  const totals = found.flatMap(({ total }) => (total === undefined ? [] : [total]))
  return { rows, ...(totals.length > 0 && { total: totals.reduce((sum, total) => sum + total, 0) }) }
}

/** All chains at once. */
export const everywhere =
  (shares: Stage["shares"]): ListParts<unknown>["stages"] =>
  (chains) => [{ chains, shares }]

/** `shares` of rows with a `chain_id`: of the page's rows, how many each chain has. */
export const selectShares = (sql: Sql, page: Fragment): Fragment => sql`
  select coalesce(json_object_agg(share.chain_id, share.number), '{}') from (
    select page.chain_id, count(*) as number from (${page}) page group by page.chain_id) share`
