/** Position keys: a row's place in the feed of its chain and standard as one number, as walks reckon with it. */
import type { Fragment, Sql } from "postgres"
import type { Standard } from "../../../../model/token.ts"
import { type FeedKind, type FeedTable, hasSub } from "./table.ts"

/**
 * `pos` where a log has one row; where it may have several, `pos << 31 | sub`. Statements take it apart again, as
 * indexes hold `pos` and `sub`.
 */
export type PositionKey = bigint

/** Position keys from `low` on and below `high`. */
export interface Stretch {
  readonly low: PositionKey
  readonly high: PositionKey
}

const subBits = (standard: FeedKind): bigint => (hasSub(standard) ? 31n : 0n)

/** Block numbers are int4 in the ledger: what lies beyond is clamped here, before any shift. */
const blockEnd = 2 ** 31
const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(Math.trunc(value), low), high)

/** The position key of a row; may exceed 2⁵³. */
export const positionKeyOf = (standard: FeedKind, blockNumber: number, logIndex = 0, sub = 0): PositionKey => {
  const pos = (BigInt(clamp(blockNumber, 0, blockEnd)) << 24n) + BigInt(clamp(logIndex, 0, 2 ** 24 - 1))
  return hasSub(standard) ? (pos << 31n) + BigInt(clamp(sub, 0, 2 ** 31 - 1)) : pos
}

/** Above every row. */
export const positionKeyEnd = (standard: FeedKind): PositionKey => positionKeyOf(standard, blockEnd)

export const partsOf = (
  standard: FeedKind,
  positionKey: PositionKey,
): { readonly pos: bigint; readonly sub: bigint } => {
  const bits = subBits(standard)
  return { pos: positionKey >> bits, sub: positionKey & ((1n << bits) - 1n) }
}

/** The blocks that a stretch begins and ends in. */
export const blocksOf = (
  standard: Standard,
  { low, high }: Stretch,
): { readonly bottom: number; readonly top: number } => ({
  bottom: Number(low >> (24n + subBits(standard))),
  top: Number((high - 1n) >> (24n + subBits(standard))),
})

/** The position key of a row, int8 or numeric. */
export const selectPositionKey = (sql: Sql, { standard }: FeedTable, alias: string): Fragment =>
  hasSub(standard) ? sql`(${sql(alias)}.pos::numeric * 2147483648 + ${sql(alias)}.sub)` : sql`${sql(alias)}.pos`

/** The position key of a log's first row; `pos` is an int8 expression. */
export const selectFirstMark = (sql: Sql, { standard }: FeedTable, pos: Fragment): Fragment =>
  hasSub(standard) ? sql`((${pos})::numeric * 2147483648)` : sql`(${pos})`

export const int8 = (sql: Sql, value: bigint): Fragment => sql`${String(value)}::int8`

/** The places of position keys, as rows. */
export const selectPositions = (sql: Sql, standard: Standard, positionKeys: ReadonlyArray<PositionKey>): Fragment => {
  const parts = positionKeys.map((positionKey) => partsOf(standard, positionKey))
  const positions = sql`${parts.map(({ pos }) => String(pos))}::int8[]`
  if (!hasSub(standard)) return sql`select unnest(${positions}) as pos`
  return sql`select * from unnest(${positions}, ${parts.map(({ sub }) => Number(sub))}::int4[]) place (pos, sub)`
}
