/** Versions of balances under later changes: what was missed goes into a balance's history, and all that came after it moves by as much. */
import { byteaArray, numberArray } from "../../database/arrays.ts"
import type { Session } from "../wire/session.ts"

/** A pair, or an ERC-1155 unit: its number here is its place in its list, from 1. */
export interface HealedPair {
  readonly tokenId: number
  /** Hex without 0x: an address, or a reserved account. */
  readonly holder: string
}
export interface HealedUnit extends HealedPair {
  readonly nftId: bigint
  /** Its holder's pair, and the token's mint account's: places in the list of pairs, from 1. */
  readonly pair: number
  readonly mint: number
}

/** By so much a balance changes more in a block than it was known to; 0 where it is only touched. */
export interface Change {
  readonly place: number
  readonly block: number
  readonly by: bigint
}

/** `healed_…` what is healed, `…_change` by what, `…_version` what comes of it. */
export const createTables = (session: Session): Promise<unknown> =>
  session.run((sql) =>
    sql.unsafe(`
      create temporary table pair_change (place int4, block_number int4, change numeric) on commit drop;
      create index on pair_change (place);
      create temporary table unit_change (place int4, block_number int4, change numeric) on commit drop;
      create index on unit_change (place);
      create temporary table healed_pair (place int4 primary key, token_id int4, holder bytea, no int4, newest int4,
        balance numeric, from_block int4) on commit drop;
      create temporary table healed_unit (place int4 primary key, token_id int4, holder bytea, nft_id numeric, no int4,
        newest int4, balance numeric, from_block int4, pair int4, mint int4) on commit drop;
      create temporary table pair_version (place int4, token_id int4, no int4, block_number int4, known numeric,
        balance numeric, is_newest boolean) on commit drop;
      create index on pair_version (place, block_number);
      create temporary table unit_version (place int4, token_id int4, no int4, block_number int4, known numeric,
        balance numeric, is_newest boolean) on commit drop;
      create index on unit_version (place)`),
  )

export const addChanges = async (
  session: Session,
  of: "pair" | "unit",
  changes: ReadonlyArray<Change>,
): Promise<void> => {
  await session.run(
    (sql) => sql`
      insert into ${sql(`${of}_change`)} (place, block_number, change)
      select * from unnest(${numberArray(changes.map(({ place }) => place))}::text::int4[],
        ${numberArray(changes.map(({ block }) => block))}::text::int4[],
        ${numberArray(changes.map(({ by }) => by))}::text::numeric[])`,
  )
}

