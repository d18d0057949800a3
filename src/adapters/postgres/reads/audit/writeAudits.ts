/** The statement that writes records, and returns a row for each. It neither waits for the ledger's writer nor makes it wait. */
import type { Fragment } from "postgres"
import type { AuditRecord } from "../../../../ports/AuditStore.ts"
import type { BornToken } from "../../../../ports/Ledger.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { stateNumber, watchedRow } from "./record.ts"

export const writeAudits = (
  { sql, token, tokenAudit }: ChainSql,
  audits: ReadonlyArray<{ readonly token: BornToken; readonly record: AuditRecord }>,
): Fragment => {
  const rows = audits.map(({ token: { standard, address, firstBlock, firstLogIndex }, record }) => ({
    standard: standardNumbers[standard],
    address: address.slice(2),
    first_block: firstBlock,
    first_log: firstLogIndex,
    state: stateNumber(record.state),
    block_number: record.blockNumber,
    time: record.time,
    compared: record.compared,
    difference: record.difference ?? null,
    reason: record.reason ?? null,
    watched: record.watched.map(watchedRow),
    from_block: record.differed?.from ?? null,
    to_block: record.differed?.to ?? null,
    logs_from: record.logs?.from ?? null,
    logs_to: record.logs?.to ?? null,
    healed_from: record.healed?.from ?? null,
    healed_to: record.healed?.to ?? null,
  }))
  return sql`
    with found as (
      select t.token_id, t.standard, t.address, d.state, d.block_number, d.time, d.compared,
        nullif(d.difference, 'null'::jsonb) as difference, d.reason, d.watched,
        case when d.from_block is not null then array[d.from_block, d.to_block] end as differed,
        case when d.logs_from is not null then array[d.logs_from, d.logs_to] end as logs,
        case when d.healed_from is not null then array[d.healed_from, d.healed_to] end as healed
      from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as d (
        standard int2, address text, first_block int4, first_log int4, state int2, block_number int4, time int8,
        compared int4, difference jsonb, reason text, watched jsonb, from_block int4, to_block int4,
        logs_from int4, logs_to int4, healed_from int4, healed_to int4)
      join ${token} t on t.address = decode(d.address, 'hex') and t.standard = d.standard
        and t.first_pos = d.first_block::int8 << 24 | d.first_log
      for no key update of t skip locked
    ), written as (
      insert into ${tokenAudit}
        (token_id, standard, address, state, block_number, time, compared, difference, reason, watched, differed, logs,
         healed)
      select * from found
      on conflict (token_id) do update set
        state = excluded.state, block_number = excluded.block_number, time = excluded.time,
        compared = excluded.compared, difference = excluded.difference, reason = excluded.reason,
        watched = excluded.watched, logs = excluded.logs, healed = excluded.healed, differed = excluded.differed
      returning token_id
    ), marked as (
      update ${token} t set audited = true from written w where t.token_id = w.token_id and not t.audited
    )
    select token_id from written`
}
