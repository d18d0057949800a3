/** Position keys: a row's position in the feed of its chain as one number, as walks reckon with it. */
import type { Fragment, Sql } from "postgres"
import { type Feed, type FeedKind, hasSub } from "./feed.ts"

/**
 * `pos` where a log has one row; where it may have several, `pos << 31 | sub`. Statements take it apart again, as
 * indexes hold `pos` and `sub`.
 */
export type PositionKey = bigint

/** Position keys from `low` on and below `high`. */
export interface KeyRange {
  readonly low: PositionKey
  readonly high: PositionKey
}

const subBits = (kind: FeedKind): bigint => (hasSub(kind) ? 31n : 0n)

/** Block numbers are int4 in the ledger: what lies beyond is clamped here, before any shift. */
const blockEnd = 2 ** 31
const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(Math.trunc(value), low), high)

/** The position key of a row; may exceed 2⁵³. */
export const positionKeyOf = (kind: FeedKind, blockNumber: number, logIndex = 0, sub = 0): PositionKey => {
  const pos = (BigInt(clamp(blockNumber, 0, blockEnd)) << 24n) + BigInt(clamp(logIndex, 0, 2 ** 24 - 1))
  return hasSub(kind) ? (pos << 31n) + BigInt(clamp(sub, 0, 2 ** 31 - 1)) : pos
}

/** Above every row. */
export const positionKeyEnd = (kind: FeedKind): PositionKey => positionKeyOf(kind, blockEnd)

export const partsOf = (kind: FeedKind, positionKey: PositionKey): { readonly pos: bigint; readonly sub: bigint } => {
  const bits = subBits(kind)
  return { pos: positionKey >> bits, sub: positionKey & ((1n << bits) - 1n) }
}

export const keyOfParts = (kind: FeedKind, pos: bigint, sub: bigint): PositionKey => (pos << subBits(kind)) + sub

/** The blocks that a range begins and ends in. */
export const blocksOf = (
  kind: FeedKind,
  { low, high }: KeyRange,
): { readonly bottom: number; readonly top: number } => ({
  bottom: Number(low >> (24n + subBits(kind))),
  top: Number((high - 1n) >> (24n + subBits(kind))),
})

/** The position key of a row, int8 or numeric. */
export const selectPositionKey = ({ sql, kind }: Feed, alias: string): Fragment =>
  hasSub(kind) ? sql`(${sql(alias)}.pos::numeric * 2147483648 + ${sql(alias)}.sub)` : sql`${sql(alias)}.pos`

/** The position key of a log's first row; `pos` is an int8 expression. */
export const selectFirstKeyOfLog = ({ sql, kind }: Feed, pos: Fragment): Fragment =>
  hasSub(kind) ? sql`((${pos})::numeric * 2147483648)` : sql`(${pos})`

export const int8 = (sql: Sql, value: bigint): Fragment => sql`${String(value)}::int8`

/** The positions of position keys, as rows. */
export const unnestPositions = ({ sql, kind }: Feed, positionKeys: ReadonlyArray<PositionKey>): Fragment => {
  const parts = positionKeys.map((positionKey) => partsOf(kind, positionKey))
  const positions = sql`${parts.map(({ pos }) => String(pos))}::int8[]`
  if (!hasSub(kind)) return sql`select unnest(${positions}) as pos`
  return sql`select * from unnest(${positions}, ${parts.map(({ sub }) => Number(sub))}::int4[]) place (pos, sub)`
}
