/** Versions of balances under later changes: what was missed goes into a balance's history, and all that came after it moves by as much. */
import { byteaArray, numberArray, optionalArray } from "../../database/arrays.ts"
import { runScript, type Session } from "../wire/session.ts"

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
  runScript(
    session,
    `
      set local work_mem = '128MB';
      create temporary table pair_change (place int4, block_number int4, change numeric) on commit drop;
      create index on pair_change (place);
      create temporary table unit_change (place int4, block_number int4, change numeric) on commit drop;
      create index on unit_change (place);
      create temporary table healed_pair (place int4 primary key, token_id int4, holder bytea, no int4, newest int4,
        balance numeric, from_block int4) on commit drop;
      create temporary table healed_unit (place int4 primary key, token_id int4, holder bytea, nft_id numeric, no int4,
        newest int4, balance numeric, from_block int4, pair int4, mint int4) on commit drop;
      create temporary table pair_known (place int4, token_id int4, no int4, block_number int4, balance numeric)
        on commit drop;
      create temporary table unit_known (place int4, token_id int4, no int4, block_number int4, balance numeric)
        on commit drop;
      create temporary table pair_version (place int4, token_id int4, no int4, block_number int4, known numeric,
        balance numeric, is_newest boolean) on commit drop;
      create temporary table unit_version (place int4, token_id int4, no int4, block_number int4, known numeric,
        balance numeric, is_newest boolean) on commit drop`,
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

/** Of each in a list, the first block that changes it. */
export const firstBlocks = (
  list: ReadonlyArray<unknown>,
  changes: ReadonlyArray<Pick<Change, "place" | "block">>,
): ReadonlyArray<number | undefined> => {
  const firsts = new Array<number | undefined>(list.length).fill(undefined)
  for (const { place, block } of changes) firsts[place - 1] = Math.min(firsts[place - 1] ?? block, block)
  return firsts
}

/** How many versions of these pairs come after the first change, at most one more than `most`. */
export const countVersions = async (
  session: Session,
  pairs: ReadonlyArray<HealedPair>,
  changes: ReadonlyArray<Change>,
  most: number,
): Promise<number> => {
  const firsts = firstBlocks(pairs, changes)
  const [row] = await session.run(
    (sql) => sql<[{ versions: number }]>`
      select count(*) as versions from (
        select from unnest(${numberArray(pairs.map(({ tokenId }) => tokenId))}::text::int4[],
                           ${byteaArray(pairs.map(({ holder }) => holder))}::text::bytea[], ${optionalArray(firsts)}::text::int4[])
          as w (token_id, holder, from_block)
        cross join lateral (select * from balance b where b.holder = w.holder and b.token_id = w.token_id limit 1) b
        cross join lateral (
          select from balance_history h
          where h.token_id = b.token_id and h.holder_no = b.holder_no and h.block_number >= w.from_block
        ) h limit ${most + 1}
      ) counted`,
  )
  return row.versions
}

/** The newest version before the first change, and all from there on: what was known, and what it is now. */
export const makeVersions = async (session: Session, of: "pair" | "unit"): Promise<void> => {
  const { number, history } = columnsOf(of)
  // The healed ones as a part of the statement: a table of the session's own is not where the history may lie.
  await session.run(
    (sql) => sql`
      insert into ${sql(`${of}_known`)}
      with healed as materialized (select place, token_id, no, from_block from ${sql(`healed_${of}`)})
      select p.place, p.token_id, p.no, v.block_number, v.balance
      from healed p
      cross join lateral (
        (select h.block_number, h.balance from ${sql(history)} h
         where h.token_id = p.token_id and h.${sql(number)} = p.no and h.block_number < p.from_block
         order by h.block_number desc limit 1)
        union all
        select h.block_number, h.balance from ${sql(history)} h
        where h.token_id = p.token_id and h.${sql(number)} = p.no and h.block_number >= p.from_block
      ) v`,
  )
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
            select v.place, v.token_id, v.no, v.block_number,
              v.balance - lag(v.balance, 1, 0::numeric) over (partition by v.place order by v.block_number) as change
            from (
              select place, token_id, no, block_number, balance from ${sql(`${of}_known`)}
              union all
              select p.place, p.token_id, p.no, p.newest, p.balance from ${sql(`healed_${of}`)} p
              where p.newest is not null
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

/** The superseded versions from the first change on, as they are now; and the numbers that were given out. */
export const rewriteHistory = async (session: Session, of: "pair" | "unit"): Promise<void> => {
  const { number, sequence, history } = columnsOf(of)
  await session.run(
    (sql) => sql`
      update token_stat s set ${sql(sequence)} = greatest(s.${sql(sequence)}, seq.no)
      from (select token_id, max(no) as no from ${sql(`healed_${of}`)} group by token_id) seq where s.token_id = seq.token_id`,
  )
  await session.run(
    (sql) => sql`
      delete from ${sql(history)} h using ${sql(`healed_${of}`)} p
      where h.token_id = p.token_id and h.${sql(number)} = p.no and h.block_number >= p.from_block`,
  )
  await session.run(
    (sql) => sql`
      insert into ${sql(history)} (token_id, ${sql(number)}, block_number, balance)
      select v.token_id, v.no, v.block_number, v.balance
      from ${sql(`${of}_version`)} v join ${sql(`healed_${of}`)} p on p.place = v.place
      where not v.is_newest and v.block_number >= p.from_block`,
  )
  // What was the newest before the first change is of the past now; or it was already.
  await session.run(
    (sql) => sql`
      insert into ${sql(history)} (token_id, ${sql(number)}, block_number, balance)
      select p.token_id, p.no, p.newest, p.balance from ${sql(`healed_${of}`)} p where p.newest < p.from_block
      on conflict do nothing`,
  )
}

const columnsOf = (of: "pair" | "unit") =>
  of === "pair"
    ? ({ number: "holder_no", sequence: "holder_seq", history: "balance_history" } as const)
    : ({ number: "unit_no", sequence: "unit_seq", history: "unit_balance_history" } as const)
