/** Writes records of comparisons, and keeps the number of each state. The ledger's writer and it wait for each other's last statements alone. */
import type { AuditRecord } from "../../../../ports/AuditStore.ts"
import type { BornToken } from "../../../../ports/Ledger.ts"
import { numberArray } from "../../database/arrays.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { storable } from "../../database/client.ts"
import type { Transaction } from "../../database/Database.ts"
import { stateNumber, watchedRow } from "./record.ts"

interface Audited {
  readonly token: BornToken
  readonly record: AuditRecord
}

/**
 * In the caller's transaction. Tokens are locked first, those at work elsewhere are left out. So a token's state is read after
 * whoever wrote it last, and a rollback that removes the token waits for its record. A record of an earlier block than the
 * stored one's is left out, whoever is slower; of a block that was taken back it counts as one of the newest. Then the
 * revision, which tells of the records, and then the counts: in this order the writer takes them too.
 */
export const writeAudits = async (
  { tx, run }: Transaction,
  chain: ChainSql,
  audits: ReadonlyArray<Audited>,
): Promise<void> => {
  const { token, tokenAudit, state } = chain
  const births = audits.map(({ token: { standard, address, firstBlock, firstLogIndex } }) => ({
    standard: standardNumbers[standard],
    address: address.slice(2),
    first_block: firstBlock,
    first_log: firstLogIndex,
  }))
  const locked = await run(
    tx<Array<{ token_id: number; place: number }>>`
      select t.token_id, d.place
      from jsonb_to_recordset(${JSON.stringify(births.map((birth, place) => ({ ...birth, place })))}::text::jsonb) as d (
        standard int2, address text, first_block int4, first_log int4, place int4)
      join ${token} t on t.address = decode(d.address, 'hex') and t.standard = d.standard
        and t.first_pos = d.first_block::int8 << 24 | d.first_log
      for no key update of t skip locked`,
  )
  if (locked.length === 0) return
  const stored = await run(
    tx<Array<{ token_id: number; state: number; block: number }>>`
      select a.token_id, a.state, least(a.block_number, s.next_block - 1) as block from ${tokenAudit} a, ${state} s
      where a.token_id = any(${numberArray(locked.map(({ token_id }) => token_id))}::text::int4[])`,
  )
  const known = new Map(stored.map((row) => [row.token_id, row]))
  const newer = locked.filter(({ token_id, place }) => {
    const { block = -1 } = known.get(token_id) ?? {}
    return audits[place]!.record.blockNumber >= block
  })
  if (newer.length === 0) return
  const before = newer.flatMap(({ token_id }) => known.get(token_id) ?? [])
  const ids = numberArray(newer.map(({ token_id }) => token_id))
  const rows = newer.map(({ token_id, place }) => rowOf(token_id, audits[place]!))
  await run(tx`
    insert into ${tokenAudit}
      (token_id, standard, address, state, block_number, time, compared, difference, reason, watched, differed, logs, healed)
    select d.token_id, d.standard, decode(d.address, 'hex'), d.state, d.block_number, d.time, d.compared,
      nullif(d.difference, 'null'::jsonb), d.reason, d.watched,
      case when d.from_block is not null then array[d.from_block, d.to_block] end,
      case when d.logs_from is not null then array[d.logs_from, d.logs_to] end,
      case when d.healed_from is not null then array[d.healed_from, d.healed_to] end
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as d (
      token_id int4, standard int2, address text, state int2, block_number int4, time int8, compared int4,
      difference jsonb, reason text, watched jsonb, from_block int4, to_block int4, logs_from int4, logs_to int4,
      healed_from int4, healed_to int4)
    on conflict (token_id) do update set
      state = excluded.state, block_number = excluded.block_number, time = excluded.time,
      compared = excluded.compared, difference = excluded.difference, reason = excluded.reason,
      watched = excluded.watched, logs = excluded.logs, healed = excluded.healed, differed = excluded.differed`)
  await run(tx`
    update ${token} t set audited = true where t.token_id = any(${ids}::text::int4[]) and not t.audited`)
  await run(tx`update ${state} set revision = revision + 1`)
  await moveCounts({ tx, run }, chain, before, rows)
}

const rowOf = (tokenId: number, { token: { standard, address }, record }: Audited) => ({
  token_id: tokenId,
  standard: standardNumbers[standard],
  address: address.slice(2),
  state: stateNumber(record.state),
  block_number: record.blockNumber,
  time: record.time,
  compared: record.compared,
  difference: record.difference ?? null,
  reason: record.reason === undefined ? null : storable(record.reason),
  watched: record.watched.map(watchedRow),
  from_block: record.differed?.from ?? null,
  to_block: record.differed?.to ?? null,
  logs_from: record.logs?.from ?? null,
  logs_to: record.logs?.to ?? null,
  healed_from: record.healed?.from ?? null,
  healed_to: record.healed?.to ?? null,
})

interface HasState {
  readonly state: number
}

/** Locked in one order, as a rollback does: neither can lock the other out. */
const moveCounts = async (
  { tx, run }: Transaction,
  { auditCount }: ChainSql,
  before: ReadonlyArray<HasState>,
  after: ReadonlyArray<HasState>,
): Promise<void> => {
  const changes = new Map<number, number>()
  for (const { state } of before) changes.set(state, (changes.get(state) ?? 0) - 1)
  for (const { state } of after) changes.set(state, (changes.get(state) ?? 0) + 1)
  const moved = [...changes].filter(([, by]) => by !== 0)
  if (moved.length === 0) return
  await run(tx`select c.state from ${auditCount} c order by c.state for update`)
  await run(tx`
    update ${auditCount} c set tokens = c.tokens + d.number
    from unnest(${numberArray(moved.map(([state]) => state))}::text::int2[],
                ${numberArray(moved.map(([, by]) => by))}::text::int8[]) as d (state, number)
    where c.state = d.state`)
}
