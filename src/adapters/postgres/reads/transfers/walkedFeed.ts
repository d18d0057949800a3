/** Feeds filtered by account: no index holds them, so each chain is walked, and the rows found are brought together. */
import { Effect } from "effect"
import type { Sql } from "postgres"
import { QueryTooSlow } from "../../../../model/errors.ts"
import { type Count, countCap, type Snapshot } from "../../../../model/page.ts"
import type { TransfersQuery } from "../../../../ports/TransferStore.ts"
import { joined } from "../../database/fragments.ts"
import type { AcrossChains } from "../common/acrossChains.ts"
import { asOfPoints, type StateRow, selectAsOf } from "../common/asOf.ts"
import { seekOf } from "../common/page.ts"
import { type PageStart, selectKeyRange } from "../feed/bounds.ts"
import { type Direction, type TransferFeed, transferFeed } from "../feed/feed.ts"
import { type KeyRange, unnestPositions } from "../feed/positionKey.ts"
import { countLimit, countOf } from "./count.ts"
import { selectPage, selectRowsAt } from "./page.ts"
import { type PageMark, type PageMarks, walkName } from "./pageMarks.ts"
import type { TransferRow } from "./record.ts"
import { type Walker, walkChain } from "./walk/walkChain.ts"

/** Touched blocks that a page may look at, and its count again. */
const blockBudget = 100_000

type Page = Snapshot<{ readonly rows: ReadonlyArray<TransferRow>; readonly count?: Count }>

/** Rows in the order read, one more than the limit if there are. All of it is one snapshot. */
export const readWalked = Effect.fnUntraced(function* (
  across: AcrossChains["Service"],
  marks: PageMarks,
  query: TransfersQuery,
) {
  const { standard, filter, page, direction, count, include = [], skip = 0 } = query
  const chains = yield* across.opened(query.chains)
  const none: Page = { asOf: [], value: { rows: [], ...(count ? { count: countOf(0, filter) } : {}) } }
  if (chains.length === 0) return none
  const { sql } = across.database
  const feeds = chains.map((chain) => transferFeed(chain, standard, include, filter.wraps))
  const { key, reading } = seekOf(page, direction)
  const limit = page.limit + 1
  const read = across.database.snapshot(async (transaction, run): Promise<Page | undefined> => {
    const { prepared } = across
    const walker: Walker = { transaction, run, filter, prepared }
    const { asOf, ranges } = await readStart(sql, walker, feeds, key && { key, direction: reading })
    const budget = { left: blockBudget }
    const isByOffset = query.skip !== undefined && asOf.length === 1 && key === undefined
    const name = isByOffset ? walkName(feeds[0]!, filter, reading, asOf[0]!) : undefined
    const mark = name === undefined ? undefined : marks.find(name, skip)
    const passed = skip - (mark?.rows ?? 0)
    const walks = await Promise.all(
      feeds.map((feed, index) =>
        walkChain(walker, feed, {
          range: beyond(ranges[index]!, reading, mark),
          direction: reading,
          limit: passed + limit,
          budget,
        }),
      ),
    )
    if (walks.some(({ complete }) => !complete)) return undefined
    const last = walks[0]!.positionKeys[passed + page.limit - 1]
    if (name !== undefined && last !== undefined) marks.add(name, { rows: skip + page.limit, positionKey: last })
    const branches = feeds.map((feed, index) =>
      selectRowsAt(feed, unnestPositions(feed, walks[index]!.positionKeys.slice(passed))),
    )
    const statement = transaction<[{ rows: Array<TransferRow> }]>`
      select (${selectPage(sql, chains, { standard, branches, direction: reading, limit, include, wraps: filter.wraps === true })}) as rows`
    const [{ rows }] = await run(prepared(chains, statement))
    if (!count) return { asOf, value: { rows } }
    const isWhole = key === undefined && skip === 0 && rows.length < limit
    const total = isWhole ? countOf(rows.length, filter) : await countWalked(sql, walker, feeds)
    return { asOf, value: { rows, count: total } }
  })
  const walked = yield* across.throttled(chains, read)
  if (walked !== undefined) return walked
  return yield* new QueryTooSlow({
    message:
      "too many blocks to look through for these addresses: add tokenAddress, or blockNumberFrom and blockNumberTo",
  })
})

/** The part of a range behind the mark. */
const beyond = (range: KeyRange, direction: Direction, mark: PageMark | undefined): KeyRange => {
  if (mark === undefined) return range
  const { positionKey } = mark
  return direction === "asc" ? { ...range, low: positionKey + 1n } : { ...range, high: positionKey }
}

/** The blocks that the snapshot speaks of, and the range of each chain's feed that the page may lie in. */
const readStart = async (
  sql: Sql,
  { transaction, run, filter, prepared }: Walker,
  feeds: ReadonlyArray<TransferFeed>,
  start: PageStart | undefined,
): Promise<{ readonly asOf: Page["asOf"]; readonly ranges: ReadonlyArray<KeyRange> }> => {
  const chains = feeds.map(({ chain }) => chain)
  const selects = feeds.map((feed) => sql`(${selectKeyRange(feed, filter, start)})`)
  const statement = transaction<[{ as_of: Array<StateRow>; ranges: Array<readonly [string, string]> }]>`
    select (${selectAsOf(sql, chains)}) as as_of, json_build_array(${joined(selects, sql`,`)}) as ranges`
  const [{ as_of, ranges }] = await run(prepared(chains, statement))
  return {
    asOf: asOfPoints(chains, as_of),
    ranges: ranges.map(([low, high]) => ({ low: BigInt(low), high: BigInt(high) })),
  }
}

/** All rows of the filter up to the cap; where the budget ends first, what was met is a lower bound. */
const countWalked = async (sql: Sql, walker: Walker, feeds: ReadonlyArray<TransferFeed>): Promise<Count> => {
  const { ranges } = await readStart(sql, walker, feeds, undefined)
  const budget = { left: blockBudget }
  let total = 0
  for (const [index, feed] of feeds.entries()) {
    const request = { range: ranges[index]!, direction: "desc" as const, limit: countLimit - total, budget }
    const { positionKeys, complete } = await walkChain(walker, feed, request)
    total += positionKeys.length
    if (total > countCap || !complete) return { count: Math.min(total, countCap), countType: "lowerBound" }
  }
  return { count: total, countType: "exact" }
}
