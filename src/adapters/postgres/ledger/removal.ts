/** The rollback's one statement: rows go, and balances, units, owners and counters become what they were before them. */
import { zeroAddress } from "../../../model/primitives.ts"
import type { Standard } from "../../../model/token.ts"
import { bytesOf } from "../database/client.ts"
import type { Edges } from "./windows.ts"
import type { Session } from "./wire/session.ts"

/** Of each standard, how many. */
export interface Removed {
  readonly tokens: Readonly<Record<Standard, number>>
  readonly transfers: Readonly<Record<Standard, number>>
}

/**
 * Removes block `fromBlock` and all above it. The rolling counts lose the removed rows that were in the windows, which
 * began at `edges`. Every join goes by a table's key: the cost is that of the removed rows.
 */
export const removeBlocks = async (session: Session, edges: Edges, fromBlock: number): Promise<Removed> => {
  const zero = bytesOf(zeroAddress)
  const [removed] = await session.run(
    (sql) => sql<[Removed]>`
      with first as materialized (
        select ${fromBlock}::int4 as block, ${fromBlock}::int8 << 24 as pos
      ), erc20 as (
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
      ), id as materialized (
        -- the owner of an id is the receiver of its last row; a mint before the removed rows is still its latest
        select n.token_id, n.nft_id, n.owner, old.pos as old_pos, old.owner as old_owner,
               coalesce(n.mint_pos < (select pos from first), false) as minted_before,
               mint.pos as mint_pos, mint.time as mint_time
        from (select distinct token_id, nft_id from erc721) i
        join nft n on n.token_id = i.token_id and n.nft_id = i.nft_id
        left join lateral (
          select t.pos, nullif(t.to_addr, ${zero}) as owner from erc721_transfer t
          where t.token_id = n.token_id and t.nft_id = n.nft_id and t.pos < (select pos from first)
          order by t.pos desc, t.sub desc limit 1
        ) old on true
        left join lateral (
          select t.pos, t.sub from erc721_transfer t
          where t.token_id = n.token_id and t.nft_id = n.nft_id and t.pos < (select pos from first)
            -- not by the index of all burns of the contract: by the id's own rows
            and nullif(t.to_addr, ${zero}) is null
            and old.owner is not null and (n.mint_pos < (select pos from first)) is not true
          order by t.pos desc, t.sub desc limit 1
        ) burn on true
        left join lateral (
          select t.pos, t.time from erc721_transfer t
          where t.token_id = n.token_id and t.nft_id = n.nft_id
            and (t.pos, t.sub) > (coalesce(burn.pos, -1), coalesce(burn.sub, 0))
            and old.owner is not null and (n.mint_pos < (select pos from first)) is not true
          order by t.pos, t.sub limit 1
        ) mint on true
      ), id_restored as (
        update nft n set
          owner = i.old_owner, pos = i.old_pos,
          mint_pos = case when i.minted_before then n.mint_pos else i.mint_pos end,
          mint_time = case when i.minted_before then n.mint_time else i.mint_time end,
          uri = case when i.minted_before then n.uri end, uri_known = i.minted_before and n.uri_known
        from id i where i.old_pos is not null and n.token_id = i.token_id and n.nft_id = i.nft_id
      ), id_forgotten as (
        delete from nft n using id i where i.old_pos is null and n.token_id = i.token_id and n.nft_id = i.nft_id
      ), unit as materialized (
        select u.token_id, u.nft_id, u.holder, u.unit_no, u.balance, old.block_number as old_block, old.balance as old_balance
        from (
          select token_id, nft_id, from_addr as holder from erc1155 union select token_id, nft_id, to_addr from erc1155
        ) c
        join unit_balance u on u.holder = c.holder and u.token_id = c.token_id and u.nft_id = c.nft_id
          and u.block_number >= (select block from first)
        left join lateral (
          select h.block_number, h.balance from unit_balance_history h
          where h.token_id = u.token_id and h.unit_no = u.unit_no and h.block_number < (select block from first)
          order by h.block_number desc limit 1
        ) old on true
      ), unit_restored as (
        update unit_balance b set block_number = u.old_block, balance = u.old_balance
        from unit u
        where u.old_block is not null and b.holder = u.holder and b.token_id = u.token_id and b.nft_id = u.nft_id
      ), unit_forgotten as (
        delete from unit_balance b using unit u
        where u.old_block is null and b.holder = u.holder and b.token_id = u.token_id and b.nft_id = u.nft_id
      ), unit_unversioned as (
        delete from unit_balance_history h using unit u
        where h.token_id = u.token_id and h.unit_no = u.unit_no
          and h.block_number >= coalesce(u.old_block, (select block from first))
      ), candidate as materialized (
        -- every account the removed rows may have touched; those left alone since show by their block
        select token_id, from_addr as holder from gone
        union select token_id, to_addr from gone
        union select token_id, old_owner from id where old_owner is not null
        union select token_id, holder from unwrapped
        union select token_id, reserved.holder from moved, (values ('\\x'::bytea), ('\\x00'::bytea)) as reserved (holder)
      ), pair as materialized (
        select b.token_id, b.holder, b.holder_no, b.balance, old.block_number as old_block, old.balance as old_balance
        from candidate c
        join balance b on b.holder = c.holder and b.token_id = c.token_id and b.block_number >= (select block from first)
        left join lateral (
          select h.block_number, h.balance from balance_history h
          where h.token_id = b.token_id and h.holder_no = b.holder_no and h.block_number < (select block from first)
          order by h.block_number desc limit 1
        ) old on true
      ), restored as (
        update balance b set block_number = p.old_block, balance = p.old_balance
        from pair p where p.old_block is not null and b.holder = p.holder and b.token_id = p.token_id
      ), forgotten as (
        delete from balance b using pair p
        where p.old_block is null and b.holder = p.holder and b.token_id = p.token_id
      ), unversioned as (
        delete from balance_history h using pair p
        where h.token_id = p.token_id and h.holder_no = p.holder_no
          and h.block_number >= coalesce(p.old_block, (select block from first))
      ), unborn as (
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
      ), no_headers as (
        delete from block where number >= (select block from first)
      ), no_clock as (
        delete from clock where block >= (select block from first)
      )
      select
        json_build_object('erc20', count(*) filter (where standard = 20), 'erc721', count(*) filter (where standard = 721),
                          'erc1155', count(*) filter (where standard = 1155)) as tokens,
        json_build_object('erc20', (select count(*) from erc20), 'erc721', (select count(*) from erc721),
                          'erc1155', (select count(*) from erc1155)) as transfers
      from unborn`,
  )
  return removed
}
