/** What an address held on several chains through time, and what that was worth: one sum over them for each hour or day. */
import { Effect } from "effect"
import { InvalidParameter } from "../../model/errors.ts"
import { toListPage } from "../../model/page.ts"
import { type ChainId, dateTimeOf } from "../../model/primitives.ts"
import type { PortfolioPoint } from "../../model/wallet/histories.ts"
import { TokenHistories } from "../../ports/TokenHistories.ts"
import { worstByChain } from "../audit/doubts.ts"
import { checkRange } from "../reads/feedRange.ts"
import { findBeginning } from "./beginning.ts"
import { finalSecond } from "./finalTime.ts"
import { allSums } from "./nativePoints.ts"
import { noPoints, type PortfolioHistoryQuery, refuseBlocks } from "./portfolioHistory.ts"
import { addSums, type PointSums, shownSums, sourceOfAll, suspectsOfPoints, windowOf } from "./portfolioPoints.ts"

/** Chains that are read at a time. */
const chainsAtOnce = 4

/** Which times a chain's ledger can speak of. */
interface Span {
  readonly chainId: ChainId
  /** Of its first block that is known. */
  readonly from: number
  /** Whether there is a history before that, which it lacks. */
  readonly isLate: boolean
  /** Of its newest block, or the newest second of which all blocks are final. */
  readonly to: number
}

export type AllHistoryQuery = Omit<PortfolioHistoryQuery, "chainId" | "interval"> & {
  readonly chains: ReadonlyArray<ChainId>
  readonly seconds: number
}

/**
 * Times of which every chain that has a ledger can speak: none is taken for empty that is behind, or that began later than its
 * chain. Each page is of its own moment.
 */
export const listPortfolioOfAll = Effect.fnUntraced(function* (query: AllHistoryQuery) {
  const { chains, owner: holder, range, onlyTrusted, standards, direction, page, count, seconds } = query
  yield* checkRange(range)
  yield* refuseBlocks(range)
  const spans = (yield* Effect.forEach(chains, (chainId) => spanOf(chainId, range.finalized), {
    concurrency: chainsAtOnce,
  })).flatMap((span) => span ?? [])
  if (spans.length === 0) return toListPage(page, { asOf: [], value: noPoints(count) })
  const late = spans.filter(({ isLate }) => isLate)
  const oldest =
    late.length > 0 ? Math.max(...late.map(({ from }) => from)) : Math.min(...spans.map(({ from }) => from))
  const newest = Math.min(...spans.map(({ to }) => to))
  const first = Math.ceil(Math.max(range.timestampFrom ?? 0, oldest) / seconds)
  const last = Math.floor(Math.min(range.timestampTo ?? newest, newest) / seconds)
  const { ascending, left, way } = windowOf({ first, last, seconds, direction, page })
  const histories = yield* TokenHistories
  const reads = yield* Effect.forEach(
    spans,
    Effect.fnUntraced(function* ({ chainId }) {
      const asked = { chainId, holder, onlyTrusted, standards, moments: { times: ascending } }
      const read = yield* histories.series({ ...asked, page: {} })
      return { ...read, ...(yield* allSums(asked, read)) }
    }),
    { concurrency: chainsAtOnce },
  )
  const sums = reads.map((read) => read.sums)
  const asOf = reads.flatMap((read) => read.asOf)
  // A reorg since may have left a ledger behind.
  const known = Math.min(...reads.map((read) => read.asOf[0]?.time ?? -1))
  const points = ascending.flatMap((time, index): ReadonlyArray<{ point: PortfolioPoint; time: number }> => {
    if (time > known) return []
    const all = sums.map((ofChain): PointSums => ofChain[index] ?? { tokens: 0, priced: 0, value: 0n })
    const sum = all.reduce(addSums)
    return [{ time, point: { timestamp: dateTimeOf(time), chains: spans.length, ...shownSums(sum) } }]
  })
  if (direction === "desc") points.reverse()
  const value = {
    items: points.map(({ point }) => point),
    keys: points.map(({ time }) => ({ time, blockNumber: 0 })),
    hasMore: left > ascending.length && (way === -1 || points.length === ascending.length),
    ...(count ? { count: { count: Math.max(0, last - first + 1), countType: "exact" as const } } : {}),
  }
  const suspects = spans.flatMap(({ chainId }, index) => suspectsOfPoints(chainId, sums[index]!))
  return { ...toListPage(page, { asOf, value }), ...sourceOfAll(sums.flat()), suspects: worstByChain(suspects) }
})

/** undefined = it has no block. */
const spanOf = Effect.fnUntraced(function* (chainId: ChainId, finalized: true | undefined) {
  const { head, begin: from } = yield* findBeginning(chainId)
  if (head === undefined) return undefined
  const to = finalized === true ? yield* finalSecond(chainId) : head.time
  const span: Span = { chainId, from, isLate: head.firstBlock > 0, to }
  return span
})

/** Blocks are of one chain. */
export const refuseInterval = (interval: string) =>
  new InvalidParameter({ parameter: "interval", value: interval, wanted: "1h or 1d where several chains are asked" })
