/** Walks one chain's touched blocks, batch by batch, for the positions of the transfers that pass a filter. */
import type { TransactionSql } from "postgres"
import type { TransferFilter } from "../../../../../model/transfer.ts"
import type { Pending } from "../../../database/Database.ts"
import type { AcrossChains } from "../../common/acrossChains.ts"
import type { Direction, TransferFeed } from "../../feed/feed.ts"
import type { KeyRange, PositionKey } from "../../feed/positionKey.ts"
import { type AccessPath, accessPathsOf } from "./accessPath.ts"
import { selectCosts } from "./costEstimate.ts"
import type { Batch } from "./stream.ts"
import { type BatchResult, selectBatch } from "./walkBatch.ts"

/** One read-only transaction of one snapshot, and the filter that it reads by. */
export interface Walker {
  readonly transaction: TransactionSql
  readonly run: <B>(statement: Pending<B>) => Promise<B>
  readonly filter: TransferFilter
  readonly prepared: AcrossChains["Service"]["prepared"]
}

export interface WalkRequest {
  readonly range: KeyRange
  readonly direction: Direction
  /** Rows wanted. */
  readonly limit: number
  /** Touched blocks that may be looked at; what is looked at is taken off. */
  readonly budget: { left: number }
}

/** Position keys in order; not `complete` when the budget ended first. */
export interface Walked {
  readonly positionKeys: ReadonlyArray<PositionKey>
  readonly complete: boolean
}

const widest = 16_384
const narrowest = 32

/** Batches double, so that a page near its start is cheap and a far one takes few round trips. */
export const walkChain = async (walker: Walker, feed: TransferFeed, request: WalkRequest): Promise<Walked> => {
  const { direction, limit, budget } = request
  if (request.range.low >= request.range.high) return { positionKeys: [], complete: true }
  const accessPath = await chooseAccessPath(walker, feed, request.range)
  const positionKeys: Array<PositionKey> = []
  let { range } = request
  let width = Math.min(Math.max(limit, narrowest), widest)
  while (range.low < range.high) {
    if (budget.left <= 0) return { positionKeys, complete: false }
    const batch = { filter: walker.filter, accessPath, range, direction, width, limit: limit - positionKeys.length }
    const { horizon, seen, rows } = await readBatch(walker, feed, batch)
    positionKeys.push(...rows.map(BigInt))
    if (horizon === null || positionKeys.length >= limit) break
    range = direction === "desc" ? { ...range, high: BigInt(horizon) } : { ...range, low: BigInt(horizon) }
    budget.left -= seen
    width = Math.min(width * 2, widest)
  }
  return { positionKeys, complete: true }
}

const readBatch = async ({ transaction, run }: Walker, feed: TransferFeed, batch: Batch): Promise<BatchResult> => {
  const [row] = await run(transaction<[{ batch: BatchResult }]>`select (${selectBatch(feed, batch)}) as batch`)
  return row.batch
}

/** Paths this long count as equal at a first look; a second one tells them apart. */
const looks = [2_000, 20_000]

/** The shortest. */
const chooseAccessPath = async (
  { transaction, run, filter }: Walker,
  feed: TransferFeed,
  range: KeyRange,
): Promise<AccessPath> => {
  const [only, ...others] = accessPathsOf(feed.kind, filter)
  if (only === undefined) throw new Error("a walk needs an account to follow")
  if (others.length === 0) return only
  const accessPaths = [only, ...others]
  let shortest = 0
  for (const cap of looks) {
    const selected = selectCosts(feed, accessPaths, { filter, range, cap })
    const [{ costs }] = await run(transaction<[{ costs: Array<number> }]>`select (${selected}) as costs`)
    const least = Math.min(...costs)
    shortest = costs.indexOf(least)
    if (least < cap) break
  }
  return accessPaths[shortest] ?? only
}
