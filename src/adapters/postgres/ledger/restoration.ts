/** Parts of the rollback's statement: ids, units and pairs that the removed rows touched return to their last versions before them. */
import type { Fragment, Sql } from "postgres"
import { zeroAddress } from "../../../model/primitives.ts"
import { bytesOf } from "../database/client.ts"

/** Of the ids of ERC-721 rows. Table `id`: owner now and before. */
export const restoredIds = (sql: Sql): Fragment => {
  const zero = bytesOf(zeroAddress)
  return sql`
    id as materialized (
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
    )`
}

/** Of the pairs of address and id of ERC-1155 rows. Table `unit`: balance now and before. */
export const restoredUnits = (sql: Sql): Fragment => sql`
  unit as materialized (
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
  )`

/** Of all accounts and tokens that rows touched. Table `pair`: balance now and before. */
export const restoredPairs = (sql: Sql): Fragment => sql`
  candidate as materialized (
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
  )`
