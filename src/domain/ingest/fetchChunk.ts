/** One range of final blocks, read from the node by number: logs in ranges it accepts, checked against the headers of their blocks. */
import { Effect, Result } from "effect"
import type { SourceHeader } from "../../ports/ChainSource.ts"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import type { Log } from "../model/block.ts"
import { bare, type Chunk, chainContradiction, logsContradiction } from "./chunk.ts"
import type { Following } from "./following.ts"
import { checkHints } from "./hints.ts"
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

/** Headers read in one go. */
const headersStep = 500

const readChunk = Effect.fnUntraced(function* (following: Following, sizing: Sizing, from: number, to: number) {
  const { contracts, nodeHead, pools, report } = following
  const logs = yield* readLogs(following, sizing, from, to)
  // Headers after logs: a hash that the logs do not have shows that the chain moved in between.
  const { first, head, timeOf } = yield* readHeaders(following, logs, from, to)
  const sorted = sortLogs(logs, contracts)
  const rows = movementsOf(sorted, contracts, timeOf)
  const { poolless, ...traded } = yield* patiently(report, pools.find(rows.swaps, sorted.initialized))
  return {
    first,
    head,
    headers: [head],
    ...rows,
    ...traded,
    counts: { odd: sorted.odd, poolless },
    nodeHead,
  } satisfies Chunk
})

/**
 * The headers of the range's ends and of every block with logs (with VERIFY=full of every block), held against the
 * logs, each other and their own hints.
 */
const readHeaders = Effect.fnUntraced(function* (
  following: Following,
  logs: ReadonlyArray<Log>,
  from: number,
  to: number,
) {
  const numbers =
    following.settings.verify === "full"
      ? Array.from({ length: to - from + 1 }, (_, index) => from + index)
      : [...new Set([from, ...logs.map(({ blockNumber }) => blockNumber), to])]
  const times = new Map<number, number>()
  const ends: Array<SourceHeader> = []
  let checked = 0
  for (let begin = 0; begin < numbers.length; begin += headersStep) {
    const part = numbers.slice(begin, begin + headersStep)
    const headers = yield* headersOf(following, part)
    const last = headers.at(-1)!
    let end = checked
    while (end < logs.length && logs[end]!.blockNumber <= last.number) end++
    const own = logs.slice(checked, end)
    yield* refuse(chainContradiction([...ends.slice(-1), ...headers]) ?? logsContradiction(own, byNumber(headers)))
    yield* checkHints(following, headers, own)
    for (const { number, time } of headers) times.set(number, time)
    ends.push(headers[0]!, last)
    checked = end
  }
  return { first: bare(ends[0]!), head: bare(ends.at(-1)!), timeOf: (log: Log) => times.get(log.blockNumber)! }
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

/** A block of too many logs for a range: by its hash, and so by its receipts where it must be. */
const readBlock = Effect.fnUntraced(function* (following: Following, number: number) {
  const [header] = yield* headersOf(following, [number])
  const [logs] = yield* following.source.logsOfBlocks([header!.hash])
  if (logs === undefined) return yield* new SourceUnavailable({ message: `the node no longer has block ${number}` })
  return logs
})

/** Asks again for those that are missing only: behind one address there may be nodes that are behind. */
const headersOf = Effect.fnUntraced(function* ({ source, report }: Following, numbers: ReadonlyArray<number>) {
  const found = new Map<number, SourceHeader>()
  const ask = Effect.gen(function* () {
    for (const header of yield* source.headers(numbers.filter((number) => !found.has(number)))) {
      if (header !== undefined) found.set(header.number, header)
    }
    const missing = numbers.find((number) => !found.has(number))
    if (missing !== undefined) return yield* new SourceUnavailable({ message: `the node has no block ${missing}` })
  })
  yield* patiently(report, ask)
  return numbers.map((number) => found.get(number)!)
})

const byNumber = (headers: ReadonlyArray<SourceHeader>) => new Map(headers.map((header) => [header.number, header]))
const refuse = (contradiction: string | undefined) =>
  contradiction === undefined ? Effect.void : Effect.fail(new SourceUnavailable({ message: contradiction }))
