/** Feeds filtered by account: no index holds them, so each chain is walked, and the rows found are brought together. */
import { Effect } from "effect"
import type { Fragment, Sql } from "postgres"
import { QueryTooSlow } from "../../../../model/errors.ts"
import { type Count, countCap } from "../../../../model/page.ts"
import type { ChainId } from "../../../../model/primitives.ts"
import type { TransfersQuery } from "../../../../ports/TransferStore.ts"
import { unionAll } from "../../database/fragments.ts"
import type { AcrossChains } from "../common/acrossChains.ts"
import { asOfPoints, type StateRow, selectAsOf } from "../common/asOf.ts"
import { seekOf } from "../common/page.ts"
import { type PageStart, selectKeyRange } from "../feed/bounds.ts"
import { type TransferFeed, transferFeed } from "../feed/feed.ts"
import { type KeyRange, unnestPositions } from "../feed/positionKey.ts"
import { type Remembered, readByOffset } from "./byOffset.ts"
import { countLimit, countOf } from "./count.ts"
import { joinedParts, type Page } from "./joinedParts.ts"
import { rowsOfLines, selectLines, type TransferLines } from "./lines.ts"
import { type Marked, onlyAccount, selectMarked } from "./marks/markedRows.ts"
import { selectPage, selectRowsAt } from "./page.ts"
import type { FindPresent } from "./present.ts"
import type { TransferRow } from "./record.ts"
import { type Walker, type WalkRequest, walkChain } from "./walk/walkChain.ts"
import { type LedgerRow, selectLedger, walkName } from "./walkedKeys.ts"

/** Touched blocks that a page may look at, and its count again. */
const blockBudget = 100_000

/** Touched blocks that may still be looked at: for the page, and for its count. */
interface Budgets {
  readonly page: { left: number }
  readonly count: { left: number }
}

/**
 * Rows in the order read, one more than the limit if there are. All of it is one snapshot; where chains lie on different
 * servers, each chain's part is one.
 */
export const readWalked = Effect.fnUntraced(function* (
  across: AcrossChains["Service"],
  remembered: Remembered,
  findPresent: FindPresent,
  query: TransfersQuery,
) {
  const budgets: Budgets = { page: { left: blockBudget }, count: { left: blockBudget } }
  if (query.chains.length < 2) return yield* readTogether(across, remembered, query, budgets)
  if (!across.database.distributed()) return yield* readWherePresent(across, remembered, findPresent, query, budgets)
  const parts = yield* Effect.forEach(
    query.chains,
    (chain) => readTogether(across, remembered, { ...query, chains: [chain] }, budgets),
    { concurrency: chainsAtOnce },
  )
  return joinedParts(query, parts)
})

/** Chains that are walked at a time. */
const chainsAtOnce = 4
/** Chains that are walked one by one: of so few each has statements whose plans are kept. */
const mostAlone = 8

/** Only the chains on which one of the accounts was ever seen. Of each chain, rows and block are of one snapshot. */
const readWherePresent = Effect.fnUntraced(function* (
  across: AcrossChains["Service"],
  remembered: Remembered,
  findPresent: FindPresent,
  query: TransfersQuery,
  budgets: Budgets,
) {
  const found = yield* findPresent(query)
  if (found === undefined) return yield* readTogether(across, remembered, query, budgets)
  const read = (chains: ReadonlyArray<ChainId>) => readTogether(across, remembered, { ...query, chains }, budgets)
  const { present, absent } = found
  const parts: ReadonlyArray<Page> =
    present.length > mostAlone
      ? [yield* read(present)]
      : yield* Effect.forEach(present, (chain) => read([chain]), { concurrency: chainsAtOnce })
  const none: Page = { asOf: absent, value: { rows: [], ...(query.count ? { count: countOf(0, query.filter) } : {}) } }
  const { asOf, value } = joinedParts(query, [...parts, none])
  return { asOf: query.chains.flatMap((chain) => asOf.filter(({ chainId }) => chainId === chain)), value }
})

