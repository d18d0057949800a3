/** What tokens come to, gathered as it is found out, added up once. */
import { numberArray } from "../../database/arrays.ts"
import type { Edges } from "../state/windows.ts"
import { CopyRows, copyIn } from "../wire/copy.ts"
import type { Session } from "../wire/session.ts"

/** A part of a token's counters: numbers are added up, of the last numbers given out the highest counts. */
export interface CountPart {
  readonly token: number
  readonly transfers?: number
  readonly holders?: number
  readonly holderSeq?: number
}

export const storeCounts = async (session: Session, parts: ReadonlyArray<CountPart>): Promise<void> => {
  if (parts.length === 0) return
  await copyIn(session, "bulk_count (token_id, transfers, holders, ids, holder_seq, unit_seq)", encode(parts))
}

function* encode(parts: ReadonlyArray<CountPart>): Iterable<Uint8Array> {
  const rows = new CopyRows(6)
  for (const { token, transfers = 0, holders = 0, holderSeq = 1 } of parts) {
    rows.row()
    rows.int4(token)
    rows.int8(transfers)
    rows.int8(holders)
    rows.int8(0)
    rows.int4(holderSeq)
    rows.int4(0)
    if (rows.slices.length > 0) yield* rows.slices.splice(0)
  }
  yield* rows.take()
}

/** The counters of all tokens. Rolling counts are of the rows from the edges to block `end`: found by the transfers' keys. */
export const settleCounts = async (session: Session, edges: Edges, end: number): Promise<void> => {
  await session.run(
    (sql) => sql`
      update token_stat s set
        transfers = c.transfers, holders = c.holders, ids = c.ids, holder_seq = c.holder_seq, unit_seq = c.unit_seq
      from (
        select token_id, sum(transfers)::int8 as transfers, sum(holders)::int8 as holders, sum(ids)::int8 as ids,
               max(holder_seq) as holder_seq, max(unit_seq) as unit_seq
        from bulk_count group by token_id
      ) c where s.token_id = c.token_id`,
  )
  await session.run(
    (sql) => sql`
      update token_stat s set last_24h = c.last_24h, last_48h = c.last_48h, last_72h = c.last_72h
      from (
        select r.token_id, sum(r.rows * p.by_24h)::int4 as last_24h, sum(r.rows * p.by_48h)::int4 as last_48h,
               sum(r.rows * p.by_72h)::int4 as last_72h
        from unnest(${numberArray(edges)}::text::int4[], '{1,0,0}'::int4[], '{0,1,0}'::int4[], '{0,0,1}'::int4[])
          as p (low, by_24h, by_48h, by_72h)
        cross join lateral (
          select t.token_id, count(*) as rows from erc20_transfer t
          where t.pos >= p.low::int8 << 24 and t.pos < ${end}::int8 << 24 group by t.token_id
          union all
          select t.token_id, count(*) from erc721_transfer t
          where t.pos >= p.low::int8 << 24 and t.pos < ${end}::int8 << 24 group by t.token_id
          union all
          select t.token_id, count(*) from erc1155_transfer t
          where t.pos >= p.low::int8 << 24 and t.pos < ${end}::int8 << 24 group by t.token_id
        ) r group by r.token_id
      ) c where s.token_id = c.token_id`,
  )
}
