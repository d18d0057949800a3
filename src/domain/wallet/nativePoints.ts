/** The native currency's part of a portfolio through time: the node's word at each point's block, at the prices of its hour. */
import { Effect } from "effect"
import type { Snapshot } from "../../model/page.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import { BlockTimes } from "../../ports/BlockTimes.ts"
import { NativeHistories, type NativeMoment } from "../../ports/NativeHistories.ts"
import { Networks } from "../../ports/Networks.ts"
import { type Series, type SeriesPoint, TokenHistories } from "../../ports/TokenHistories.ts"
import { usdOf } from "../prices/worth.ts"
import { addSums, type PointSums, sumsOf } from "./portfolioPoints.ts"

/** At each point, in order, what all standards that are asked come to. */
export const allSums = Effect.fnUntraced(function* (
  { chainId, holder, standards }: Omit<Parameters<typeof TokenHistories.Service.series>[0], "page">,
  read: Snapshot<Series>,
) {
  const sums = sumsOf(read.value)
  if (standards?.includes("native") !== true) return sums
  const native = yield* nativeSums(chainId, holder, read)
  return sums.map((sum, index) => addSums(sum, native[index]!))
})

/** Of each point, in order. What no node tells counts as held, without a value: it is neither 0 nor what another block says. */
const nativeSums = Effect.fnUntraced(function* (
  chainId: ChainId,
  owner: Address,
  { asOf, value: { points } }: Snapshot<Pick<Series, "points">>,
) {
  const chain = (yield* Networks).chains.find((it) => it.chainId === chainId)
  const { finalizedBlock } = (yield* (yield* BlockTimes).newest(chainId)).value
  const moments = points.map(({ blockNumber, hash = headHash(asOf, blockNumber) }): NativeMoment | undefined => {
    if (hash !== undefined) return { blockNumber, hash }
    return blockNumber >= 0 && blockNumber <= finalizedBlock ? { blockNumber } : undefined
  })
  const asked = moments.filter((moment) => moment !== undefined)
  const told = yield* (yield* NativeHistories).through(chainId, owner, asked)
  const answers = new Map(asked.map(({ blockNumber }, index) => [blockNumber, told[index]]))
  const prices = yield* pricesOf(chainId, chain?.wrappedNative ?? [], points)
  const decimals = chain?.nativeCurrency?.decimals
  return points.map(({ blockNumber }, index): PointSums => {
    if (blockNumber < 0) return { tokens: 0, priced: 0, value: 0n }
    const balance = answers.get(blockNumber)
    if (balance === undefined) return { tokens: 1, priced: 0, value: 0n, source: "ledger" }
    if (balance === 0n) return { tokens: 0, priced: 0, value: 0n, source: "node" }
    const price = prices[index]
    if (price === undefined || decimals === undefined) return { tokens: 1, priced: 0, value: 0n, source: "node" }
    return { tokens: 1, priced: 1, value: usdOf(balance, decimals, price), source: "node" }
  })
})

const headHash = (asOf: Snapshot<unknown>["asOf"], blockNumber: number) =>
  asOf.find((head) => head.blockNumber === blockNumber)?.hash

/** Of each point, of the first of the tokens that has one in its hour. */
const pricesOf = Effect.fnUntraced(function* (
  chainId: ChainId,
  wrapped: ReadonlyArray<Address>,
  points: ReadonlyArray<SeriesPoint>,
) {
  const histories = yield* TokenHistories
  const hours = [...new Set(points.map(({ hour }) => hour))]
  const known = new Map<number, bigint>()
  for (const token of wrapped) {
    const left = hours.filter((hour) => !known.has(hour))
    if (left.length === 0) break
    const { prices } = yield* histories.pricesAt(chainId, token, left)
    for (const [index, price] of prices.entries()) if (price !== null) known.set(left[index]!, BigInt(price))
  }
  return points.map(({ hour }) => known.get(hour))
})
