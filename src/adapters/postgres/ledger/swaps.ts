/** Swaps into the open append: rows of pools that are known, a count of the others. */
import type { Segment } from "../../../model/event.ts"
import { sendRows } from "./flush.ts"
import { resolvePools } from "./ids/pools.ts"
import type { Session } from "./wire/session.ts"
import type { OpenAppend, WriterState } from "./writerState.ts"

/** Whole chunks go out, the rest with what is sent next. A swap of a block before its pool's first is of no pool, wherever the segment began. */
export const foldSwaps = async (
  { session, pools, limits }: WriterState,
  open: OpenAppend,
  reader: Session,
  { swaps, pools: facts }: Segment,
): Promise<void> => {
  if (swaps.length === 0 && facts.length === 0) return
  // On one connection, look-ups wait for the rows that are under way.
  if (reader === session) await open.flushed
  await resolvePools(reader, pools, new Set(swaps.map(({ pool }) => pool)), facts)
  const rows = open.folding.swaps
  for (const swap of swaps) {
    const pool = pools.known.get(swap.pool)
    if (pool === undefined || pool.since > swap.blockNumber) {
      open.swaps.skipped++
      continue
    }
    open.swaps.stored++
    rows.row()
    rows.pos(swap.blockNumber, swap.logIndex)
    rows.int8(swap.time)
    rows.int4(swap.paid0 ? pool.asset0 : pool.asset1)
    rows.int4(swap.paid0 ? pool.asset1 : pool.asset0)
    rows.int4(pool.no)
    rows.bytea(swap.txHash, 32)
    rows.bigNumeric(swap.paid)
    rows.bigNumeric(swap.got)
    rows.optionalInt4(swap.txIndex)
    if (rows.rows >= limits.chunkSize) await sendRows(session, open)
  }
}

/** Removes the swaps of block `fromBlock` and above, with the pools and assets that began there; gives how many swaps. */
export const removeSwaps = async (session: Session, fromBlock: number): Promise<number> => {
  const [removed] = await session.run(
    (sql) => sql<[{ swaps: number }]>`
      with gone as (
        delete from swap where pos >= ${fromBlock}::int8 << 24 returning pos
      ), no_pool as (
        delete from pool where since >= ${fromBlock}
      ), no_asset as (
        delete from asset where since >= ${fromBlock}
      )
      select count(*) as swaps from gone`,
  )
  return removed.swaps
}
