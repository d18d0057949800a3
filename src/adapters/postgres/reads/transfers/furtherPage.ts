/** Pages of indexed feeds over many chains, behind their first: what earlier pages have met is not searched for again. */
import { Effect } from "effect"
import type { Fragment } from "postgres"
import type { TransfersQuery } from "../../../../ports/TransferStore.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { inRange, type PageStart } from "../feed/bounds.ts"
import { transferFeed } from "../feed/feed.ts"
import type { ReadKnownPage } from "../feed/knownPages.ts"
import { compareFeedRows } from "../feed/order.ts"
import { selectPositions } from "../feed/positions.ts"
import { withinSteadily } from "../feed/steadyBounds.ts"
import { countOf, selectCount } from "./count.ts"
import { rowsOfLines, selectLines, type TransferLines } from "./lines.ts"
import { selectPlaces, selectPlacesAt, selectRowsAt } from "./page.ts"
import type { TransferRow } from "./record.ts"

/** Rows in the order read, one more than the limit if there are. */
export const readFurther = (
  readKnown: ReadKnownPage,
  { standard, chains, filter, page, count, include = [] }: TransfersQuery,
  start: PageStart,
) => {
  const { direction } = start
  const isWhole = filter.tokenAddress === undefined
  const placesOf = (chain: ChainSql, bounds: Array<Fragment>, limit: number) => {
    const feed = transferFeed(chain, standard)
    const slice = { bounds, direction, limit }
    return isWhole ? selectPlaces(feed, slice) : selectPlacesAt(feed, selectPositions(feed, filter, slice))
  }
  const shape = { standard, include, wraps: false }
  const read = readKnown<TransferRow>(chains, {
    feed: [standard, direction, Object.entries(filter).sort()],
    kind: standard,
    shown: [standard, direction, include],
    start,
    limit: page.limit + 1,
    places: (chain, from, limit) => placesOf(chain, inRange(transferFeed(chain, standard), filter, from), limit),
    steadyPlaces: (chain, from, limit) =>
      placesOf(chain, withinSteadily(transferFeed(chain, standard), filter, from), limit),
    rowsAt: (chain, places) => {
      const feed = transferFeed(chain, standard, include)
      return selectLines(chain, feed, selectRowsAt(feed, places), { ...shape, direction, limit: noLimit })
    },
    rowsOf: (chainId, found) => rowsOfLines({ ...shape, chainId }, found as TransferLines),
    total: count
      ? (sql, opened) =>
          selectCount(
            sql,
            opened.map((chain) => transferFeed(chain, standard)),
            filter,
          )
      : undefined,
    compare: compareFeedRows(direction),
  })
  return Effect.map(read, ({ asOf, value }) => ({
    asOf,
    value: { rows: value.rows, ...(count ? { count: countOf(value.total ?? 0, filter) } : {}) },
  }))
}

/** Its places say how many rows a page has. */
const noLimit = 2 ** 31 - 1
