/** The rows of a page by offset: among those that are remembered, by what was counted of its account, or at the end of a walk. */
import type { TransferFeed } from "../feed/feed.ts"
import { type PositionKey, positionKeyOf } from "../feed/positionKey.ts"
import { type Marked, numbersOf, onlyAccount, readNumbers } from "./marks/markedRows.ts"
import type { Segments } from "./marks/segments.ts"
import type { Walker, WalkRequest } from "./walk/walkChain.ts"
import type { Walked, WalkedKeys, WalkedLedger } from "./walkedKeys.ts"
import { walkOn } from "./walkOn.ts"

export interface Remembered {
  readonly walks: WalkedKeys
  readonly segments: Segments
  /** What is counted is asked for a page that ends so many rows behind those that are known: a nearer one is walked to in no more time. */
  readonly far: number
}

/** `limit`: rows that are passed over, and those of the page. */
export interface OffsetRequest extends WalkRequest {
  readonly skip: number
}

interface Walk {
  readonly name: string
  readonly ledger: WalkedLedger
  /** What is remembered of it, and holds. */
  readonly known: Walked | undefined
  /** What is counted of its account; absent = nothing. */
  readonly marked: Marked | undefined
}

/** The page's rows, and perhaps some behind them. undefined = the budget ended first. */
export const readByOffset = async (
  remembered: Remembered,
  walker: Walker,
  feed: TransferFeed,
  request: OffsetRequest,
  walk: Walk,
): Promise<ReadonlyArray<PositionKey> | undefined> => {
  const { ledger, known, name } = walk
  const isFar = known?.complete !== true && request.limit - (known?.keys.length ?? 0) > remembered.far
  const counted = isFar ? await readCounted(remembered, walker, feed, request, walk) : undefined
  if (counted !== undefined) return counted
  const walked = await walkOn(walker, feed, request, ledger, known)
  if (walked === undefined) return undefined
  remembered.walks.keep(name, walked)
  return walked.keys.slice(request.skip)
}

/** undefined = it is not an account's whole list, or nothing that holds is counted of it. */
const readCounted = async (
  { walks, segments }: Remembered,
  walker: Walker,
  feed: TransferFeed,
  request: OffsetRequest,
  { name, ledger, marked }: Walk,
): Promise<ReadonlyArray<PositionKey> | undefined> => {
  const account = onlyAccount(walker.filter)
  if (account === undefined || marked === undefined) return undefined
  const { range, direction, skip, limit, budget } = request
  const oldest = marked.marks.find(([mark]) => mark === 0)?.[1]
  const isWhole =
    oldest !== undefined &&
    range.low <= positionKeyOf(feed.kind, ...oldest) &&
    range.high >= positionKeyOf(feed.kind, ledger.head + 1)
  if (!isWhole) return undefined
  const { rows, next, generation } = marked
  const wanted = direction === "desc" ? limit : limit - rows
  const since = async () => {
    if (wanted <= 0) return []
    const of = `${name} ${generation} ${next}`
    const known = walks.headOf(of) === ledger.head ? walks.find(of, ledger, ledger.hash) : undefined
    const newer = { ...range, low: positionKeyOf(feed.kind, next) }
    const walked = await walkOn(walker, feed, { range: newer, direction, limit: wanted, budget }, ledger, known)
    if (walked !== undefined) walks.keep(of, walked)
    return walked?.keys
  }
  const newer = await since()
  if (newer === undefined) return undefined
  const numbers = numbersOf(direction, rows, newer.length, { skip, limit: limit - skip })
  const older = await readNumbers(walker, feed, { account, marked, segments, budget }, numbers)
  if (older === undefined) return undefined
  return direction === "desc"
    ? [...newer.slice(skip, limit), ...[...older].reverse()]
    : [...older, ...newer.slice(Math.max(skip - rows, 0), wanted)]
}
