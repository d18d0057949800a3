/** The native currency's part of a portfolio through time: the node's word at each point's block, at the prices of its hour. */
import { Effect } from "effect"
import type { Snapshot } from "../../model/page.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import { BlockTimes, type NewestBlocks } from "../../ports/BlockTimes.ts"
import { NativeHistories, type NativeMoment } from "../../ports/NativeHistories.ts"
import { Networks, nativePricedBy } from "../../ports/Networks.ts"
import { type Series, type SeriesPoint, TokenHistories } from "../../ports/TokenHistories.ts"
import { usdOf } from "../prices/worth.ts"
import { addSums, type PointSums, sumsOf } from "./portfolioPoints.ts"

/**
 * At each point, in order, what all standards that are asked come to. Of a time the native currency's block is the very last by
 * then, where the ledger's may be an earlier one, after which no token moved: the points name it.
 */
export const allSums = Effect.fnUntraced(function* (
  { chainId, holder, standards, moments }: Omit<Parameters<typeof TokenHistories.Service.series>[0], "page">,
  read: Snapshot<Series>,
) {
  const { points } = read.value
  const sums = sumsOf(read.value)
  if (standards?.includes("native") !== true) return { points, sums }
  const times = "times" in moments ? moments.times : undefined
  const newest = yield* (yield* BlockTimes).newest(chainId)
  const asked = momentsOf(read, times, newest.value.finalizedBlock)
  const found = asked.filter((moment) => moment !== undefined)
  const told = yield* (yield* NativeHistories).through(chainId, holder, found, ledgerOf(chainId, read, newest))
  const answers = new Map(found.map((moment, index) => [moment, told[index]]))
  const answerAt = (index: number) => {
    const moment = asked[index]
    return moment === undefined ? undefined : answers.get(moment)
  }
  const native = yield* nativeSums(
    chainId,
    points,
    points.map((_, index) => answerAt(index)?.balance),
  )
  return {
    points: points.map((point, index) => ({
      ...point,
      blockNumber: answerAt(index)?.blockNumber ?? point.blockNumber,
    })),
    sums: sums.map((sum, index) => addSums(sum, native[index]!)),
  }
})

/** What a node is asked of each point; undefined = nothing, as there is no block, or nobody could tell which one it says. */
const momentsOf = (
  { asOf, value: { points } }: Snapshot<Pick<Series, "points">>,
  times: ReadonlyArray<number> | undefined,
  finalizedBlock: number,
): ReadonlyArray<NativeMoment | undefined> =>
  points.map(({ blockNumber, hash = headHash(asOf, blockNumber), since, next }, index) => {
    const time = times?.[index]
    if (time !== undefined && next !== undefined && next.blockNumber - blockNumber > 1) {
      const isKnown = blockNumber >= 0 && since !== undefined && next.blockNumber - 1 <= finalizedBlock
      return isKnown ? ({ blockNumber, until: { time, since, next } } satisfies NativeMoment) : undefined
    }
    if (hash !== undefined) return { blockNumber, hash } satisfies NativeMoment
    return blockNumber >= 0 && blockNumber <= finalizedBlock ? ({ blockNumber } satisfies NativeMoment) : undefined
  })

/** Which making of the ledger the points are of; empty = between the two reads it may have become another. */
const ledgerOf = (
  chainId: ChainId,
  points: Snapshot<unknown>,
  { asOf, value: { birth = "" } }: Snapshot<NewestBlocks>,
) => {
  const [before, after] = [points.asOf, asOf].map((read) => read.find((it) => it.chainId === chainId)?.rewrites)
  return before === after ? birth : ""
}

/** What no node tells counts as held, without a value: it is neither 0 nor what another block says. */
const nativeSums = Effect.fnUntraced(function* (
  chainId: ChainId,
  points: ReadonlyArray<SeriesPoint>,
  balances: ReadonlyArray<bigint | undefined>,
) {
  const chain = (yield* Networks).chains.find((it) => it.chainId === chainId)
  const hours = points.map(({ hour }) => hour)
  const prices = yield* firstPrices(chainId, nativePricedBy(chain), hours)
  const decimals = chain?.nativeCurrency?.decimals
  return points.map(({ blockNumber }, index): PointSums => {
    if (blockNumber < 0) return { tokens: 0, priced: 0, value: 0n }
    const balance = balances[index]
    if (balance === undefined) return { tokens: 1, priced: 0, value: 0n, source: "ledger" }
    if (balance === 0n) return { tokens: 0, priced: 0, value: 0n, source: "node" }
    const price = prices[index]
    if (price === undefined || decimals === undefined) return { tokens: 1, priced: 0, value: 0n, source: "node" }
    return { tokens: 1, priced: 1, value: usdOf(balance, decimals, price), source: "node" }
  })
})

const headHash = (asOf: Snapshot<unknown>["asOf"], blockNumber: number) =>
  asOf.find((head) => head.blockNumber === blockNumber)?.hash

/** Of each hour, in order, of the first of the tokens that has a price in it. */
export const firstPrices = Effect.fnUntraced(function* (
  chainId: ChainId,
  tokens: ReadonlyArray<Address>,
  hours: ReadonlyArray<number>,
) {
  const histories = yield* TokenHistories
  const known = new Map<number, bigint>()
  for (const token of tokens) {
    const left = [...new Set(hours)].filter((hour) => !known.has(hour))
    if (left.length === 0) break
    const { prices } = yield* histories.pricesAt(chainId, token, left)
    for (const [index, price] of prices.entries()) if (price !== null) known.set(left[index]!, BigInt(price))
  }
  return hours.map((hour) => known.get(hour))
})
