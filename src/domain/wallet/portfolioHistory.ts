/** What an address held through time, and what that was worth: hour by hour, day by day, or at each block that touched it. */
import { Effect } from "effect"
import { InvalidParameter } from "../../model/errors.ts"
import { type PageRequest, toListPage } from "../../model/page.ts"
import type { Usd } from "../../model/price.ts"
import { type Address, type ChainId, dateTimeOf } from "../../model/primitives.ts"
import type { FeedRange } from "../../model/transfer.ts"
import type { PointKey, PortfolioPoint } from "../../model/wallet/histories.ts"
import { BlockTimes } from "../../ports/BlockTimes.ts"
import { type Series, TokenHistories } from "../../ports/TokenHistories.ts"
import { usdText, worthOf } from "../prices/worth.ts"
import { checkRange } from "../reads/feedRange.ts"
import { checkPin } from "./histories.ts"

export const intervals = ["1h", "1d", "block"] as const
export type Interval = (typeof intervals)[number]
const secondsOf = { "1h": 3600, "1d": 86_400 } as const

export interface PortfolioHistoryQuery {
  readonly chainId: ChainId
  readonly owner: Address
  readonly interval: Interval
  readonly range: FeedRange
  readonly onlyTrusted: boolean
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

const atTimes = Effect.fnUntraced(function* (query: PortfolioHistoryQuery, seconds: number) {
  const { chainId, owner: holder, range, onlyTrusted, direction, page, count } = query
  yield* checkRange(range)
  for (const name of ["blockNumberFrom", "blockNumberTo"] as const) {
    if (range[name] === undefined) continue
    const wanted = "no value: hours and days are chosen by timestampFrom and timestampTo"
    return yield* new InvalidParameter({ parameter: name, value: String(range[name]), wanted })
  }
  const times = yield* BlockTimes
  const { asOf, value: around } = yield* times.around(chainId, 0)
  const [head] = asOf
  if (head === undefined) return toListPage(page, { asOf, value: { items: [], keys: [], hasMore: false } })
  const newestTime = range.finalized === true ? yield* finalTime(query) : head.time
  const first = Math.ceil(Math.max(range.timestampFrom ?? 0, around.after?.time ?? head.time) / seconds)
  const last = Math.floor(Math.min(range.timestampTo ?? newestTime, newestTime) / seconds)
  const place = page.after ?? page.before
  const isForward = page.before === undefined
  const way = (direction === "asc") === isForward ? 1 : -1
  const start = place === undefined ? (way === 1 ? first : last) : place.time / seconds + way
  const left = Math.max(0, way === 1 ? last - Math.max(start, first) + 1 : Math.min(start, last) - first + 1)
  const from = way === 1 ? Math.max(start, first) : Math.min(start, last)
  const here = Array.from({ length: Math.min(left, page.limit) }, (_, index) => (from + way * index) * seconds)
  const ascending = here.toSorted((a, b) => a - b)
  const read = yield* series({ chainId, holder, onlyTrusted, moments: { times: ascending }, page, key: place })
  const items = pointsOf(chainId, read.value).map((point, index) => ({
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
    hasMore: left > here.length && (way === -1 || there.length === items.length),
    ...(count ? { count: total } : {}),
    ...(read.value.pin === undefined ? {} : { pin: read.value.pin }),
  }
  return toListPage(page, { asOf: read.asOf, value })
})

/** The time of the newest final block, whose header is kept; -1 = there is none. */
const finalTime = Effect.fnUntraced(function* ({ chainId }: PortfolioHistoryQuery) {
  const times = yield* BlockTimes
  const { value } = yield* times.newest(chainId)
  const histories = yield* TokenHistories
  const found = yield* histories.series({
    chainId,
    holder: "0x0000000000000000000000000000000000000000" as Address,
    onlyTrusted: true,
    moments: { blocks: [value.finalizedBlock] },
    page: {},
  })
  return found.value.points[0]?.time ?? -1
})

const atBlocks = Effect.fnUntraced(function* (query: PortfolioHistoryQuery) {
  const { chainId, owner: holder, range, onlyTrusted, direction, page } = query
  yield* checkRange(range)
  const histories = yield* TokenHistories
  const touched = yield* histories.touched({ chainId, holder, range, direction, page })
  yield* checkPin(touched.value.pin)
  const blocks = touched.value.items.toSorted((a, b) => a - b)
  const read = yield* series({
    chainId,
    holder,
    onlyTrusted,
    moments: { blocks },
    page,
    key: page.after ?? page.before,
  })
  const points = pointsOf(chainId, read.value)
  if (direction === "desc") points.reverse()
  const value = {
    items: points.map(shown),
    keys: points.map(({ blockNumber, time = 0 }): PointKey => ({ time, blockNumber })),
    hasMore: touched.value.hasMore,
    ...(read.value.pin === undefined ? {} : { pin: read.value.pin }),
  }
  return toListPage(page, { asOf: read.asOf, value })
})

const series = Effect.fnUntraced(function* ({
  page,
  key,
  ...query
}: Omit<Parameters<typeof TokenHistories.Service.series>[0], "page"> & {
  readonly page: PageRequest<PointKey>
  readonly key: PointKey | undefined
}) {
  const histories = yield* TokenHistories
  const { rollbacks } = page
  const walk = { ...(rollbacks === undefined ? {} : { rollbacks }), ...(key === undefined ? {} : { key }) }
  const read = yield* histories.series({ ...query, page: walk })
  yield* checkPin(read.value.pin)
  return read
})

interface Point extends PortfolioPoint {
  readonly time?: number
}

const shown = ({ time, ...point }: Point): PortfolioPoint => ({
  ...point,
  ...(time === undefined || point.timestamp !== undefined ? {} : { timestamp: dateTimeOf(time) }),
})

/** Sums over the tokens, at each point. Versions come newest first, so points are gone through from the last on. */
const pointsOf = (chainId: ChainId, { points, tokens }: Series): Array<Point> => {
  const sums = points.map(() => ({ tokens: 0, priced: 0, value: 0n }))
  for (const { decimals, versions, prices } of tokens) {
    let place = -1
    let balance = 0n
    let worth: (price: Usd) => Usd = () => 0n
    for (let index = points.length - 1; index >= 0; index--) {
      const { blockNumber } = points[index]!
      const before = place
      while (place < versions.length && (place < 0 || versions[place]![0] > blockNumber)) place++
      if (place === versions.length) break
      if (place !== before) {
        balance = BigInt(versions[place]![1])
        worth = worthOf(balance, decimals ?? 0)
      }
      if (balance <= 0n) continue
      const sum = sums[index]!
      sum.tokens++
      const price = prices[index]
      if (price === null || price === undefined || decimals === undefined) continue
      sum.priced++
      sum.value += worth(BigInt(price))
    }
  }
  return points.map(({ blockNumber, time }, index): Point => {
    const { tokens: held, priced, value } = sums[index]!
    return {
      chainId,
      blockNumber,
      ...(time === undefined ? {} : { time }),
      ...(priced > 0 || held === 0 ? { valueUsd: usdText(value) } : {}),
      tokens: held,
      priced,
      unpriced: held - priced,
    }
  })
}
