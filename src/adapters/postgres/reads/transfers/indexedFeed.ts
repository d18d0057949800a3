/** Feeds that an index gives in order: all transfers of a chain, or of some tokens or ids, within bounds. */
import { Effect } from "effect"
import type { Address, ChainId } from "../../../../model/primitives.ts"
import type { TransfersQuery } from "../../../../ports/TransferStore.ts"
import { unionAll } from "../../database/fragments.ts"
import type { AcrossChains } from "../common/acrossChains.ts"
import { everywhere, selectShares } from "../common/lists.ts"
import { isFirst, isFirstPage, seekOf } from "../common/page.ts"
import { inRange } from "../feed/bounds.ts"
import { transferFeed } from "../feed/feed.ts"
import type { ReadKnownPage } from "../feed/knownPages.ts"
import { compareFeedRows } from "../feed/order.ts"
import { selectPositions, selectTokenIds } from "../feed/positions.ts"
import { withinSteadily } from "../feed/steadyBounds.ts"
import { countOf, selectCount } from "./count.ts"
import { readFurther } from "./furtherPage.ts"
import { noLines, rowsOfLines, selectLines, type TransferLines } from "./lines.ts"
import { pageOrder, selectPlaces, selectPlacesAt, selectRows, selectRowsAt, selectRowsOf } from "./page.ts"
import { type TransferRow, transferOf } from "./record.ts"

/** The token of a first page of all its transfers. */
const onlyToken = ({ chains, filter, page, count, include = [], skip = 0 }: TransfersQuery): Token | undefined => {
  const { tokenAddress: [address, ...others] = [], ...more } = filter
  const [chainId, ...otherChains] = chains
  const isAlone = others.length === 0 && otherChains.length === 0 && Object.keys(more).length === 0
  const isPlain = isFirst(page) && !count && skip === 0 && include.length === 0
  return address !== undefined && chainId !== undefined && isAlone && isPlain ? { chainId, address } : undefined
}

interface Token {
  readonly chainId: ChainId
  readonly address: Address
}

const readFirstOfToken = (
  across: AcrossChains["Service"],
  { standard, page, direction }: TransfersQuery,
  { chainId, address }: Token,
) => {
  const none: { rows: TransferLines } = { rows: noLines }
  const limit = page.limit + 1
  const shape = { standard, include: [], wraps: false, chainId } as const
  const kind = `${standard} transfers ${direction} ${limit}`
  // Many ask for short ones, of different tokens; others would wait too long for a long one.
  const ask = across[isFirstPage(page) ? "readJoined" : "readAlone"]
  const read = ask(chainId, kind, none, [address], (chain, [of]) => {
    const { sql } = chain
    const feed = transferFeed(chain, standard)
    const branch = selectRowsOf(feed, selectTokenIds(feed, of!), { bounds: [sql``], direction, limit })
    return sql`select (${selectLines(chain, feed, branch, { ...shape, direction, limit })}) as rows`
  })
  return Effect.map(read, ({ asOf, value: { rows } }) => ({ asOf, value: { rows: rowsOfLines(shape, rows) } }))
}

/** The chain of a first page of all its transfers. */
const onlyChain = ({ chains, filter, page, count, include = [], skip = 0 }: TransfersQuery): ChainId | undefined => {
  const [chainId, ...others] = chains
  const isPlain = isFirst(page) && !count && skip === 0 && include.length === 0
  return others.length === 0 && isPlain && Object.keys(filter).length === 0 ? chainId : undefined
}

