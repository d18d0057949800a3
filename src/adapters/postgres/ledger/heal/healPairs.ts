/** Pairs under what was missed: history, newest balances, numbers of holders. */
import { byteaArray, numberArray, optionalArray } from "../../database/arrays.ts"
import type { Session } from "../wire/session.ts"
import { type Change, firstBlocks, type HealedPair, makeVersions, rewriteHistory } from "./versions.ts"

/** Pairs: `pair_change` has all of their changes. `untouched`: blocks that are no longer among those that touched a pair. */
export const healPairs = async (
  session: Session,
  pairs: ReadonlyArray<HealedPair>,
  untouched: ReadonlyArray<Omit<Change, "by">>,
): Promise<void> => {
  const changed = await session.run(
    (sql) => sql<Array<{ place: number; block: number }>>`
      select place, min(block_number) as block from pair_change group by place`,
  )
  await session.run(
    (sql) => sql`
      insert into healed_pair
      select w.place, w.token_id, w.holder,
        coalesce(b.holder_no, case w.holder when ''::bytea then 0 when '\\x00'::bytea then 1 end,
          s.holder_seq + (row_number() over (
            partition by w.token_id, b.holder_no is null and length(w.holder) = 20 order by w.place))::int4),
        b.block_number, coalesce(b.balance, 0), w.from_block
      from unnest(${numberArray(pairs.map(({ tokenId }) => tokenId))}::text::int4[],
                  ${byteaArray(pairs.map(({ holder }) => holder))}::text::bytea[],
                  ${optionalArray(firstBlocks(pairs, changed))}::text::int4[])
        with ordinality as w (token_id, holder, from_block, place)
      join token_stat s on s.token_id = w.token_id
      left join lateral (select * from balance b where b.holder = w.holder and b.token_id = w.token_id limit 1) b on true
      where w.from_block is not null`,
  )
  await makeVersions(session, "pair")
  if (untouched.length > 0) {
    // Without it all versions are gone through for each of these: no join of the writer's hashes.
    await session.run((sql) => sql`create index pair_version_place on pair_version (place, block_number)`)
    const places = numberArray(untouched.map(({ place }) => place))
    await session.run(
      (sql) => sql`
        delete from pair_version v
        using unnest(${places}::text::int4[],
                     ${numberArray(untouched.map(({ block }) => block))}::text::int4[]) as u (place, block_number)
        where v.place = u.place and v.block_number = u.block_number`,
    )
    await session.run(
      (sql) => sql`
        with newest as materialized (
          select u.place, (select max(m.block_number) from pair_version m where m.place = u.place) as block_number
          from (select distinct place from unnest(${places}::text::int4[]) as u (place)) u
        )
        update pair_version v set is_newest = true
        from newest u where v.place = u.place and v.block_number = u.block_number and not v.is_newest`,
    )
    // With it the statements behind would rather go through all of a table than read this one whole.
    await session.run((sql) => sql`drop index pg_temp.pair_version_place`)
  }
  await rewriteHistory(session, "pair")
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