const readTogether = Effect.fnUntraced(function* (
  across: AcrossChains["Service"],
  remembered: Remembered,
  query: TransfersQuery,
  budgets: Budgets,
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
    const name = query.skip === undefined || key !== undefined ? undefined : walkName(feeds[0]!, filter, reading)
    const head = name === undefined ? undefined : remembered.walks.headOf(name)
    const account = name === undefined || skip + limit <= remembered.far ? undefined : onlyAccount(filter)
    const counted = account && selectMarked(feeds[0]!, account, { direction: reading, skip, limit: skip + limit })
    const start = key && { key, direction: reading }
    const { asOf, ranges, found, marked } = await readStart(sql, walker, feeds, start, { head, counted })
    const budget = budgets.page
    const [point] = asOf
    const walk = async (feed: TransferFeed, range: KeyRange) => {
      const request: WalkRequest = { range, direction: reading, limit: skip + limit, budget }
      if (name !== undefined && found !== undefined && point !== undefined) {
        const { table, rollbacks, hash } = found
        const ledger = { table, rollbacks, head: point.blockNumber, hash: point.hash }
        const { walks } = remembered
        const known = walks.headOf(name) === head ? walks.find(name, ledger, hash ?? undefined) : undefined
        return readByOffset(remembered, walker, feed, { ...request, skip }, { name, ledger, known, marked })
      }
      const { positionKeys, complete } = await walkChain(walker, feed, request)
      return complete ? positionKeys.slice(skip) : undefined
    }
    const walks = await Promise.all(feeds.map((feed, index) => walk(feed, ranges[index]!)))
    const isWhole = walks.every((keys) => keys !== undefined)
    if (!isWhole) return undefined
    const parts = feeds.flatMap((feed, index) => {
      const shown = walks[index]!.slice(0, limit)
      // A single chain's statement is one of a few that are kept; of many, those without a row are left out.
      return shown.length > 0 || feeds.length === 1 ? [{ feed, shown }] : []
    })
    const branches = parts.map(({ feed, shown }) => selectRowsAt(feed, unnestPositions(feed, shown)))
    const of = parts.map(({ feed }) => feed.chain)
    const shape = { standard, direction: reading, limit, include, wraps: filter.wraps === true }
    const alone = of.length === 1 ? of[0] : undefined
    const several = of.length === 0 ? sql`select '[]'::json` : selectPage(sql, of, { ...shape, branches })
    const selected = alone === undefined ? several : selectLines(alone, parts[0]!.feed, branches[0]!, shape)
    const statement = transaction<[{ rows: TransferLines | Array<TransferRow> }]>`select (${selected}) as rows`
    const [{ rows: read }] = await run(prepared(chains, statement))
    const rows = "lines" in read ? rowsOfLines({ ...shape, chainId: of[0]!.chainId }, read) : read
    if (!count) return { asOf, value: { rows } }
    const isAll = key === undefined && skip === 0 && rows.length < limit
    const total = isAll ? countOf(rows.length, filter) : await countWalked(sql, walker, feeds, budgets.count)
    return { asOf, value: { rows, count: total } }
  })
  const walked = yield* across.throttled(chains, read)
  if (walked !== undefined) return walked
  return yield* new QueryTooSlow({
    message:
      "too many blocks to look through for these addresses: add tokenAddress, or blockNumberFrom and blockNumberTo",
  })
})

/** The blocks that the snapshot speaks of, the range of each chain's feed that the page may lie in, and of one chain which ledger it is, with the hash of its block `head`, and what is counted of an account. */
const readStart = async (
  sql: Sql,
  { transaction, run, filter, prepared }: Walker,
  feeds: ReadonlyArray<TransferFeed>,
  start: PageStart | undefined,
  { head, counted }: { readonly head?: number | undefined; readonly counted?: Fragment | undefined } = {},
): Promise<{
  readonly asOf: Page["asOf"]
  readonly ranges: ReadonlyArray<KeyRange>
  readonly found: LedgerRow | undefined
  readonly marked: Marked | undefined
}> => {
  const chains = feeds.map(({ chain }) => chain)
  // Not one array of them all: a function takes a hundred values.
  const selects = feeds.map(
    (feed, place) => sql`select ${place}::int4 as place, (${selectKeyRange(feed, filter, start)}) as range`,
  )
  const only = chains.length === 1 ? chains[0] : undefined
  const statement = transaction<[Start]>`
    select (${selectAsOf(sql, chains)}) as as_of, (
        select json_agg(r.range order by r.place) from (${unionAll(sql, selects)}) r) as ranges
      ${only === undefined ? sql`` : sql`, (${selectLedger(only, head)}) as ledger`}
      ${counted === undefined ? sql`` : sql`, (${counted}) as marked`}`
  const [{ as_of, ranges, ledger, marked }] = await run(prepared(chains, statement))
  return {
    asOf: asOfPoints(chains, as_of),
    found: ledger,
    marked,
    ranges: ranges.map(([low, high]) => ({ low: BigInt(low), high: BigInt(high) })),
  }
}

interface Start {
  readonly as_of: Array<StateRow>
  readonly ranges: Array<readonly [string, string]>
  readonly ledger?: LedgerRow
  readonly marked?: Marked
}

/** All rows of the filter up to the cap; where the budget ends first, what was met is a lower bound. */
const countWalked = async (
  sql: Sql,
  walker: Walker,
  feeds: ReadonlyArray<TransferFeed>,
  budget: Budgets["count"],
): Promise<Count> => {
  const { ranges } = await readStart(sql, walker, feeds, undefined)
  let total = 0
  for (const [index, feed] of feeds.entries()) {
    const request = { range: ranges[index]!, direction: "desc" as const, limit: countLimit - total, budget }
    const { positionKeys, complete } = await walkChain(walker, feed, request)
    total += positionKeys.length
    if (total > countCap || !complete) return { count: Math.min(total, countCap), countType: "lowerBound" }
  }
  return { count: total, countType: "exact" }
}
