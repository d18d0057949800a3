/** The first rows of one chain's walk, as far as they are wanted: what is remembered of it, the blocks since, and what lies behind. */
import type { Direction, TransferFeed } from "../feed/feed.ts"
import { type KeyRange, type PositionKey, positionKeyOf } from "../feed/positionKey.ts"
import { type Walker, type WalkRequest, walkChain } from "./walk/walkChain.ts"
import type { Walked, WalkedLedger } from "./walkedKeys.ts"

/** Rows behind a page that are walked along with it. */
const mostAhead = 1000

/** undefined = the budget ended first. At least `limit` rows, or all there are. */
export const walkOn = async (
  walker: Walker,
  feed: TransferFeed,
  request: WalkRequest,
  ledger: WalkedLedger,
  known: Walked | undefined,
): Promise<Walked | undefined> => {
  const walk = async (range: KeyRange, limit: number, ahead = 0) => {
    const { positionKeys, complete } = await walkChain(walker, feed, { ...request, range, limit: limit + ahead })
    return complete || positionKeys.length >= limit ? { found: positionKeys, ended: complete } : undefined
  }
  const { direction, range, limit } = request
  if (known === undefined) {
    const walked = await walk(range, limit)
    return walked && { ledger, keys: walked.found, complete: walked.found.length < limit }
  }
  const isNewer = ledger.head > known.ledger.head
  let { keys, complete } = known
  if (isNewer && direction === "asc") complete = false
  if (isNewer && direction === "desc") {
    const since = { low: max(range.low, positionKeyOf(feed.kind, known.ledger.head + 1)), high: range.high }
    const newer = await walk(since, limit)
    if (newer === undefined) return undefined
    // Between these and what is known there may be more.
    if (newer.found.length >= limit) return { ledger, keys: newer.found, complete: false }
    keys = [...newer.found, ...keys]
  }
  if (!complete && keys.length < limit) {
    const missing = limit - keys.length
    // Whoever reads on reads further: what a walk costs before its first row is paid less often.
    const ahead = Math.min(keys.length, mostAhead)
    const further = await walk(beyond(range, direction, keys.at(-1)), missing, ahead)
    if (further === undefined) return undefined
    keys = [...keys, ...further.found]
    complete = further.ended && further.found.length < missing + ahead
  }
  return { ledger, keys, complete }
}

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** The part of a range behind a row. */
const beyond = (range: KeyRange, direction: Direction, last: PositionKey | undefined): KeyRange => {
  if (last === undefined) return range
  return direction === "asc" ? { ...range, low: last + 1n } : { ...range, high: last }
}
