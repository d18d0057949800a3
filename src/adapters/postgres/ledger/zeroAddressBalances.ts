/** Tokens whose transfers to the zero address are no burn: what lay in the burn account becomes the zero address's, at every block. */
import { zeroAddress } from "../../../model/primitives.ts"
import type { BornToken } from "../../../ports/Ledger.ts"
import { hexArray, numberArray } from "../database/arrays.ts"
import { bytesOf } from "../database/client.ts"
import { FenceBroken, loadPosition } from "./state/checkpoint.ts"
import { numberRollback } from "./state/rollbacks.ts"
import { type Session, transaction } from "./wire/session.ts"
import { clearCaches, type WriterState } from "./writerState.ts"

/**
 * In one transaction, at the cost of the tokens' burns. Those that are no more, or known to be so, are ignored. Whoever walks as
 * of a block from the first of the tokens on is told as after a rollback. No row changes: consumers of events are told nothing
 * (an empty correction would be one more that they miss once it is forgotten), and what is counted of rows still holds.
 */
export const letZeroAddressHold = async (writer: WriterState, tokens: ReadonlyArray<BornToken>): Promise<void> => {
  const { session, position } = writer
  await transaction(session, async () => {
    // Whoever counts a window of rows has this for seconds: waited for while nothing else is held.
    await session.run((sql) => sql`select from marking for update`)
    const marked = await session.run(
      (sql) => sql<Array<{ token_id: number; first_block: number }>>`
        update token t set keeps_burnt = true
        from unnest(${hexArray(tokens.map(({ address }) => address))}::text::bytea[],
                    ${numberArray(tokens.map(({ firstBlock }) => firstBlock))}::text::int4[],
                    ${numberArray(tokens.map(({ firstLogIndex }) => firstLogIndex))}::text::int4[])
          as wanted (address, block, log_index)
        where t.address = wanted.address and t.standard = 20 and not t.keeps_burnt
          and t.first_pos = wanted.block::int8 << 24 | wanted.log_index
        returning t.token_id, (t.first_pos >> 24)::int4 as first_block`,
    )
    if (marked.length === 0) return
    for (const { token_id } of marked) await moveBurnAccount(writer, token_id)
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

/** The burn account's pair becomes the zero address's, or is added to it block by block, as if the burn account had never been. */
const moveBurnAccount = async ({ session }: WriterState, tokenId: number): Promise<void> => {
  const zero = bytesOf(zeroAddress)
  const pairs = await session.run(
    (sql) => sql<Array<{ is_burn_account: boolean; holder_no: number; is_held: boolean }>>`
      select b.holder = '\\x00' as is_burn_account, b.holder_no, b.balance > 0 as is_held from balance b
      where b.token_id = ${tokenId} and b.holder in ('\\x00'::bytea, ${zero}::bytea)`,
  )
  const burnAccount = pairs.find(({ is_burn_account }) => is_burn_account)
  const own = pairs.find(({ is_burn_account }) => !is_burn_account)
  if (burnAccount === undefined) return
  if (own !== undefined) await addVersions(session, tokenId, burnAccount.holder_no, own.holder_no)
  await session.run((sql) =>
    own === undefined
      ? sql`update balance set holder = ${zero} where token_id = ${tokenId} and holder = '\\x00'`
      : sql`delete from balance where token_id = ${tokenId} and holder = '\\x00'`,
  )
  await session.run(
    (sql) => sql`
      update token_stat set holders = holders - ${own?.is_held === true ? 1 : 0}
        + (select (b.balance > 0)::int4 from balance b where b.token_id = ${tokenId} and b.holder = ${zero})
      where token_id = ${tokenId}`,
  )
}

/** Adds a pair's versions to another's: history and newest of both become those of `into`, none is left of `from`. */
const addVersions = async (session: Session, tokenId: number, from: number, into: number): Promise<void> => {
  await session.run(
    (sql) => sql`
      create temporary table merged on commit drop as
      select ${tokenId}::int4 as token_id, ${into}::int4 as holder_no, block_number, sum(sum(change)) over (order by block_number) as balance
      from (
        select block_number,
               balance - lag(balance, 1, 0::numeric) over (partition by holder_no order by block_number) as change
        from (
          select holder_no, block_number, balance from balance_history
          where token_id = ${tokenId} and holder_no in (${from}, ${into})
          union all
          select holder_no, block_number, balance from balance
          where token_id = ${tokenId} and holder in ('\\x00'::bytea, ${bytesOf(zeroAddress)}::bytea)
        ) version
      ) part
      group by block_number`,
  )
  await session.run(
    (sql) => sql`delete from balance_history where token_id = ${tokenId} and holder_no in (${from}, ${into})`,
  )
  await session.run(
    (sql) => sql`
      update balance b set block_number = m.block_number, balance = m.balance
      from (select * from merged order by block_number desc limit 1) m
      where b.token_id = ${tokenId} and b.holder = ${bytesOf(zeroAddress)}`,
  )
  await session.run(
    (sql) => sql`
      insert into balance_history (token_id, holder_no, block_number, balance)
      select token_id, holder_no, block_number, balance from merged
      where block_number < (select max(block_number) from merged)
      order by block_number`,
  )
  await session.run((sql) => sql`drop table merged`)
}
