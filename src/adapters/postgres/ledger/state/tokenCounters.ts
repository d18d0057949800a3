/** The counters of tokens: transfers, holders and ids in all, transfers of the last 24, 48 and 72 hours. */
import type { Fragment, Sql } from "postgres"
import { numberArray } from "../../database/arrays.ts"
import type { Token } from "../ids/tokens.ts"
import type { Session } from "../wire/session.ts"
import type { Passage } from "./windows.ts"

/** How many rows of a token passed the edge of each window: entered it, or, below zero, left it. */
export interface Passed {
  readonly token_id: number
  readonly last_24h: number
  readonly last_48h: number
  readonly last_72h: number
}

/** Counts what passes an edge, token by token, over whichever session. */
export const countPassed = async (
  session: Session,
  passages: ReadonlyArray<Passage>,
): Promise<ReadonlyArray<Passed>> => {
  const passing = passages.filter(({ from, to }) => from < to)
  if (passing.length === 0) return []
  return session.run(
    (sql) => sql<Array<Passed>>`
      with passed as (${allPassed(sql, [], passing)})
      select token_id, sum(last_24h)::int4 as last_24h, sum(last_48h)::int4 as last_48h, sum(last_72h)::int4 as last_72h
      from passed group by token_id`,
  )
}

/**
 * One update of the counters of every token that the append touched or whose rows passed an edge. All rows of the append
 * enter the windows that `whole` names; `passages` are the others, but for those that are counted in `passed`. It costs
 * what it counts, never a window's length.
 */
export const storeCounters = async (
  session: Session,
  touched: ReadonlyArray<Token>,
  whole: readonly [boolean, boolean, boolean],
  passages: ReadonlyArray<Passage>,
  passed: ReadonlyArray<Passed> = [],
): Promise<void> => {
  const passing = passages.filter(({ from, to }) => from < to)
  if (touched.length === 0 && passing.length === 0 && passed.length === 0) return
  const of = (value: (token: Token) => number) => numberArray(touched.map(value))
  const entered = (window: 0 | 1 | 2) => (whole[window] ? 1 : 0)
  await session.run(
    (sql) => sql`
      with passed as (${allPassed(sql, passed, passing)}), part as (
        select d.token_id, d.transfers, d.holders, d.ids, d.holder_seq, d.unit_seq,
               d.transfers * ${entered(0)}::int4 as last_24h, d.transfers * ${entered(1)}::int4 as last_48h,
               d.transfers * ${entered(2)}::int4 as last_72h
        from unnest(${of(({ id }) => id)}::text::int4[], ${of(({ transfers }) => transfers)}::text::int4[],
                    ${of(({ holders }) => holders)}::text::int4[], ${of(({ ids }) => ids)}::text::int4[],
                    ${of(({ holderSeq }) => holderSeq)}::text::int4[], ${of(({ unitSeq }) => unitSeq)}::text::int4[])
          as d (token_id, transfers, holders, ids, holder_seq, unit_seq)
        union all
        select token_id, 0, 0, 0, 0, 0, last_24h, last_48h, last_72h from passed
      ), change as (
        select token_id, sum(transfers)::int4 as transfers, sum(holders)::int4 as holders, sum(ids)::int4 as ids,
               max(holder_seq) as holder_seq, max(unit_seq) as unit_seq,
               sum(last_24h)::int4 as last_24h, sum(last_48h)::int4 as last_48h, sum(last_72h)::int4 as last_72h
        from part group by token_id
      )
      update token_stat s set
        transfers = s.transfers + c.transfers, holders = s.holders + c.holders, ids = s.ids + c.ids,
        holder_seq = greatest(s.holder_seq, c.holder_seq), unit_seq = greatest(s.unit_seq, c.unit_seq),
        last_24h = s.last_24h + c.last_24h, last_48h = s.last_48h + c.last_48h, last_72h = s.last_72h + c.last_72h
      from change c where s.token_id = c.token_id`,
  )
}

/** What was counted of it, and what these passages count. */
const allPassed = (sql: Sql, counted: ReadonlyArray<Passed>, passing: ReadonlyArray<Passage>): Fragment => {
  const of = (value: (passed: Passed) => number) => numberArray(counted.map(value))
  return sql`
    select * from unnest(${of((it) => it.token_id)}::text::int4[], ${of((it) => it.last_24h)}::text::int4[],
                         ${of((it) => it.last_48h)}::text::int4[], ${of((it) => it.last_72h)}::text::int4[])
      as counted (token_id, last_24h, last_48h, last_72h)
    ${passing.length === 0 ? sql`` : passing.map((passage) => countsOf(sql, passage))}`
}

/**
 * Rows of each token in the passage's blocks. Its bounds are values that the planner knows, and the order is that of `pos`:
 * otherwise it takes the index by token, and looks into it once for every token that there is.
 */
const countsOf = (sql: Sql, { from, to, by }: Passage): Fragment => {
  const rowsOf = (table: Fragment) => sql`
    select t.token_id, count(*)::int4 as rows from (
      select t.token_id from ${table} t
      where t.pos >= ${from}::int8 << 24 and t.pos < ${to}::int8 << 24 order by t.pos offset 0
    ) t group by t.token_id`
  return sql`
    union all
    select r.token_id, r.rows * ${by[0]}::int4, r.rows * ${by[1]}::int4, r.rows * ${by[2]}::int4
    from (
      ${rowsOf(sql`erc20_transfer`)} union all ${rowsOf(sql`erc721_transfer`)} union all ${rowsOf(sql`erc1155_transfer`)}
    ) r`
}
