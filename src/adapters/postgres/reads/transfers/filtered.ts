/** Feeds filtered by account: no index holds them, so each chain is walked, and the rows found are brought together. */
import { Effect } from "effect"
import { QueryTooSlow } from "../../../../model/errors.ts"
import { type Count, countCap, type Snapshot } from "../../../../model/page.ts"
import type { TransfersQuery } from "../../../../ports/TransferStore.ts"
import { type AcrossChains, preparedFor, selectAsOf } from "../common/acrossChains.ts"
import { asOfPoints, type StateRow } from "../common/asOf.ts"
import { placeOf } from "../common/page.ts"
import { type Place, selectStretch } from "./bounds.ts"
import { countLimit, countOf } from "./count.ts"
import { type Stretch, selectPositions } from "./positionKey.ts"
import { selectPage, selectRowsAt, type TransferRow } from "./record.ts"
import { type FeedTable, feedTable } from "./table.ts"
import { type Walker, walkChain } from "./walk.ts"

/** Touched blocks that a page may look at, and its count again. */
const budget = 100_000

type Filtered = Snapshot<{ readonly rows: ReadonlyArray<TransferRow>; readonly count?: Count }>

/** Rows in the order read, one more than the limit if there are. All of it is one snapshot. */
export const readFiltered = Effect.fnUntraced(function* (across: AcrossChains["Service"], query: TransfersQuery) {
  const { standard, filter, page, direction, count } = query
  const chains = yield* across.opened(query.chains)
  const none: Filtered = { asOf: [], value: { rows: [], ...(count ? { count: countOf(0, filter) } : {}) } }
  if (chains.length === 0) return none
  const { sql } = across.database
  const feeds = chains.map((chain) => feedTable(chain, standard))
  const { key, reading } = placeOf(page, direction)
  const read = across.database.snapshot(async (transaction, run): Promise<Filtered | undefined> => {
    const walker: Walker = { sql, transaction, run, filter }
    const { asOf, stretches } = await readStart(walker, feeds, key && { key, direction: reading })
    const request = { direction: reading, limit: page.limit + 1, budget: { left: budget } }
    const walks = await Promise.all(
      feeds.map((feed, index) => walkChain(walker, feed, { ...request, stretch: stretches[index]! })),
    )
    if (walks.some((walked) => !walked.complete)) return undefined
    const branches = feeds.map((feed, index) =>
      selectRowsAt(sql, feed, selectPositions(sql, standard, walks[index]!.positionKeys)),
    )
    const statement = transaction<[{ rows: Array<TransferRow> }]>`
      select (${selectPage(sql, feeds, branches, reading, request.limit)}) as rows`
    const [{ rows }] = await run(preparedFor(chains, statement))
    if (!count) return { asOf, value: { rows } }
    const isWhole = key === undefined && rows.length < request.limit
    return { asOf, value: { rows, count: isWhole ? countOf(rows.length, filter) : await countWalked(walker, feeds) } }
  })
  const filtered = yield* across.inTurn(chains, read)
  if (filtered !== undefined) return filtered
  return yield* new QueryTooSlow({
    message:
      "too many blocks to look through for these addresses: add tokenAddress, or blockNumberFrom and blockNumberTo",
  })
})

/** The blocks that the snapshot speaks of, and the stretch of each chain that the page may lie in. */
const readStart = async (
  { sql, transaction, run, filter }: Walker,
  feeds: ReadonlyArray<FeedTable>,
  place: Place | undefined,
): Promise<{ readonly asOf: Filtered["asOf"]; readonly stretches: ReadonlyArray<Stretch> }> => {
  const chains = feeds.map(({ chain }) => chain)
  const statement = transaction<[{ as_of: Array<StateRow>; stretches: Array<readonly [string, string]> }]>`
    select (${selectAsOf(sql, chains)}) as as_of, json_build_array(${feeds.map(
      (feed, index) => sql`${index === 0 ? sql`` : sql`,`} (${selectStretch(sql, feed, filter, place)})`,
    )}) as stretches`
  const [{ as_of, stretches }] = await run(preparedFor(chains, statement))
  return {
    asOf: asOfPoints(chains, as_of),
    stretches: stretches.map(([low, high]) => ({ low: BigInt(low), high: BigInt(high) })),
  }
}

/** All rows of the filter up to the cap; where the budget ends first, what was met is a lower bound. */
const countWalked = async (walker: Walker, feeds: ReadonlyArray<FeedTable>): Promise<Count> => {
  const { stretches } = await readStart(walker, feeds, undefined)
  const left = { left: budget }
  let total = 0
  for (const [index, feed] of feeds.entries()) {
    const request = { stretch: stretches[index]!, direction: "desc" as const, limit: countLimit - total, budget: left }
    const { positionKeys, complete } = await walkChain(walker, feed, request)
    total += positionKeys.length
    if (total > countCap || !complete) return { count: Math.min(total, countCap), countType: "lowerBound" }
  }
  return { count: total, countType: "exact" }
}
