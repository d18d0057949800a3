/** What a window's blocks hold of accounts: how many rows of those that are counted, and where their marks lie; who else there is. */
import type { Fragment } from "postgres"
import { type Address, zeroAddress } from "../../../../../model/primitives.ts"
import type { MarkWindow } from "../../../../../ports/AccountMarks.ts"
import { standardNumbers } from "../../../database/chainSql.ts"
import type { TransferFeed } from "../../feed/feed.ts"
import { selectPositionKey } from "../../feed/positionKey.ts"

/**
 * Server settings of a statement that reads all rows of a window: accounts are looked up in a table of their own, not one by
 * one, and the plan is made for this window.
 */
export const countingParameters = {
  plan_cache_mode: "force_custom_plan",
  enable_seqscan: "on",
  enable_nestloop: "off",
  enable_mergejoin: "off",
  work_mem: "64MB",
}

/** Conditions on `t`. */
const within = ({ sql }: TransferFeed, { from, to }: Pick<MarkWindow, "from" | "to">): Fragment => sql`
  t.pos >= ${from}::int8 << 24 and t.pos < ${to}::int8 << 24`

export interface CountedRows {
  readonly account: Address
  readonly rows: number
  /** Those among them that are marks: number of the mark, position key. */
  readonly marks: ReadonlyArray<readonly [number, string]>
}

/**
 * A scalar: JSON array of `CountedRows`. A row from an account to itself is one row. Only the keys of an account that has a
 * mark in the window are put in order.
 */
export const selectCounted = (feed: TransferFeed, window: MarkWindow, stride: number): Fragment => {
  const { sql, chain, kind, rows } = feed
  const standard = sql`${standardNumbers[kind]}::int2`
  const every = sql`${stride}::int8`
  return sql`
    with counted as materialized (
      select a.account, a.rows, (row_number() over ())::int4 as id
      from ${chain.markedAccount} a where a.standard = ${standard}),
    met as materialized (
      select ${selectPositionKey(feed, "t")} as key, sender.id as sender, receiver.id as receiver
      from ${rows} t
      left join counted sender on sender.account = t.from_addr
      left join counted receiver on receiver.account = t.to_addr and t.to_addr <> t.from_addr
      where ${within(feed, window)} and (sender.id is not null or receiver.id is not null)),
    held as materialized (
      select side.id, array_agg(side.key) as keys from (
        select met.sender as id, met.key from met where met.sender is not null
        union all select met.receiver, met.key from met where met.receiver is not null) side
      group by side.id)
    select coalesce(json_agg(json_build_object('account', '0x' || encode(a.account, 'hex'), 'rows', cardinality(h.keys),
      'marks', case when (a.rows + ${every} - 1) / ${every} * ${every} < a.rows + cardinality(h.keys) then (
        select json_agg(json_build_array((a.rows + r.number) / ${every}, r.key::text))
        from (select k.key, row_number() over (order by k.key) - 1 as number from unnest(h.keys) as k (key)) r
        where (a.rows + r.number) % ${every} = 0) else '[]' end)), '[]')
    from held h join counted a on a.id = h.id`
}

/** A scalar: JSON object of `rows`, how many there are, and `accounts`, those that are not counted, each with its rows. */
export const selectSample = (feed: TransferFeed, window: Pick<MarkWindow, "from" | "to">, most: number): Fragment => {
  const { sql, chain, kind, rows } = feed
  const standard = sql`${standardNumbers[kind]}::int2`
  const zero = sql`${zeroAddress}::bytea`
  return sql`
    with met as materialized (select t.from_addr, t.to_addr from ${rows} t where ${within(feed, window)}),
    seen as (
      select side.account, count(*) as rows from (
        select from_addr as account from met union all select to_addr from met where to_addr <> from_addr) side
      where side.account <> ${zero} group by side.account),
    unknown as (
      select s.account, s.rows from seen s
      left join ${chain.markedAccount} a on a.account = s.account and a.standard = ${standard}
      where a.account is null order by s.rows desc, s.account limit ${most})
    select json_build_object('rows', (select count(*) from met), 'accounts', (
      select coalesce(json_agg(json_build_object('address', '0x' || encode(u.account, 'hex'), 'rows', u.rows)), '[]')
      from unknown u))`
}
