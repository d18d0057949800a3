/** Which part of one chain's feed a page reads: bounds of the rows' positions, from the block filter and the cursor. */
import type { Fragment, Sql } from "postgres"
import { compareChainIds } from "../../../../model/primitives.ts"
import type { FeedKey, FeedRange } from "../../../../model/transfer.ts"
import { joined } from "../../database/fragments.ts"
import { selectFirstBlockAt } from "./blockAtTime.ts"
import type { Direction, Feed } from "./feed.ts"
import { int8, type KeyRange, type PositionKey, partsOf, positionKeyEnd, positionKeyOf } from "./positionKey.ts"
import { transactionBounds } from "./transactionBounds.ts"

/** The rows strictly beyond `key`, going in `direction`. */
export interface PageStart {
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
  feed: Feed,
  { blockNumberFrom, blockNumberTo, timestampFrom, timestampTo, finalized, transaction }: FeedRange,
  start: PageStart | undefined,
): Bounds => {
  const { sql, chain } = feed
  const bound = start === undefined ? [] : [startBound(feed, start)]
  const ofIts = transactionBounds(feed, transaction)
  const lows = [
    ...ofIts.lows,
    ...(blockNumberFrom === undefined ? [] : [positionKeyOf(feed.kind, blockNumberFrom)]),
    ...(timestampFrom === undefined ? [] : [firstPositionAt(feed, timestampFrom)]),
    ...(start?.direction === "asc" ? bound : []),
  ]
  const highs = [
    ...ofIts.highs,
    ...(blockNumberTo === undefined ? [] : [positionKeyOf(feed.kind, blockNumberTo + 1)]),
    ...(timestampTo === undefined ? [] : [firstPositionAt(feed, timestampTo + 1)]),
    ...(finalized === undefined ? [] : [sql`((select s.finalized_block::int8 + 1 from ${chain.state} s) << 24)`]),
    ...(start?.direction === "desc" ? bound : []),
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

/** The same of a range's part: conditions on `t`, each starting with `and`. */
export const inRange = (feed: Feed, range: FeedRange, start: PageStart | undefined): Array<Fragment> => [
  ...within(feed, boundsOf(feed, range, start)),
  ofTransaction(feed.sql, range),
]

/** A condition on `t`: its block is the bounds' to say. */
export const ofTransaction = (sql: Sql, { transaction }: FeedRange): Fragment =>
  transaction === undefined ? sql`` : sql`and t.tx_hash = ${transaction.hash}::bytea`

/** Conditions on `t`, each starting with `and`. */
export const within = (feed: Feed, { lows, highs }: Bounds): Array<Fragment> => {
  const { sql } = feed
  return [sql``, ...compareAll(feed, lows, "low"), ...compareAll(feed, highs, "high")]
}

/** A bound inside a log and others are one bound, the nearest of them: see `withOneKey`. */
const compareAll = (feed: Feed, bounds: ReadonlyArray<Bound>, side: "low" | "high"): Array<Fragment> => {
  const { sql, kind } = feed
  const operator = side === "low" ? sql`>=` : sql`<`
  const key = bounds.find((bound) => typeof bound === "bigint")
  const others = bounds.filter((bound) => typeof bound !== "bigint")
  const { pos, sub } = key === undefined ? { pos: 0n, sub: 0n } : partsOf(kind, key)
  if (sub === 0n || others.length === 0) return bounds.map((bound) => compare(feed, bound, operator))
  const nearest = side === "low" ? sql`greatest` : sql`least`
  const other = sql`${nearest}(${joined(others, sql`,`)})`
  const isOther = side === "low" ? sql`${other} > ${int8(sql, pos)}` : sql`${other} <= ${int8(sql, pos)}`
  return [
    sql`and (t.pos, t.sub) ${operator}
      (${nearest}(${other}, ${int8(sql, pos)}), case when ${isOther} then 0 else ${String(sub)}::int4 end)`,
  ]
}

const compare = ({ sql, kind }: Feed, bound: Bound, operator: Fragment): Fragment => {
  if (typeof bound !== "bigint") return sql`and t.pos ${operator} ${bound}`
  const { pos, sub } = partsOf(kind, bound)
  return sub === 0n
    ? sql`and t.pos ${operator} ${int8(sql, pos)}`
    : sql`and (t.pos, t.sub) ${operator} (${int8(sql, pos)}, ${String(sub)}::int4)`
}

export const withinRange = (feed: Feed, { low, high }: KeyRange): Array<Fragment> =>
  within(feed, { lows: [low], highs: [high] })

/** Many chains order by (time, chain, position): on the key's own chain that is its position key, on the others a time. */
const startBound = (feed: Feed, { key, direction }: PageStart): Bound => {
  const { kind } = feed
  const side = compareChainIds(feed.chain.chainId, key.chainId)
  if (side === 0) {
    return positionKeyOf(kind, key.blockNumber, key.logIndex, key.sub) + (direction === "asc" ? 1n : 0n)
  }
  // Rows of the key's very time lie behind it on the chains that the direction has passed, ahead of it on the others.
  const inclusive = direction === "desc" ? side < 0 : side > 0
  return firstPositionAt(feed, (direction === "desc") === inclusive ? key.time + 1 : key.time)
}

/** Rows below it are older than the time, all others are not. */
const firstPositionAt = (feed: Feed, time: number): Fragment =>
  feed.sql`((${selectFirstBlockAt(feed, Math.min(Math.max(Math.trunc(time), -(2 ** 52)), 2 ** 52))})::int8 << 24)`

/** A scalar: the position keys `[low, high]` of the feed's part as JSON texts. */
export const selectKeyRange = (feed: Feed, range: FeedRange, start: PageStart | undefined): Fragment => {
  const { sql, kind } = feed
  const { lows, highs } = boundsOf(feed, range, start)
  const scale = positionKeyOf(kind, 0, 1)
  const positionKey = (bound: Bound) =>
    typeof bound === "bigint" ? sql`${String(bound)}::numeric` : sql`${bound}::numeric * ${String(scale)}::numeric`
  return sql`select json_build_array(
    greatest(0::numeric ${[sql``, ...lows.map((low) => sql`, ${positionKey(low)}`)]})::text,
    least(${positionKey(positionKeyEnd(kind))} ${[sql``, ...highs.map((high) => sql`, ${positionKey(high)}`)]})::text)`
}