/** ERC-1155 units: their versions, and what these do to the sums over the ids that their holders hold. */
export const healUnits = async (session: Session, units: ReadonlyArray<HealedUnit>): Promise<void> => {
  if (units.length === 0) return
  const of = (value: (unit: HealedUnit) => number | bigint) => numberArray(units.map(value))
  await session.run(
    (sql) => sql`
      insert into healed_unit
      select w.place, w.token_id, w.holder, w.nft_id,
        coalesce(u.unit_no, s.unit_seq + (row_number() over (partition by w.token_id, u.unit_no is null order by w.place))::int4),
        u.block_number, coalesce(u.balance, 0), c.from_block, w.pair, w.mint
      from unnest(${of(({ tokenId }) => tokenId)}::text::int4[],
                  ${byteaArray(units.map(({ holder }) => holder))}::text::bytea[], ${of(({ nftId }) => nftId)}::text::numeric[],
                  ${of(({ pair }) => pair)}::text::int4[], ${of(({ mint }) => mint)}::text::int4[])
        with ordinality as w (token_id, holder, nft_id, pair, mint, place)
      join token_stat s on s.token_id = w.token_id
      cross join lateral (select min(c.block_number) as from_block from unit_change c where c.place = w.place) c
      left join lateral (
        select * from unit_balance u where u.holder = w.holder and u.token_id = w.token_id and u.nft_id = w.nft_id limit 1
      ) u on true`,
  )
  await makeVersions(session, "unit")
  // The other side of a sum's change is the mint account's: supply of an ERC-1155 is nobody's question.
  await session.run(
    (sql) => sql`
      with held as materialized (
        select v.place, v.block_number, greatest(v.balance, 0) - greatest(v.known, 0)
          - lag(greatest(v.balance, 0) - greatest(v.known, 0), 1, 0::numeric)
            over (partition by v.place order by v.block_number) as change
        from unit_version v
      )
      insert into pair_change (place, block_number, change)
      select side.place, h.block_number, side.change
      from held h join healed_unit u on u.place = h.place
      cross join lateral (values (u.pair, h.change), (u.mint, -h.change)) as side (place, change)
      where h.change <> 0 and h.block_number >= u.from_block`,
  )
  await session.run(
    (sql) => sql`
      update token_stat s set unit_seq = greatest(s.unit_seq, seq.no)
      from (select token_id, max(no) as no from healed_unit group by token_id) seq where s.token_id = seq.token_id`,
  )
  await session.run(
    (sql) => sql`
      delete from unit_balance_history h using healed_unit u
      where h.token_id = u.token_id and h.unit_no = u.no and h.block_number >= u.from_block`,
  )
  await session.run(
    (sql) => sql`
      insert into unit_balance_history (token_id, unit_no, block_number, balance)
      select v.token_id, v.no, v.block_number, v.balance from unit_version v where not v.is_newest
      order by v.token_id, v.no, v.block_number on conflict do nothing`,
  )
  await session.run(
    (sql) => sql`
      update unit_balance b set block_number = v.block_number, balance = v.balance
      from unit_version v join healed_unit u on u.place = v.place
      where v.is_newest and u.newest is not null
        and b.holder = u.holder and b.token_id = u.token_id and b.nft_id = u.nft_id`,
  )
  await session.run(
    (sql) => sql`
      insert into unit_balance (token_id, unit_no, block_number, nft_id, holder, balance)
      select u.token_id, u.no, v.block_number, u.nft_id, u.holder, v.balance
      from unit_version v join healed_unit u on u.place = v.place where v.is_newest and u.newest is null`,
  )
  await session.run(
    (sql) => sql`
      update token_stat s set ids = s.ids + c.ids
      from (
        select u.token_id, sum((v.balance > 0)::int4 - (u.balance > 0)::int4)::int4 as ids
        from unit_version v join healed_unit u on u.place = v.place where v.is_newest group by u.token_id
      ) c where s.token_id = c.token_id`,
  )
}

