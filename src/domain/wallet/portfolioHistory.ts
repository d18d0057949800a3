/** What an address held through time, and what that was worth: hour by hour, day by day, or at each block that touched it. */
import { Effect } from "effect"
import { InvalidParameter } from "../../model/errors.ts"
import { type PageRequest, type Rows, toListPage } from "../../model/page.ts"
import { type Address, type ChainId, dateTimeOf } from "../../model/primitives.ts"
import type { FeedRange } from "../../model/transfer.ts"
import type { BlockKey, PointKey, PortfolioPoint } from "../../model/wallet/histories.ts"
import { type SeriesPoint, type SeriesStandard, TokenHistories } from "../../ports/TokenHistories.ts"
import { beginAnew, readAnew } from "../reads/beginAnew.ts"
import { checkRange } from "../reads/feedRange.ts"
import { checkPin } from "../reads/history.ts"
import { findBeginning } from "./beginning.ts"
import { finalSecond } from "./finalTime.ts"
import { allSums } from "./nativePoints.ts"
import { type PointSums, shownSums, sourceOfAll, suspectsOfPoints, windowOf } from "./portfolioPoints.ts"

export const intervals = ["1h", "1d", "block"] as const
export type Interval = (typeof intervals)[number]
export const secondsOf = { "1h": 3600, "1d": 86_400 } as const

export interface PortfolioHistoryQuery {
  readonly chainId: ChainId
  readonly owner: Address
  readonly interval: Interval
  readonly range: FeedRange
  readonly onlyTrusted: boolean
  readonly standards: ReadonlyArray<SeriesStandard>
  readonly direction: "asc" | "desc"
  readonly page: PageRequest<PointKey>
  readonly count: boolean
}

/**
 * ERC-20 tokens: balances after the last block by then, at the prices of the hour that begins then (of a block, of its hour).
 * Hours and days are those of UTC, within the range and the indexed history.
 */
export const listPortfolioHistory = (query: PortfolioHistoryQuery) =>
  query.interval === "block" ? atBlocks(query) : atTimes(query, secondsOf[query.interval])

/** Of a chain that is left out: no rows, of a question that it would have answered. */
export const listPortfolioOfNone = Effect.fnUntraced(function* ({
  page,
  ...asked
}: Omit<PortfolioHistoryQuery, "chainId">) {
  yield* checkAsked(asked)
  return toListPage(page, { asOf: [], value: noPoints(asked.count && asked.interval !== "block") })
})

/** What blocks touched is not counted; hours and days are. */
export const noPoints = (count: boolean): Rows<PortfolioPoint, PointKey> => ({
  items: [],
  keys: [],
  hasMore: false,
  ...(count ? { count: { count: 0, countType: "exact" } } : {}),
})

const checkAsked = Effect.fnUntraced(function* ({
  interval,
  range,
  standards,
}: Pick<PortfolioHistoryQuery, "interval" | "range" | "standards">) {
  yield* checkRange(range)
  if (interval !== "block") return yield* refuseBlocks(range)
  if (!standards.includes("erc20")) return yield* refuseNativeAlone
})

/** Hours and days are chosen by times. */
export const refuseBlocks = (range: FeedRange) => {
  const name = (["blockNumberFrom", "blockNumberTo"] as const).find((it) => range[it] !== undefined)
  if (name === undefined) return Effect.void
  const wanted = "no value: hours and days are chosen by timestampFrom and timestampTo"
  return Effect.fail(new InvalidParameter({ parameter: name, value: String(range[name]), wanted }))
}

