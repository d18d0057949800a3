/** One range of final blocks, read from the node by number: logs in ranges it accepts, checked against headers, with block times. */
import { Effect, Result } from "effect"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import type { BlockHeader, Log } from "../model/block.ts"
import { type Chunk, chainContradiction, logsContradiction, timesOnLogs } from "./chunk.ts"
import type { Following } from "./following.ts"
import { backoff, patiently } from "./patience.ts"
import { failed, grown, type RangeSize, refused } from "./rangeSize.ts"
import { movementsOf, sortLogs } from "./sorting.ts"

/** The range size in use, shared by all ranges of a backfill: what one learns all follow. */
export interface Sizing {
  current: RangeSize
}

/** Blocks `from` to `to` (inclusive). Never fails: it asks until the node's answers are whole and agree. */
export const fetchChunk = (following: Following, sizing: Sizing, from: number, to: number) =>
  patiently(following.report, readChunk(following, sizing, from, to))

const readChunk = Effect.fnUntraced(function* (following: Following, sizing: Sizing, from: number, to: number) {
  const { contracts, report, nodeHead } = following
  const logs = yield* readLogs(following, sizing, from, to)
  // Headers after logs: a hash that the logs do not have shows that the chain moved in between.
  const [first, head = first] = yield* patiently(report, readHeaders(following, from === to ? [from] : [from, to]))
  const sorted = sortLogs(logs, contracts)
  const moving = sorted.moving.map(({ log }) => log)
  yield* refuse(
    chainContradiction(from === to ? [first!] : [first!, head!]) ?? logsContradiction(logs, byNumber([first!, head!])),
  )
  const timeOf = timesOnLogs(moving, first!, head!) ?? (yield* timesOfHeaders(following, moving, first!, head!))
  return {
    first: first!,
    head: head!,
    headers: [head!],
    movements: movementsOf(sorted, contracts, timeOf),
    counts: sorted.counts,
    nodeHead,
  } satisfies Chunk
})

const readLogs = Effect.fnUntraced(function* (following: Following, sizing: Sizing, from: number, to: number) {
  const { source, report } = following
  const parts: Array<ReadonlyArray<Log>> = []
  let failures = 0
  for (let next = from; next <= to; ) {
    const end = Math.min(to, next + sizing.current.blocks - 1)
    const blocks = end - next + 1
    const answer = yield* Effect.result(source.logs(next, end))
    if (Result.isSuccess(answer)) {
      sizing.current = grown(sizing.current, blocks, answer.success.length)
      parts.push(answer.success)
      next = end + 1
      failures = 0
    } else if (answer.failure._tag === "SourceUnavailable") {
      report.problem(answer.failure.message)
      sizing.current = failed(sizing.current, blocks)
      yield* backoff(failures++)
    } else if (blocks === 1) {
      parts.push(yield* patiently(report, readBlock(following, next)))
      next = end + 1
    } else {
      const { suggestedTo = Number.NaN } = answer.failure
      const suggested = suggestedTo >= next && suggestedTo < end ? suggestedTo - next + 1 : undefined
      sizing.current = refused(sizing.current, blocks, suggested)
    }
  }
  return parts.length === 1 ? parts[0]! : parts.flat()
})

/** A block whose logs the node gives by hash only: too many for its limits. */
const readBlock = Effect.fnUntraced(function* (following: Following, number: number) {
  const [header] = yield* readHeaders(following, [number])
  const [logs] = yield* following.source.logsOfBlocks([header!.hash])
  if (logs === undefined) return yield* new SourceUnavailable({ message: `the node no longer has block ${number}` })
  return logs
})

const readHeaders = Effect.fnUntraced(function* ({ source }: Following, numbers: ReadonlyArray<number>) {
  const headers = yield* source.headers(numbers)
  const missing = numbers.find((_, index) => headers[index] === undefined)
  if (missing !== undefined) return yield* new SourceUnavailable({ message: `the node has no block ${missing}` })
  return headers as ReadonlyArray<BlockHeader>
})

/** Where logs do not carry their block's time (or one that cannot be): the headers of all blocks with logs. */
const timesOfHeaders = Effect.fnUntraced(function* (
  following: Following,
  logs: ReadonlyArray<Log>,
  first: BlockHeader,
  head: BlockHeader,
) {
  const known = byNumber([first, head])
  const numbers = [...new Set(logs.map((log) => log.blockNumber))].filter((number) => !known.has(number))
  const between = yield* patiently(following.report, readHeaders(following, numbers))
  const headers = byNumber([first, ...between, head])
  yield* refuse(chainContradiction([...headers.values()]) ?? logsContradiction(logs, headers))
  return (log: Log) => headers.get(log.blockNumber)!.time
})

const byNumber = (headers: ReadonlyArray<BlockHeader>) => new Map(headers.map((header) => [header.number, header]))
const refuse = (contradiction: string | undefined) =>
  contradiction === undefined ? Effect.void : Effect.fail(new SourceUnavailable({ message: contradiction }))
