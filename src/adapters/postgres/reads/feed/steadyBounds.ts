/** Bounds of a feed's part in words that are the same wherever a page begins: so one plan serves every page over many chains. */
import type { Fragment } from "postgres"
import { compareChainIds } from "../../../../model/primitives.ts"
import type { FeedRange } from "../../../../model/transfer.ts"
import { joined } from "../../database/fragments.ts"
import { selectFirstBlockAt } from "./blockAtTime.ts"
import { type Bounds, boundsOf, inRange, ofTransaction, type PageStart, within } from "./bounds.ts"
import { type Feed, hasSub } from "./feed.ts"
import { int8, partsOf, positionKeyOf } from "./positionKey.ts"

/** Conditions on `t`, each starting with `and`: the same rows as those of `inRange`. */
export const withinSteadily = (feed: Feed, range: FeedRange, start: PageStart | undefined): Array<Fragment> => {
  if (start === undefined) return inRange(feed, range, undefined)
  const { lows, highs } = boundsOf(feed, range, undefined)
  const [beside, against] = start.direction === "desc" ? [highs, { lows, highs: [] }] : [lows, { lows: [], highs }]
  return [...within(feed, against), beyond(feed, start, beside), ofTransaction(feed.sql, range)]
}

/**
 * On the key's own chain from its place on, on the others from its time on: the server asks for the one it needs.
 * `beside`: bounds of the range on the same side, which are of whole blocks. With a place inside a log they are one bound,
 * the nearest of them: the server would begin at any one.
 */
const beyond = (feed: Feed, { key, direction }: PageStart, beside: Bounds["lows"]): Fragment => {
  const { sql, kind } = feed
  const side = compareChainIds(feed.chain.chainId, key.chainId)
  const isOwn = sql`${side === 0}::boolean`
  const own = positionKeyOf(kind, key.blockNumber, key.logIndex, key.sub) + (direction === "asc" ? 1n : 0n)
  const { pos, sub } = partsOf(kind, own)
  const inclusive = direction === "desc" ? side < 0 : side > 0
  const time = Math.min(Math.max(Math.trunc(key.time), -(2 ** 52)), 2 ** 52)
  const parting = (direction === "desc") === inclusive ? time + 1 : time
  const at = sql`case when ${isOwn} then ${int8(sql, pos)} else (${selectFirstBlockAt(feed, parting)})::int8 << 24 end`
  const operator = direction === "desc" ? sql`<` : sql`>=`
  const others = beside.map((bound) => (typeof bound === "bigint" ? int8(sql, partsOf(kind, bound).pos) : bound))
  if (!hasSub(kind))
    return sql`and t.pos ${operator} ${at} ${[sql``, ...others.map((it) => sql`and t.pos ${operator} ${it}`)]}`
  if (others.length === 0)
    return sql`and (t.pos, t.sub) ${operator} (${at}, case when ${isOwn} then ${String(sub)}::int4 else 0 end)`
  const nearest = direction === "desc" ? sql`least` : sql`greatest`
  const other = sql`${nearest}(${joined(others, sql`,`)})`
  const isNearest = direction === "desc" ? sql`${other} > ${int8(sql, pos)}` : sql`${other} <= ${int8(sql, pos)}`
  return sql`and (t.pos, t.sub) ${operator}
    (${nearest}(${other}, ${at}), case when ${isOwn} and ${isNearest} then ${String(sub)}::int4 else 0 end)`
}
