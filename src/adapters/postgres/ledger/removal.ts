/** The rollback's one statement: rows go, and balances, units, owners and counters become what they were before them. */
import type { Fragment, Sql } from "postgres"
import type { Standard } from "../../../model/token.ts"
import { numberArray } from "../database/arrays.ts"
import { restoredIds, restoredPairs, restoredUnits } from "./restoration.ts"
import type { Edges } from "./state/windows.ts"
import type { Session } from "./wire/session.ts"

/** Of each standard, how many. */
export interface Removed {
  readonly tokens: Readonly<Record<Standard, number>>
  readonly transfers: Readonly<Record<Standard, number>>
  /** `token_id` of those. */
  readonly unborn: ReadonlyArray<number>
}

/**
 * Removes block `fromBlock` and all above it. The rolling counts lose the removed rows that were in the windows, which
 * began at `edges`. Every join goes by a table's key: the cost is that of the removed rows.
 */
export const removeBlocks = async (session: Session, edges: Edges, fromBlock: number): Promise<Removed> => {
  const [removed] = await session.run(
    (sql) => sql<[Removed]>`
      with first as materialized (
        select ${fromBlock}::int4 as block, ${fromBlock}::int8 << 24 as pos
      ),
      ${removedRows(sql, edges)},
      ${restoredIds(sql)},
      ${restoredUnits(sql)},
      ${restoredPairs(sql)},
      ${counters(sql)},
      ${headersAndMore(sql)}
      select
        json_build_object('erc20', count(*) filter (where standard = 20), 'erc721', count(*) filter (where standard = 721),
                          'erc1155', count(*) filter (where standard = 1155)) as tokens,
        json_build_object('erc20', (select count(*) from erc20), 'erc721', (select count(*) from erc721),
                          'erc1155', (select count(*) from erc1155)) as transfers,
        coalesce(json_agg(token_id), '[]') as unborn
      from unborn`,
  )
  return removed
}

/**
 * What was compared of tokens that are gone. A statement of its own: whoever recorded one had the token locked, so the
 * removal waited for it, and this one sees the record.
 */
export const removeAudits = async (session: Session, tokens: ReadonlyArray<number>): Promise<void> => {
  if (tokens.length === 0) return
  await session.run((sql) => sql`select state from audit_count order by state for update`)
  await session.run(
    (sql) => sql`
      with gone as (
        delete from token_audit where token_id = any(${numberArray(tokens)}::text::int4[]) returning state
      )
      update audit_count c set tokens = c.tokens - g.number
      from (select state, count(*) as number from gone group by state) g where c.state = g.state`,
  )
}

/** Tables of the removed rows: `erc20`, `erc721`, `erc1155`, all three as `gone`, `unwrapped`, and `moved`: how many of each token. */
const removedRows = (sql: Sql, edges: Edges): Fragment => sql`
  erc20 as (
    delete from erc20_transfer where pos >= (select pos from first) returning pos, token_id, from_addr, to_addr
  ), erc721 as (
    delete from erc721_transfer where pos >= (select pos from first)
    returning pos, token_id, nft_id, from_addr, to_addr
  ), erc1155 as (
    delete from erc1155_transfer where pos >= (select pos from first)
    returning pos, token_id, nft_id, from_addr, to_addr
  ), gone as materialized (
    select pos, token_id, from_addr, to_addr from erc20
    union all select pos, token_id, from_addr, to_addr from erc721
    union all select pos, token_id, from_addr, to_addr from erc1155
  ), unwrapped as (
    delete from wrap where pos >= (select pos from first) returning token_id, holder
  ), moved as materialized (
    select token_id, count(*)::int4 as transfers,
           (count(*) filter (where pos >= ${edges[0]}::int8 << 24))::int4 as last_24h,
           (count(*) filter (where pos >= ${edges[1]}::int8 << 24))::int4 as last_48h,
           (count(*) filter (where pos >= ${edges[2]}::int8 << 24))::int4 as last_72h
    from gone group by token_id
    union all
    select token_id, 0, 0, 0, 0
    from (select distinct token_id from unwrapped except select token_id from gone) only_wrapped
  )`

/** Takes tokens away whose first event is removed, and sets the counters of the others. */
const counters = (sql: Sql): Fragment => sql`
  unborn as (
    delete from token t using moved m
    where t.token_id = m.token_id and t.first_pos >= (select pos from first)
    returning t.token_id, t.standard
  ), unborn_stat as (
    delete from token_stat s using unborn u where s.token_id = u.token_id
  ), change as materialized (
    -- one list, not several joined: every join of this statement goes by a table's key
    select token_id, sum(transfers)::int4 as transfers, sum(holders)::int4 as holders, sum(ids)::int4 as ids,
           sum(last_24h)::int4 as last_24h, sum(last_48h)::int4 as last_48h, sum(last_72h)::int4 as last_72h
    from (
      select token_id, -transfers as transfers, 0 as holders, 0 as ids,
             -last_24h as last_24h, -last_48h as last_48h, -last_72h as last_72h from moved
      union all
      select token_id, 0, (coalesce(old_balance, 0) > 0)::int4 - (balance > 0)::int4, 0, 0, 0, 0
      from pair where length(holder) = 20
      union all
      select token_id, 0, 0, (old_owner is not null)::int4 - (owner is not null)::int4, 0, 0, 0 from id
      union all
      select token_id, 0, 0, (coalesce(old_balance, 0) > 0)::int4 - (balance > 0)::int4, 0, 0, 0 from unit
    ) part group by token_id
  ), counted as (
    update token_stat s set
      transfers = s.transfers + c.transfers, holders = s.holders + c.holders, ids = s.ids + c.ids,
      last_24h = s.last_24h + c.last_24h, last_48h = s.last_48h + c.last_48h, last_72h = s.last_72h + c.last_72h
    from change c
    where s.token_id = c.token_id
      and exists (select from token t where t.token_id = c.token_id and t.first_pos < (select pos from first))
  )`

/** What has no say in balances. */
const headersAndMore = (sql: Sql): Fragment => sql`
  no_headers as (
    delete from block where number >= (select block from first)
  ), no_clock as (
    delete from clock where block >= (select block from first)
  ), no_approvals as (
    delete from approval where pos >= (select pos from first)
  ), no_odd_logs as (
    delete from odd_log where pos >= (select pos from first)
  )`
