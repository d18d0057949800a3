/** Which part of one chain's feed a page reads: bounds of the rows' places, from the block filter and the cursor. */
import type { Fragment, Sql } from "postgres"
import { compareChainIds } from "../../../../model/primitives.ts"
import type { FeedKey, TransferFilter } from "../../../../model/transfer.ts"
import { int8, type PositionKey, partsOf, positionKeyEnd, positionKeyOf, type Stretch } from "./positionKey.ts"
import type { AnyFeed, FeedKind } from "./table.ts"
import { selectFirstBlockAt } from "./times.ts"

export type Direction = "asc" | "desc"

/** The rows strictly beyond `key`, going in `direction`. */
export interface Place {
  readonly key: FeedKey
  readonly direction: Direction
}

/** A position key, or the `pos` of a log's first row as an int8 expression. */
type Bound = PositionKey | Fragment

/** Rows lie from each of `lows` on, and below each of `highs`. At most one of either is a position key. */
export interface Bounds {
  readonly lows: ReadonlyArray<Bound>
  readonly highs: ReadonlyArray<Bound>
}

export const boundsOf = (
  sql: Sql,
  feed: AnyFeed,
  { blockNumberFrom, blockNumberTo }: Pick<TransferFilter, "blockNumberFrom" | "blockNumberTo">,
  place?: Place,
): Bounds => {
  const bound = place === undefined ? [] : [placeBound(sql, feed, place)]
  const lows = [
    ...(blockNumberFrom === undefined ? [] : [positionKeyOf(feed.standard, blockNumberFrom)]),
    ...(place?.direction === "asc" ? bound : []),
  ]
  const highs = [
    ...(blockNumberTo === undefined ? [] : [positionKeyOf(feed.standard, blockNumberTo + 1)]),
    ...(place?.direction === "desc" ? bound : []),
  ]
  return {
    lows: withOneKey(lows, (a, b) => a > b),
    highs: withOneKey(highs, (a, b) => a < b),
  }
}

/** The server would begin an index scan at any one of several bounds of (pos, sub), not at the nearest. */
const withOneKey = (
  bounds: ReadonlyArray<Bound>,
  isNearer: (a: PositionKey, b: PositionKey) => boolean,
): ReadonlyArray<Bound> => {
  const positionKeys = bounds.filter((bound) => typeof bound === "bigint")
  return [
    ...bounds.filter((bound) => typeof bound !== "bigint"),
    ...(positionKeys.length === 0
      ? []
      : [positionKeys.reduce((near, positionKey) => (isNearer(positionKey, near) ? positionKey : near))]),
  ]
}

export const within = (sql: Sql, standard: FeedKind, { lows, highs }: Bounds): Array<Fragment> => [
  sql``,
  ...lows.map((low) => compare(sql, standard, low, sql`>=`)),
  ...highs.map((high) => compare(sql, standard, high, sql`<`)),
]

/** A condition on `t`, starting with `and`. */
const compare = (sql: Sql, standard: FeedKind, bound: Bound, operator: Fragment): Fragment => {
  if (typeof bound !== "bigint") return sql`and t.pos ${operator} ${bound}`
  const { pos, sub } = partsOf(standard, bound)
  return sub === 0n
    ? sql`and t.pos ${operator} ${int8(sql, pos)}`
    : sql`and (t.pos, t.sub) ${operator} (${int8(sql, pos)}, ${String(sub)}::int4)`
}

export const withinStretch = (sql: Sql, standard: FeedKind, { low, high }: Stretch): Array<Fragment> =>
  within(sql, standard, { lows: [low], highs: [high] })

/** Many chains order by (time, chain, place): on the key's own chain that is its position key, on the others a time. */
const placeBound = (sql: Sql, feed: AnyFeed, { key, direction }: Place): Bound => {
  const side = compareChainIds(feed.chain.chainId, key.chainId)
  if (side === 0) {
    return positionKeyOf(feed.standard, key.blockNumber, key.logIndex, key.sub) + (direction === "asc" ? 1n : 0n)
  }
  // Rows of the key's very time lie behind it on the chains that the direction has passed, ahead of it on the others.
  const inclusive = direction === "desc" ? side < 0 : side > 0
  const time = Math.min(Math.max(Math.trunc(key.time), -(2 ** 52)), 2 ** 52)
  const parting = (direction === "desc") === inclusive ? time + 1 : time
  return sql`((${selectFirstBlockAt(sql, feed, parting)})::int8 << 24)`
}

/** A scalar: the position keys `[low, high]` of the feed's part as JSON texts. */
export const selectStretch = (sql: Sql, feed: AnyFeed, filter: TransferFilter, place: Place | undefined): Fragment => {
  const { lows, highs } = boundsOf(sql, feed, filter, place)
  const scale = positionKeyOf(feed.standard, 0, 1)
  const positionKey = (bound: Bound) =>
    typeof bound === "bigint" ? sql`${String(bound)}::numeric` : sql`${bound}::numeric * ${String(scale)}::numeric`
  return sql`select json_build_array(
    greatest(0::numeric ${[sql``, ...lows.map((low) => sql`, ${positionKey(low)}`)]})::text,
    least(${positionKey(positionKeyEnd(feed.standard))} ${[sql``, ...highs.map((high) => sql`, ${positionKey(high)}`)]})::text)`
}
