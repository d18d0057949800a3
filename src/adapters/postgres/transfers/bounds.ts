/** Which part of one chain's feed a page reads: bounds of `pos`, from the block filter and the cursor. */
import type { Fragment, Sql } from "postgres"
import { compareChainIds } from "../../../domain/model/primitives.ts"
import type { FeedKey, TransferFilter } from "../../../domain/model/transfer.ts"
import type { ChainTables } from "../tables.ts"

export type Direction = "asc" | "desc"

/** The rows strictly beyond `key`, going in `direction`. */
export interface Place {
  readonly key: FeedKey
  readonly direction: Direction
}

/** int8 expressions: rows have `pos` from each of `lows` on, and below each of `highs`. */
export interface Bounds {
  readonly lows: ReadonlyArray<Fragment>
  readonly highs: ReadonlyArray<Fragment>
}

/** Positions from `low` on and below `high`. */
export interface Stretch {
  readonly low: bigint
  readonly high: bigint
}

/** The blocks that a stretch begins and ends in. */
export const blocksOf = ({ low, high }: Stretch): { readonly bottom: number; readonly top: number } => ({
  bottom: Number(low >> 24n),
  top: Number((high - 1n) >> 24n),
})

/** Block numbers are int4 in the ledger: what lies beyond is clamped here, before any shift. */
const blockEnd = 2 ** 31
const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(Math.trunc(value), low), high)

/** The position of a log; may exceed 2⁵³. */
export const positionOf = (blockNumber: number, logIndex = 0): bigint =>
  (BigInt(clamp(blockNumber, 0, blockEnd)) << 24n) + BigInt(clamp(logIndex, 0, 2 ** 24 - 1))

/** Above every position. */
export const positionEnd = positionOf(blockEnd)

export const boundsOf = (sql: Sql, chain: ChainTables, filter: TransferFilter, place?: Place): Bounds => {
  const { blockNumberFrom, blockNumberTo } = filter
  const bound = place === undefined ? undefined : placeBound(sql, chain, place)
  return {
    lows: [
      ...(blockNumberFrom === undefined ? [] : [int8(sql, positionOf(blockNumberFrom))]),
      ...(bound === undefined || place?.direction === "desc" ? [] : [bound]),
    ],
    highs: [
      ...(blockNumberTo === undefined ? [] : [int8(sql, positionOf(blockNumberTo + 1))]),
      ...(bound === undefined || place?.direction === "asc" ? [] : [bound]),
    ],
  }
}

/** Conditions on `t.pos`, each starting with `and`. */
export const within = (sql: Sql, { lows, highs }: Bounds): Array<Fragment> => [
  sql``,
  ...lows.map((low) => sql`and t.pos >= ${low}`),
  ...highs.map((high) => sql`and t.pos < ${high}`),
]

export const int8 = (sql: Sql, value: bigint): Fragment => sql`${String(value)}::int8`

/** Many chains order by (time, chain, position): on the key's own chain that is its position, on the others a time. */
const placeBound = (sql: Sql, chain: ChainTables, { key, direction }: Place): Fragment => {
  const side = compareChainIds(chain.chainId, key.chainId)
  if (side === 0) return int8(sql, positionOf(key.blockNumber, key.logIndex) + (direction === "asc" ? 1n : 0n))
  // Rows of the key's very time lie behind it on the chains that the direction has passed, ahead of it on the others.
  const inclusive = direction === "desc" ? side < 0 : side > 0
  const time = clamp(key.time, -(2 ** 52), 2 ** 52)
  const parting = (direction === "desc") === inclusive ? time + 1 : time
  return sql`((${firstBlockAt(sql, chain, parting)})::int8 << 24)`
}

/**
 * A block that parts the chain's rows in time: every row below it is older than `time`, every row from it on is not.
 * Time never falls along a chain, so it is found by halving between two rows of `clock`: about eight look-ups.
 */
const firstBlockAt = (
  sql: Sql,
  { clock, state, transfers: { erc20: transfer } }: ChainTables,
  time: number,
): Fragment => sql`
  with recursive halving (low, high) as (
    select coalesce((select c.block + 1 from ${clock} c where c.time < ${time}::int8
                     order by c.time desc, c.block desc limit 1), 0),
           coalesce((select c.block from ${clock} c where c.time >= ${time}::int8 order by c.time, c.block limit 1),
                    (select s.next_block from ${state} s))
    union all
    select case when at_middle.older then at_middle.block + 1 else h.low end,
           case when at_middle.older then h.high else h.low + (h.high - h.low) / 2 end
    from halving h cross join lateral (
      select coalesce(max(r.time) < ${time}::int8, false) as older, (max(r.pos) >> 24)::int4 as block
      from (
        select t.time, t.pos from ${transfer} t
        where t.pos >= (h.low + (h.high - h.low) / 2)::int8 << 24 order by t.pos limit 1
      ) r
    ) at_middle
    where h.low < h.high
  )
  select low from halving where low >= high`

/** A scalar: `[low, high]` of the chain's rows as JSON texts. */
export const selectStretch = (
  sql: Sql,
  chain: ChainTables,
  filter: TransferFilter,
  place: Place | undefined,
): Fragment => {
  const { lows, highs } = boundsOf(sql, chain, filter, place)
  return sql`select json_build_array(
    greatest(${int8(sql, 0n)} ${[sql``, ...lows.map((low) => sql`, ${low}`)]})::text,
    least(${int8(sql, positionEnd)} ${[sql``, ...highs.map((high) => sql`, ${high}`)]})::text)`
}