/** Pairs: `pair_change` has all of their changes. `untouched`: blocks that are no longer among those that touched a pair. */
export const healPairs = async (
  session: Session,
  pairs: ReadonlyArray<HealedPair>,
  untouched: ReadonlyArray<Omit<Change, "by">>,
): Promise<void> => {
  await session.run(
    (sql) => sql`
      insert into healed_pair
      select w.place, w.token_id, w.holder,
        coalesce(b.holder_no, case w.holder when ''::bytea then 0 when '\\x00'::bytea then 1 end,
          s.holder_seq + (row_number() over (
            partition by w.token_id, b.holder_no is null and length(w.holder) = 20 order by w.place))::int4),
        b.block_number, coalesce(b.balance, 0), c.from_block
      from unnest(${numberArray(pairs.map(({ tokenId }) => tokenId))}::text::int4[],
                  ${byteaArray(pairs.map(({ holder }) => holder))}::text::bytea[])
        with ordinality as w (token_id, holder, place)
      join token_stat s on s.token_id = w.token_id
      cross join lateral (select min(c.block_number) as from_block from pair_change c where c.place = w.place) c
      left join lateral (select * from balance b where b.holder = w.holder and b.token_id = w.token_id limit 1) b on true
      where c.from_block is not null`,
  )
  await makeVersions(session, "pair")
  if (untouched.length > 0) {
    await session.run(
      (sql) => sql`
        delete from pair_version v
        using unnest(${numberArray(untouched.map(({ place }) => place))}::text::int4[],
                     ${numberArray(untouched.map(({ block }) => block))}::text::int4[]) as u (place, block_number)
        where v.place = u.place and v.block_number = u.block_number`,
    )
    await session.run(
      (sql) => sql`
        update pair_version v set is_newest = v.block_number = n.block_number
        from (select place, max(block_number) as block_number from pair_version group by place) n where n.place = v.place`,
    )
  }
  await session.run(
    (sql) => sql`
      update token_stat s set holder_seq = greatest(s.holder_seq, seq.no)
      from (select token_id, max(no) as no from healed_pair group by token_id) seq where s.token_id = seq.token_id`,
  )
  await session.run(
    (sql) => sql`
      delete from balance_history h using healed_pair p
      where h.token_id = p.token_id and h.holder_no = p.no and h.block_number >= p.from_block`,
  )
  await session.run(
    (sql) => sql`
      insert into balance_history (token_id, holder_no, block_number, balance)
      select v.token_id, v.no, v.block_number, v.balance from pair_version v where not v.is_newest
      order by v.token_id, v.no, v.block_number on conflict do nothing`,
  )
  await session.run(
    (sql) => sql`
      delete from balance_history h using pair_version v
      where v.is_newest and h.token_id = v.token_id and h.holder_no = v.no and h.block_number = v.block_number`,
  )
  await session.run(
    (sql) => sql`
      update balance b set block_number = v.block_number, balance = v.balance
      from pair_version v join healed_pair p on p.place = v.place
      where v.is_newest and p.newest is not null and b.holder = p.holder and b.token_id = p.token_id`,
  )
  await session.run(
    (sql) => sql`
      insert into balance (token_id, holder_no, block_number, holder, balance)
      select p.token_id, p.no, v.block_number, p.holder, v.balance
      from pair_version v join healed_pair p on p.place = v.place where v.is_newest and p.newest is null`,
  )
  await session.run(
    (sql) => sql`
      update token_stat s set holders = s.holders + c.holders
      from (
        select p.token_id, sum((v.balance > 0)::int4 - (p.balance > 0)::int4)::int4 as holders
        from pair_version v join healed_pair p on p.place = v.place
        where v.is_newest and length(p.holder) = 20 group by p.token_id
      ) c where s.token_id = c.token_id`,
  )
}

/** The newest version before the first change, and all from there on: what was known, and what it is now. */
const makeVersions = async (session: Session, of: "pair" | "unit"): Promise<void> => {
  const number = of === "pair" ? "holder_no" : "unit_no"
  const history = of === "pair" ? "balance_history" : "unit_balance_history"
  await session.run(
    (sql) => sql`
      insert into ${sql(`${of}_version`)}
      select place, token_id, no, block_number, known, balance,
        block_number = max(block_number) over (partition by place) as is_newest
      from (
        select place, token_id, no, block_number,
          sum(sum(known)) over (partition by place order by block_number) as known,
          sum(sum(change)) over (partition by place order by block_number) as balance
        from (
          select place, token_id, no, block_number, change as known, change
          from (
            select p.place, p.token_id, p.no, v.block_number,
              v.balance - lag(v.balance, 1, 0::numeric) over (partition by p.place order by v.block_number) as change
            from ${sql(`healed_${of}`)} p
            cross join lateral (
              (select h.block_number, h.balance from ${sql(history)} h
               where h.token_id = p.token_id and h.${sql(number)} = p.no and h.block_number < p.from_block
               order by h.block_number desc limit 1)
              union all
              select h.block_number, h.balance from ${sql(history)} h
              where h.token_id = p.token_id and h.${sql(number)} = p.no and h.block_number >= p.from_block
              union all
              select p.newest, p.balance where p.newest is not null
            ) v
          ) version
          union all
          select p.place, p.token_id, p.no, c.block_number, 0, c.change
          from ${sql(`${of}_change`)} c join ${sql(`healed_${of}`)} p on p.place = c.place
        ) part
        group by place, token_id, no, block_number
      ) summed`,
  )
}
