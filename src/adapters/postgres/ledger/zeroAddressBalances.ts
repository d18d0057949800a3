/** Tokens whose transfers to the zero address are no burn: what was sent there becomes the zero address's, at every block. */
import { type Address, zeroAddress } from "../../../model/primitives.ts"
import type { ZeroAddressHolder } from "../../../ports/Ledger.ts"
import { hexArray, numberArray } from "../database/arrays.ts"
import { FenceBroken, loadPosition } from "./state/checkpoint.ts"
import { numberRollback } from "./state/rollbacks.ts"
import { type Session, transaction } from "./wire/session.ts"
import { clearCaches, type WriterState } from "./writerState.ts"

/**
 * In one transaction, at the cost of the tokens' burns. Those that are no more, or known to be so, are ignored. Whoever walks as
 * of a block from the first of the tokens on is told as after a rollback. No row changes: consumers of events are told nothing
 * (an empty correction would be one more that they miss once it is forgotten), and what is counted of rows still holds.
 */
export const letZeroAddressHold = async (
  writer: WriterState,
  tokens: ReadonlyArray<ZeroAddressHolder>,
): Promise<void> => {
  const { session, position } = writer
  await transaction(session, async () => {
    // Whoever counts a window of rows has this for seconds: waited for while nothing else is held.
    await session.run((sql) => sql`select from marking for update`)
    const marked = await session.run(
      (sql) => sql<Array<Marked>>`
        update token t set keeps_burnt = true, burns_own = wanted.burns_own = 1
        from unnest(${hexArray(tokens.map(({ address }) => address))}::text::bytea[],
                    ${numberArray(tokens.map(({ firstBlock }) => firstBlock))}::text::int4[],
                    ${numberArray(tokens.map(({ firstLogIndex }) => firstLogIndex))}::text::int4[],
                    ${numberArray(tokens.map(({ sentToZero }) => (sentToZero === "keptButOwn" ? 1 : 0)))}::text::int4[])
          as wanted (address, block, log_index, burns_own)
        where t.address = wanted.address and t.standard = 20
          and (not t.keeps_burnt or t.burns_own::int4 <> wanted.burns_own)
          and t.first_pos = wanted.block::int8 << 24 | wanted.log_index
        returning t.token_id, t.address, t.burns_own, (t.first_pos >> 24)::int4 as first_block`,
    )
    if (marked.length === 0) return
    for (const token of marked) await foldAnew(session, token)
    const moved = await session.run(
      (sql) => sql`
        update state set epoch = epoch + 1, revision = revision + 1
        where next_block = ${position.checkpoint.nextBlock} and epoch = ${position.epoch} returning epoch`,
    )
    if (moved.length !== 1) throw new FenceBroken()
    const number = await numberRollback(session, Math.min(...marked.map(({ first_block }) => first_block)))
    await session.run(
      (sql) => sql`
        update marking m set rollback_no = ${number}
        where not exists (
          select from rollback r
          where r.rollback_no > m.rollback_no and r.rollback_no < ${number} and r.from_block < m.next_block)`,
    )
  })
  clearCaches(writer)
  writer.position = await loadPosition(session)
}

interface Marked {
  readonly token_id: number
  readonly address: Address
  readonly burns_own: boolean
  readonly first_block: number
}

/** Both accounts that logs to the zero address credit. No log takes anything away from either. */
const accounts = ["00", zeroAddress.slice(2)].map((hex) => `\\x${hex}`)
const burnAccountNo = 1

/** Their pairs are made anew of all that was ever sent to the zero address, as if the rule had been known from the start. */
const foldAnew = async (session: Session, { token_id: tokenId, address, burns_own }: Marked): Promise<void> => {
  const pairs = await session.run(
    (sql) => sql<Array<{ is_zero_address: boolean; holder_no: number; is_held: boolean }>>`
      select length(b.holder) = 20 as is_zero_address, b.holder_no, b.balance > 0 as is_held from balance b
      where b.token_id = ${tokenId} and b.holder = any(${accounts}::text[]::bytea[])`,
  )
  await session.run(
    (sql) => sql`
      delete from balance_history where token_id = ${tokenId} and holder_no = any(${pairs.map((it) => it.holder_no)}::int4[])`,
  )
  await session.run(
    (sql) => sql`delete from balance where token_id = ${tokenId} and holder = any(${accounts}::text[]::bytea[])`,
  )
  const before = pairs.find((it) => it.is_zero_address)
  const holderNo = await numberOf(session, tokenId, before?.holder_no)
  await session.run(
    (sql) => sql`
      create temporary table folded on commit drop as
      select ${tokenId}::int4 as token_id, holder, case length(holder) when 20 then ${holderNo}::int4 else ${burnAccountNo}::int4 end as holder_no,
        block_number, sum(sum(amount)) over (partition by holder order by block_number) as balance,
        lead(block_number) over (partition by holder order by block_number) is null as is_newest
      from (
        select (t.pos >> 24)::int4 as block_number, t.amount,
          case when ${burns_own} and t.from_addr = ${address}::bytea then '\\x00'::bytea else t.to_addr end as holder
        from erc20_transfer t
        where t.token_id = ${tokenId} and t.to_addr = '\\x0000000000000000000000000000000000000000'
      ) sent
      group by holder, block_number`,
  )
  await session.run(
    (sql) => sql`
      insert into balance (token_id, holder_no, block_number, holder, balance)
      select token_id, holder_no, block_number, holder, balance from folded where is_newest`,
  )
  await session.run(
    (sql) => sql`
      insert into balance_history (token_id, holder_no, block_number, balance)
      select token_id, holder_no, block_number, balance from folded where not is_newest order by holder_no, block_number`,
  )
  const held = await session.run(
    (sql) => sql`select from folded where is_newest and length(holder) = 20 and balance > 0`,
  )
  await session.run(
    (sql) => sql`
      update token_stat set holders = holders + ${held.length - (before?.is_held === true ? 1 : 0)}::int4
      where token_id = ${tokenId}`,
  )
  await session.run((sql) => sql`drop table folded`)
}

/** The one it has, or the token's next: older versions let the zero address have the burn account's. */
const numberOf = async (session: Session, tokenId: number, before: number | undefined): Promise<number> => {
  if (before !== undefined && before !== burnAccountNo) return before
  const [next] = await session.run(
    (sql) => sql<Array<{ holder_seq: number }>>`
      update token_stat set holder_seq = holder_seq + 1 where token_id = ${tokenId} returning holder_seq`,
  )
  return next!.holder_seq
}
