/** ERC-721 and ERC-1155 set-wise: owners, units, pairs and their histories of some tokens, each by sorting their rows once. */
import type { Fragment, Sql } from "postgres"
import { zeroAddress } from "../../../../model/primitives.ts"
import { bytesOf } from "../../database/client.ts"
import { type Session, transaction } from "../wire/session.ts"
import { loadIdsOf, moveIdsOf } from "./stage.ts"

/**
 * Tokens are taken together up to one of so many shares of all rows: each time reads most pages of the tables, since a
 * token's rows lie all over them. So they are read twice so many times at most, however many tokens there are.
 */
const mostShares = 16
/** Of a part; each counts for as much. */
const statementsOfPart = 9

/**
 * Makes the ids of the next tokens; false = there was none left. `rows`: of tokens that are taken together, where a share is
 * less; a token of more is taken alone. `tell`: rows of which no ids are made yet, about. Whichever session of the load may
 * be asked, beside balances that are folded; not two at a time, but for one whose writer was killed and that ends later.
 */
export const deriveIds = async (session: Session, rows: number, tell: (left: number) => void): Promise<boolean> => {
  const after = await loadIdsOf(session)
  const part = await nextPart(session, after, rows)
  if (part === undefined) {
    tell(0)
    return false
  }
  const { last } = part
  let done = 0
  const run = async (statement: (sql: Sql) => Fragment) => {
    tell(part.left - (part.rows * done++) / statementsOfPart)
    await session.run((sql) => sql`${statement(sql)}`)
  }
  try {
    await transaction(session, async () => {
      for (const setting of ["enable_seqscan = on", "enable_bitmapscan = on", "work_mem = '64MB'"]) {
        await session.run((sql) => sql.unsafe(`set local ${setting}`))
      }
      const range = { from: after + 1, to: last }
      await run((sql) => sql`create temporary table bulk_owner on commit drop as ${ownersOf(sql, range)}`)
      await run(insertIds)
      await run((sql) => sql`create temporary table bulk_unit on commit drop as ${unitsOf(sql, range)}`)
      for (const insert of [insertUnits, insertUnitHistory]) await run(insert)
      await run((sql) => sql`create temporary table bulk_version on commit drop as ${pairVersions(sql)}`)
      for (const insert of [insertPairs, insertPairHistory, insertCounts]) await run(insert)
      if (!(await moveIdsOf(session, after, last))) throw new MadeByAnother()
    })
  } catch (cause) {
    if (cause instanceof MadeByAnother) return true
    throw cause
  }
  tell(part.left - part.rows)
  return true
}

/** The session of a writer that was killed made these ids while this one did. */
class MadeByAnother extends Error {}

interface TokenRange {
  readonly from: number
  readonly to: number
}

/** Tokens whose ids are made together. */
interface Part {
  readonly last: number
  readonly rows: number
  /** With those of the tokens behind them. */
  readonly left: number
}

/** The next tokens that are no ERC-20 and have so many rows together, or a share; undefined = there is none left. */
const nextPart = async (session: Session, after: number, rows: number): Promise<Part | undefined> => {
  const [part] = await session.run(
    (sql) => sql<Array<Part>>`
      with share as (select (erc721_transfers + erc1155_transfers) / ${mostShares} as rows from state),
      token_rows as (
        select c.token_id, sum(c.transfers) over (order by c.token_id) as sum
        from (
          select token_id, sum(transfers) as transfers from bulk_count where token_id > ${after} group by token_id
        ) c
        where exists (select from token t where t.token_id = c.token_id and t.standard <> 20)
      ), part as (
        select coalesce(max(token_id) filter (where sum <= greatest(${rows}, (select rows from share))), min(token_id)) as last
        from token_rows
      )
      select part.last, (select max(sum) from token_rows where token_id <= part.last)::float8 as rows,
        (select max(sum) from token_rows)::float8 as left
      from part where part.last is not null`,
  )
  return part
}

/**
 * Each row of an ERC-721 with the owner before it and after it (none = burnt, or not minted yet), whether it is its id's
 * newest, and the id's newest mint up to it. As everything below, the rows are sorted once, and lie as they were sorted.
 */
const ownersOf = (sql: Sql, { from, to }: TokenRange): Fragment => sql`
  select *, lead(pos) over id is null as newest,
         max(pos) filter (where before is null and after is not null) over id as mint_pos,
         max(time) filter (where before is null and after is not null) over id as mint_time
  from (
    select token_id, nft_id, pos, sub, time, from_addr, nullif(to_addr, ${bytesOf(zeroAddress)}) as after,
           lag(nullif(to_addr, ${bytesOf(zeroAddress)})) over (partition by token_id, nft_id order by pos, sub) as before
    from erc721_transfer where token_id between ${from} and ${to}
  ) owned
  window id as (partition by token_id, nft_id order by pos, sub)`

const insertIds = (sql: Sql) => sql`
  insert into nft (token_id, nft_id, owner, pos, mint_pos, mint_time)
  select token_id, nft_id, after, pos, mint_pos, mint_time from bulk_owner where newest`

