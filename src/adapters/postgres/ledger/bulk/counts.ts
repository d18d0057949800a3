/** What tokens come to, gathered as it is found out, added up once. */
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

/** As `storeCounts` of the transfers of all rows from the block on, which are read. */
export const countStored = async (session: Session, fromBlock: number): Promise<void> => {
  await session.run(
    (sql) => sql`
      insert into bulk_count (token_id, transfers, holders, ids, holder_seq, unit_seq)
      select token_id, count(*), 0, 0, 1, 0
      from (
        select token_id from erc20_transfer where pos >= ${fromBlock}::int8 << 24
        union all select token_id from erc721_transfer where pos >= ${fromBlock}::int8 << 24
        union all select token_id from erc1155_transfer where pos >= ${fromBlock}::int8 << 24
      ) r group by token_id`,
  )
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

/**
 * The counters of all tokens. A window that begins with the ledger, as those of a young chain do, holds all rows; of the
 * others the rows from their edges on are counted, which the transfers' keys find.
 */
export const settleCounts = async (session: Session, edges: Edges, firstBlock: number): Promise<void> => {
  const isWhole = (edge: number) => edge <= firstBlock
  await session.run(
    (sql) => sql`
      update token_stat s set
        transfers = c.transfers, holders = c.holders, ids = c.ids, holder_seq = c.holder_seq, unit_seq = c.unit_seq,
        last_24h = case when ${isWhole(edges[0])} then c.transfers else 0 end,
        last_48h = case when ${isWhole(edges[1])} then c.transfers else 0 end,
        last_72h = case when ${isWhole(edges[2])} then c.transfers else 0 end
      from (
        select token_id, sum(transfers)::int8 as transfers, sum(holders)::int8 as holders, sum(ids)::int8 as ids,
               max(holder_seq) as holder_seq, max(unit_seq) as unit_seq
        from bulk_count group by token_id
      ) c where s.token_id = c.token_id`,
  )
  const open = edges.filter((edge) => !isWhole(edge))
  if (open.length === 0) return
  const from = Math.min(...open)
  await session.run(
    (sql) => sql`
      update token_stat s set
        last_24h = case when ${isWhole(edges[0])} then s.last_24h else c.last_24h end,
        last_48h = case when ${isWhole(edges[1])} then s.last_48h else c.last_48h end,
        last_72h = case when ${isWhole(edges[2])} then s.last_72h else c.last_72h end
      from (
        select token_id, count(*) filter (where pos >= ${edges[0]}::int8 << 24) as last_24h,
               count(*) filter (where pos >= ${edges[1]}::int8 << 24) as last_48h,
               count(*) filter (where pos >= ${edges[2]}::int8 << 24) as last_72h
        from (
          select token_id, pos from erc20_transfer where pos >= ${from}::int8 << 24
          union all select token_id, pos from erc721_transfer where pos >= ${from}::int8 << 24
          union all select token_id, pos from erc1155_transfer where pos >= ${from}::int8 << 24
        ) r group by token_id
      ) c where s.token_id = c.token_id`,
  )
}
