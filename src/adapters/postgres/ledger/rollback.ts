/** Takes blocks back: balances from their history, everything else by what the removed rows say. */
import type { Checkpoint } from "../../../domain/model/event.ts"
import { bytesOf } from "../client.ts"
import type { Writer } from "./append.ts"
import { FenceBroken, loadPosition } from "./checkpoint.ts"
import { transaction } from "./session.ts"
import { erc20 } from "./tokens.ts"

/** Removes block `fromBlock` and all above it, in one transaction; the caller has checked that it may. */
export const rollbackTo = async (writer: Writer, fromBlock: number): Promise<void> => {
  const { session, position } = writer
  await transaction(session, async () => {
    const removed = await removeBlocks(writer, fromBlock)
    await moveStateBack(writer, position.checkpoint, fromBlock, removed)
  })
  writer.pairs.clear()
  writer.tokens.known.clear()
  writer.position = await loadPosition(session)
}

interface Removed {
  readonly transfers: number
  readonly tokens: number
}

const removeBlocks = async ({ session }: Writer, fromBlock: number): Promise<Removed> => {
  const [removed] = await session.run(
    (sql) => sql<[Removed]>`
      with gone as (
        delete from erc20_transfer where pos >= ${fromBlock}::int8 << 24 returning token_id, from_addr, to_addr
      ), unwrapped as (
        delete from wrap where pos >= ${fromBlock}::int8 << 24 returning token_id, holder
      ), moved as materialized (
        select token_id, count(*)::int4 as transfers from gone group by token_id
        union all
        select token_id, 0 from (select distinct token_id from unwrapped except select token_id from gone) only_wrapped
      ), candidate as materialized (
        -- every account the removed rows may have touched; those left alone since show by their block
        select token_id, from_addr as holder from gone
        union select token_id, to_addr from gone
        union select token_id, holder from unwrapped
        union select token_id, reserved.holder from moved, (values ('\\x'::bytea), ('\\x00'::bytea)) as reserved (holder)
      ), pair as materialized (
        select b.token_id, b.holder, b.holder_no, b.balance, old.block_number as old_block, old.balance as old_balance
        from candidate c
        join balance b on b.holder = c.holder and b.token_id = c.token_id and b.block_number >= ${fromBlock}
        left join lateral (
          select h.block_number, h.balance from balance_history h
          where h.token_id = b.token_id and h.holder_no = b.holder_no and h.block_number < ${fromBlock}
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
          and h.block_number >= coalesce(p.old_block, ${fromBlock})
      ), unborn as (
        delete from token t using moved m
        where t.token_id = m.token_id and t.standard = ${erc20} and t.first_pos >= ${fromBlock}::int8 << 24
        returning t.token_id
      ), unborn_stat as (
        delete from token_stat s using unborn u where s.token_id = u.token_id
      ), change as materialized (
        -- one list, not two joined: every join of this statement goes by a table's key
        select token_id, sum(transfers)::int4 as transfers, sum(holders)::int4 as holders
        from (
          select token_id, -transfers as transfers, 0 as holders from moved
          union all
          select token_id, 0, (coalesce(old_balance, 0) > 0)::int4 - (balance > 0)::int4 from pair where length(holder) = 20
        ) part group by token_id
      ), counted as (
        update token_stat s set transfers = s.transfers + c.transfers, holders = s.holders + c.holders
        from change c
        where s.token_id = c.token_id
          and exists (select from token t where t.token_id = c.token_id and t.first_pos < ${fromBlock}::int8 << 24)
      ), no_headers as (
        delete from block where number >= ${fromBlock} returning number
      ), no_clock as (
        delete from clock where block >= ${fromBlock}
      )
      select (select count(*) from gone) as transfers, (select count(*) from unborn) as tokens`,
  )
  return removed
}

/** Back to the header of the block before; to the empty ledger where that is before the first. */
const moveStateBack = async (
  { session, position }: Writer,
  { nextBlock, head, firstBlock }: Checkpoint,
  fromBlock: number,
  removed: Removed,
): Promise<void> => {
  const rows = await session.run(
    (sql) => sql`
      update state s set
        epoch = s.epoch + 1, revision = s.revision + 1, next_block = ${fromBlock},
        head_hash = b.hash, head_parent = b.parent_hash, head_time = b.time,
        erc20_tokens = s.erc20_tokens - ${removed.tokens}, erc20_transfers = s.erc20_transfers - ${removed.transfers}
      from (values (1)) one left join block b on b.number = ${fromBlock - 1}
      where s.next_block = ${nextBlock} and s.epoch = ${position.epoch}
        and s.head_hash is not distinct from ${head === undefined ? null : bytesOf(head.hash)}::bytea
        and (b.number is not null or ${fromBlock} = ${firstBlock}::int4)
      returning s.next_block`,
  )
  if (rows.length !== 1) throw new FenceBroken()
}