const atTimes = Effect.fnUntraced(function* (query: PortfolioHistoryQuery, seconds: number) {
  const { chainId, owner: holder, range, onlyTrusted, standards, direction, page, count } = query
  yield* checkAsked(query)
  const { asOf, head, begin } = yield* findBeginning(chainId)
  if (head === undefined) return toListPage(page, { asOf, value: noPoints(count) })
  const newestTime = range.finalized === true ? yield* finalSecond(chainId) : head.time
  const first = Math.ceil(Math.max(range.timestampFrom ?? 0, begin) / seconds)
  const last = Math.floor(Math.min(range.timestampTo ?? newestTime, newestTime) / seconds)
  const { ascending, left, way } = windowOf({ first, last, seconds, direction, page })
  const moments = { times: ascending }
  const walk = { rollbacks: page.rollbacks, key: page.after ?? page.before }
  const read = yield* series({ chainId, holder, onlyTrusted, standards, moments, ...walk })
  const items = pointsOf(chainId, read.points, read.sums).map((point, index) => ({
    point: { ...point, timestamp: dateTimeOf(ascending[index]!) },
    key: { time: ascending[index]!, blockNumber: Math.max(0, point.blockNumber) },
  }))
  // In a snapshot the ledger may be behind what it is by now.
  const there = items.filter(({ key }) => key.time <= (read.asOf[0]?.time ?? -1))
  if (direction === "desc") there.reverse()
  const total = { count: Math.max(0, last - first + 1), countType: "exact" as const }
  const value = {
    items: there.map(({ point }) => shown(point)),
    keys: there.map(({ key }) => key),
    hasMore: left > ascending.length && (way === -1 || there.length === items.length),
    ...(count ? { count: total } : {}),
    ...(read.value.pin === undefined ? {} : { pin: read.value.pin }),
  }
  const suspects = suspectsOfPoints(chainId, read.sums)
  return { ...toListPage(page, { asOf: read.asOf, value }), ...sourceOfAll(read.sums), suspects }
})

const atBlocks = (query: PortfolioHistoryQuery) => {
  const isFirst = (query.page.after ?? query.page.before) === undefined
  return Effect.andThen(checkAsked(query), isFirst ? beginAnew(readBlocks(query)) : readAnew(readBlocks(query)))
}

const readBlocks = Effect.fnUntraced(function* (query: PortfolioHistoryQuery) {
  const { chainId, owner: holder, range, onlyTrusted, standards, direction, page } = query
  const histories = yield* TokenHistories
  const touched = yield* histories.touched({ chainId, holder, range, direction, page })
  yield* checkPin(touched.value.pin)
  const blocks = touched.value.items.toSorted((a, b) => a - b)
  const place = page.after ?? page.before
  const read = yield* series({
    chainId,
    holder,
    onlyTrusted,
    standards,
    moments: { blocks },
    rollbacks: touched.value.pin?.rollbacks,
    // Neither the place nor one of these blocks may have become another since.
    key: { blockNumber: Math.max(place?.blockNumber ?? 0, blocks.at(-1) ?? 0) },
  })
  const points = pointsOf(chainId, read.points, read.sums)
  if (direction === "desc") points.reverse()
  const value = {
    items: points.map(shown),
    keys: points.map(({ blockNumber, time = 0 }): PointKey => ({ time, blockNumber })),
    hasMore: touched.value.hasMore,
    ...(read.value.pin === undefined ? {} : { pin: read.value.pin }),
  }
  const suspects = suspectsOfPoints(chainId, read.sums)
  return { ...toListPage(page, { asOf: read.asOf, value }), ...sourceOfAll(read.sums), suspects }
})

/** No log says which blocks changed what an address has of the native currency. */
const refuseNativeAlone = Effect.fail(
  new InvalidParameter({ parameter: "standard", value: "native", wanted: "erc20 among them where interval=block" }),
)

const series = Effect.fnUntraced(function* ({
  rollbacks,
  key,
  ...query
}: Omit<Parameters<typeof TokenHistories.Service.series>[0], "page"> & {
  readonly rollbacks: number | undefined
  readonly key: BlockKey | undefined
}) {
  const histories = yield* TokenHistories
  const walk = { ...(rollbacks === undefined ? {} : { rollbacks }), ...(key === undefined ? {} : { key }) }
  const read = yield* histories.series({ ...query, page: walk })
  yield* checkPin(read.value.pin)
  return { ...read, ...(yield* allSums(query, read)) }
})

interface Point extends PortfolioPoint {
  readonly blockNumber: number
  readonly time?: number
}

const shown = ({ time, ...point }: Point): PortfolioPoint => ({
  ...point,
  ...(time === undefined || point.timestamp !== undefined ? {} : { timestamp: dateTimeOf(time) }),
})

const pointsOf = (chainId: ChainId, points: ReadonlyArray<SeriesPoint>, sums: ReadonlyArray<PointSums>): Array<Point> =>
  points.map(({ blockNumber, time }, index): Point => {
    return { chainId, blockNumber, ...(time === undefined ? {} : { time }), ...shownSums(sums[index]!) }
  })