/**
 * Each half of a row of an ERC-1155 (who loses, then who gains) with its unit's number, the balance of that after it and
 * before it, and the block of the unit's next half.
 */
const unitsOf = (sql: Sql, { from, to }: TokenRange): Fragment => sql`
  select *, sum(first) over (
           partition by token_id order by holder, nft_id, pos, sub, half rows unbounded preceding
         )::int4 as unit_no
  from (
    select token_id, nft_id, holder, pos, sub, half, (pos >> 24)::int4 as block_number,
           sum(change) over unit as balance, sum(change) over unit - change as old_balance,
           case when lag(pos) over unit is null then 1 else 0 end as first,
           (lead(pos) over unit >> 24)::int4 as next_block
    from (
      select token_id, nft_id, from_addr as holder, pos, sub, 0 as half, -amount as change from erc1155_transfer
      where token_id between ${from} and ${to} and from_addr <> ${bytesOf(zeroAddress)}
      union all
      select token_id, nft_id, to_addr, pos, sub, 1, amount from erc1155_transfer
      where token_id between ${from} and ${to}
        and (from_addr = ${bytesOf(zeroAddress)} or to_addr <> ${bytesOf(zeroAddress)})
    ) half
    window unit as (partition by token_id, holder, nft_id order by pos, sub, half)
  ) unit`

const insertUnits = (sql: Sql) => sql`
  insert into unit_balance (token_id, unit_no, block_number, nft_id, holder, balance)
  select token_id, unit_no, block_number, nft_id, holder, balance from bulk_unit where next_block is null`

/** Of each unit and block the last. */
const insertUnitHistory = (sql: Sql) => sql`
  insert into unit_balance_history (token_id, unit_no, block_number, balance)
  select token_id, unit_no, block_number, balance from bulk_unit where next_block <> block_number`

/** What counts as held: a balance below zero is nothing. */
const held = (sql: Sql, change: "balance" | "old_balance"): Fragment => sql`greatest(${sql(change)}, 0)`

/**
 * Each pair and block with the balance after it. ERC-721: the owner before loses, the owner after gains, and the log's own
 * sender is touched. ERC-1155: an address has the sum of what it holds; what its row does not move to another address is
 * the mint account's. Accounts that are no addresses are shorter, so they come first, and are not counted.
 */
const pairVersions = (sql: Sql): Fragment => sql`
  select token_id, holder, block_number, balance, next_block is null as newest,
         case length(holder) when 20 then addresses + 1 else length(holder) end as holder_no
  from (
    select *, sum(first) over (partition by token_id order by holder, block_number rows unbounded preceding)::int4 as addresses
    from (
      select token_id, holder, block_number, sum(change) over pair as balance,
             case when lag(block_number) over pair is null and length(holder) = 20 then 1 else 0 end as first,
             lead(block_number) over pair as next_block
      from (
        select token_id, coalesce(before, '\\x'::bytea) as holder, (pos >> 24)::int4 as block_number, -1::numeric as change
        from bulk_owner where before is not null or after is not null
        union all
        select token_id, coalesce(after, '\\x00'::bytea), (pos >> 24)::int4, 1
        from bulk_owner where before is not null or after is not null
        union all
        select token_id, from_addr, (pos >> 24)::int4, 0 from bulk_owner
        where from_addr <> ${bytesOf(zeroAddress)} and from_addr is distinct from before
        union all
        select token_id, holder, block_number, ${held(sql, "balance")} - ${held(sql, "old_balance")} from bulk_unit
        union all
        select token_id, '\\x'::bytea, block_number, sum(${held(sql, "old_balance")} - ${held(sql, "balance")})
        from bulk_unit group by token_id, pos, sub, block_number
        having count(*) = 1 or sum(${held(sql, "old_balance")} - ${held(sql, "balance")}) <> 0
      ) side
      window pair as (partition by token_id, holder order by block_number)
    ) side
  ) version
  where next_block is distinct from block_number`

const insertPairs = (sql: Sql) => sql`
  insert into balance (token_id, holder_no, block_number, holder, balance)
  select token_id, holder_no, block_number, holder, balance from bulk_version where newest`

const insertPairHistory = (sql: Sql) => sql`
  insert into balance_history (token_id, holder_no, block_number, balance)
  select token_id, holder_no, block_number, balance from bulk_version where not newest`

const insertCounts = (sql: Sql) => sql`
  insert into bulk_count (token_id, transfers, holders, ids, holder_seq, unit_seq)
  select token_id, 0, count(*) filter (where length(holder) = 20 and balance > 0), 0, greatest(max(holder_no), 1), 0
  from bulk_version where newest group by token_id
  union all
  select token_id, 0, 0, count(after), 1, 0 from bulk_owner where newest group by token_id
  union all
  select token_id, 0, 0, count(*) filter (where balance > 0), 1, max(unit_no)
  from bulk_unit where next_block is null group by token_id`
