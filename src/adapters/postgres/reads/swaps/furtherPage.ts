/** A page of swaps of many chains, behind the first: what earlier pages have met is not searched for again. */
import type { Fragment } from "postgres"
import type { SwapFilter } from "../../../../model/swap.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import type { KnownPage } from "../feed/askPlaces.ts"
import { inRange } from "../feed/bounds.ts"
import { swapFeed } from "../feed/feed.ts"
import { compareFeedRows } from "../feed/order.ts"
import { withinSteadily } from "../feed/steadyBounds.ts"
import { listsOf } from "./lists.ts"
import { selectPage, selectPlaces, selectPlacesAt, selectRowsAt } from "./page.ts"
import { selectPositions } from "./positions.ts"
import type { SwapRow } from "./record.ts"

/** Whether what pages before have met of the feed stays true: what is final moves, and so do token lists. */
export const isSteady = ({ finalized, transaction, trusted }: SwapFilter): boolean =>
  finalized === undefined && transaction === undefined && trusted === undefined

/** Rows in the order read. */
export const furtherPage = ({
  filter,
  start,
  limit,
  total,
}: Pick<KnownPage<SwapRow>, "start" | "limit" | "total"> & { readonly filter: SwapFilter }): KnownPage<SwapRow> => {
  const { direction } = start
  const lists = listsOf(filter)
  const placesOf = (chain: ChainSql, bounds: Array<Fragment>, most: number) => {
    const slice = { bounds, direction, limit: most }
    return lists === undefined
      ? selectPlaces(chain, slice)
      : selectPlacesAt(chain, selectPositions(chain, { lists, trusted: filter.trusted }, slice))
  }
  return {
    feed: [direction, Object.entries(filter).sort()],
    kind: "swap",
    shown: [direction],
    start,
    limit,
    places: (chain, from, most) => placesOf(chain, inRange(swapFeed(chain), filter, from), most),
    steadyPlaces: (chain, from, most) => placesOf(chain, withinSteadily(swapFeed(chain), filter, from), most),
    rowsAt: (chain, places) => {
      const branches = [selectRowsAt(chain, places)]
      return selectPage(chain.sql, [chain], { branches, direction, limit: noLimit })
    },
    total,
    compare: compareFeedRows(direction),
  }
}

/** Its places say how many rows a page has. */
const noLimit = 2 ** 31 - 1
