/** The last 24, 48 and 72 hours of chain time: where each begins, and which rows its moving brings in or takes out. */
import type { Checkpoint } from "../../../../model/event.ts"
import { numberArray } from "../../database/arrays.ts"
import type { Session } from "../wire/session.ts"

const windowSeconds = [24 * 3600, 48 * 3600, 72 * 3600] as const

/** The block each window begins with: rows of blocks from there on are younger than the head's time less its length, all others are not. */
export type Edges = readonly [number, number, number]

/**
 * Where the windows of a ledger whose head is of time `headTime` begin: not below `low`, not above `high`. Time never
 * falls along a chain, so each edge is found by halving between two rows of `clock`: about eight look-ups a table.
 */
export const findEdges = async (session: Session, headTime: number, low: Edges, high: Edges): Promise<Edges> => {
  const rows = await session.run(
    (sql) => sql<Array<{ low: number }>>`
      with recursive halving (place, start, low, high) as (
        select w.place, w.start,
               greatest(w.low, (select c.block + 1 from clock c where c.time < w.start order by c.time desc, c.block desc limit 1)),
               least(w.high, (select c.block from clock c where c.time >= w.start order by c.time, c.block limit 1))
        from unnest(${numberArray(windowSeconds.map((seconds) => headTime - seconds + 1))}::text::int8[],
                    ${numberArray(low)}::text::int4[], ${numberArray(high)}::text::int4[])
          with ordinality as w (start, low, high, place)
        union all
        select h.place, h.start, case when at_middle.older then at_middle.block + 1 else h.low end,
               case when at_middle.older then h.high else m.middle end
        from halving h
        cross join lateral (select h.low + (h.high - h.low) / 2 as middle) m
        cross join lateral (
          -- the first row from the middle on, of whichever standard; none counts as young
          select coalesce(min(r.time) < h.start, false) as older, (min(r.pos) >> 24)::int4 as block
          from (
            (select t.time, t.pos from erc20_transfer t where t.pos >= m.middle::int8 << 24 order by t.pos limit 1)
            union all
            (select t.time, t.pos from erc721_transfer t where t.pos >= m.middle::int8 << 24 order by t.pos limit 1)
            union all
            (select t.time, t.pos from erc1155_transfer t where t.pos >= m.middle::int8 << 24 order by t.pos limit 1)
          ) r
        ) at_middle
        where h.low < h.high
      )
      select low from halving where low >= high order by place`,
  )
  return [rows[0]!.low, rows[1]!.low, rows[2]!.low]
}

/**
 * The same ahead of an append, by what is stored before it; undefined where the append is so long that its own rows may
 * be beyond a window. Those of a shorter one are in every window: it begins within the shortest.
 */
export const edgesAhead = (
  session: Session,
  {
    position: { checkpoint, edges },
  }: { readonly position: { readonly checkpoint: Checkpoint; readonly edges: Edges } },
  { head }: { readonly head: { readonly time: number } },
): Promise<Edges> | undefined => {
  const { head: before, nextBlock } = checkpoint
  if (before === undefined || before.time <= head.time - windowSeconds[0]) return undefined
  const found = findEdges(session, head.time, edges, [nextBlock, nextBlock, nextBlock])
  // Awaited by the commit.
  found.catch(() => {})
  return found
}

/** Rows of blocks `from` to `to` − 1 that enter (1) or leave (−1) each of the windows. */
export interface Passage {
  readonly from: number
  readonly to: number
  readonly by: readonly [number, number, number]
}

const windows = [0, 1, 2] as const

/** What the edges' moving up takes out of the windows, of blocks below `end`. */
export const leaving = (before: Edges, after: Edges, end: number): ReadonlyArray<Passage> =>
  windows.map((window) => ({ from: before[window], to: Math.min(after[window], end), by: only(window, -1) }))

/** What the edges' moving back brings into the windows, once the removed rows are gone. */
export const returning = (before: Edges, after: Edges): ReadonlyArray<Passage> =>
  windows.map((window) => ({ from: after[window], to: before[window], by: only(window, 1) }))

/** What an append of blocks `from` to `to` − 1 brings into those windows that begin within it. */
export const entering = (after: Edges, from: number, to: number): ReadonlyArray<Passage> =>
  windows.filter((window) => after[window] > from).map((window) => ({ from: after[window], to, by: only(window, 1) }))

const only = (window: number, by: number): Passage["by"] => [
  window === 0 ? by : 0,
  window === 1 ? by : 0,
  window === 2 ? by : 0,
]
