/** Bounds of a feed's part in words that are the same wherever a page begins: so one plan serves every page over many chains. */
import type { Fragment } from "postgres"
import { compareChainIds } from "../../../../model/primitives.ts"
import type { TransferFilter } from "../../../../model/transfer.ts"
import { selectFirstBlockAt } from "./blockAtTime.ts"
import { boundsOf, type PageStart, within } from "./bounds.ts"
import { type Feed, hasSub } from "./feed.ts"
import { int8, partsOf, positionKeyOf } from "./positionKey.ts"

/** Conditions on `t`, each starting with `and`: the same rows as those of `boundsOf`. */
export const withinSteadily = (
  feed: Feed,
  filter: Pick<TransferFilter, "blockNumberFrom" | "blockNumberTo">,
  start: PageStart | undefined,
): Array<Fragment> => {
  const blocks = within(feed, boundsOf(feed, filter, undefined))
  return start === undefined ? blocks : [...blocks, beyond(feed, start)]
}

/** On the key's own chain from its place on, on the others from its time on: the server asks for the one it needs. */
const beyond = (feed: Feed, { key, direction }: PageStart): Fragment => {
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
  return hasSub(kind)
    ? sql`and (t.pos, t.sub) ${operator} (${at}, case when ${isOwn} then ${String(sub)}::int4 else 0 end)`
    : sql`and t.pos ${operator} ${at}`
}
