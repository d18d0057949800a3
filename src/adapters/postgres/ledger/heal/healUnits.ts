/** ERC-1155 units under what was missed, and the sums over them. */
import { byteaArray, numberArray, optionalArray } from "../../database/arrays.ts"
import type { Session } from "../wire/session.ts"
import { type Change, firstBlocks, type HealedUnit, makeVersions, rewriteHistory } from "./versions.ts"

/** ERC-1155 units: their versions, and what these do to the sums over the ids that their holders hold. */
export const healUnits = async (
  session: Session,
  units: ReadonlyArray<HealedUnit>,
  changes: ReadonlyArray<Change>,
): Promise<void> => {
  if (units.length === 0) return
  const of = (value: (unit: HealedUnit) => number | bigint) => numberArray(units.map(value))
  await session.run(
    (sql) => sql`
      insert into healed_unit
      select w.place, w.token_id, w.holder, w.nft_id,
        coalesce(u.unit_no, s.unit_seq + (row_number() over (partition by w.token_id, u.unit_no is null order by w.place))::int4),
        u.block_number, coalesce(u.balance, 0), w.from_block, w.pair, w.mint
      from unnest(${of(({ tokenId }) => tokenId)}::text::int4[],
                  ${byteaArray(units.map(({ holder }) => holder))}::text::bytea[], ${of(({ nftId }) => nftId)}::text::numeric[],
                  ${of(({ pair }) => pair)}::text::int4[], ${of(({ mint }) => mint)}::text::int4[],
                  ${optionalArray(firstBlocks(units, changes))}::text::int4[])
        with ordinality as w (token_id, holder, nft_id, pair, mint, from_block, place)
      join token_stat s on s.token_id = w.token_id
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
  await rewriteHistory(session, "unit")
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