/** One statement for all who wait, of as many rows as the longest page: each has the first of them. Nobody who wants few waits for many. */
const readNewest = (
  across: AcrossChains["Service"],
  { standard, page, direction }: TransfersQuery,
  chainId: ChainId,
) => {
  const none: { rows: TransferLines } = { rows: noLines }
  const shape = { standard, include: [], wraps: false, chainId } as const
  const ask = across[isFirstPage(page) ? "together" : "togetherFew"]
  return ask(`${chainId} ${standard} newest ${direction}`, page.limit + 1, (limits) => {
    const limit = Math.max(...limits)
    const read = across.readKept(chainId, `${standard} newest ${direction} ${limit}`, none, [], (chain) => {
      const feed = transferFeed(chain, standard)
      const branch = selectRows(feed, { bounds: [chain.sql``], direction, limit })
      return chain.sql`(${selectLines(chain, feed, branch, { ...shape, direction, limit })}) as rows`
    })
    return Effect.map(read, ({ asOf, value }) => {
      const rows = rowsOfLines(shape, value.rows)
      const records = rows.map((row) => transferOf(standard, row))
      return limits.map((most) => ({ asOf, value: { rows: rows.slice(0, most), records: records.slice(0, most) } }))
    })
  })
}

/** Whether what pages before have met of the feed stays true: trust and finality move, and places of wraps are none of the feed's alone. */
const goesOn = (across: AcrossChains["Service"], { chains, filter, skip = 0 }: TransfersQuery): boolean => {
  const { trusted, finalized, wraps, transaction } = filter
  const isSteady = [trusted, finalized, wraps, transaction].every((it) => it === undefined)
  return isSteady && skip === 0 && chains.length > 1 && !across.database.distributed()
}

/** Rows in the order read, one more than the limit if there are. No `from`, `to` or `address`. */
export const readIndexed = Effect.fnUntraced(function* (
  across: AcrossChains["Service"],
  readKnown: ReadKnownPage,
  query: TransfersQuery,
) {
  const token = onlyToken(query)
  if (token !== undefined) return yield* readFirstOfToken(across, query, token)
  const chainId = onlyChain(query)
  if (chainId !== undefined) return yield* readNewest(across, query, chainId)
  const { standard, chains, filter, page, direction, count, include = [], skip = 0 } = query
  const { key, reading } = seekOf(page, direction)
  const start = key && { key, direction: reading }
  if (start !== undefined && goesOn(across, query)) return yield* readFurther(readKnown, query, start)
  const isWhole = filter.tokenAddress === undefined && filter.trusted === undefined && skip === 0
  const shape = { standard, include, wraps: filter.wraps === true }
  const { asOf, value } = yield* across.list<TransferRow>(chains, {
    question: ["transfers", standard, Object.entries(filter), page, direction, skip, include],
    limit: page.limit + 1,
    rows: (chain, limit) => {
      const feed = transferFeed(chain, standard, include, filter.wraps)
      const slice = { bounds: inRange(feed, filter, start), direction: reading, limit, skip }
      const branch = isWhole ? selectRows(feed, slice) : selectRowsAt(feed, selectPositions(feed, filter, slice))
      return selectLines(chain, feed, branch, { ...shape, direction: reading, limit })
    },
    rowsOf: ({ chainId }, found) => rowsOfLines({ ...shape, chainId }, found as TransferLines),
    stages: everywhere((sql, opened) => {
      const limit = page.limit + 1
      const branches = opened.map((chain) => {
        const feed = transferFeed(chain, standard, [], filter.wraps)
        const slice = { bounds: withinSteadily(feed, filter, start), direction: reading, limit, skip }
        return isWhole ? selectPlaces(feed, slice) : selectPlacesAt(feed, selectPositions(feed, filter, slice))
      })
      return selectShares(
        sql,
        sql`select * from (${unionAll(sql, branches)}) page ${pageOrder(sql, standard, reading)} limit ${limit}`,
      )
    }),
    total: count
      ? (sql, opened) =>
          selectCount(
            sql,
            opened.map((chain) => transferFeed(chain, standard, [], filter.wraps)),
            filter,
          )
      : undefined,
    compare: compareFeedRows(reading),
  })
  return {
    asOf,
    value: { rows: value.rows, ...(count ? { count: countOf(value.total ?? 0, filter) } : {}) },
  }
})
