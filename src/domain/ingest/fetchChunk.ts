/** One range of final blocks, read from the node by number: logs in ranges it accepts, checked against the headers of their blocks. */
import { Effect, Result } from "effect"
import type { Log } from "../../model/block.ts"
import type { SourceHeader } from "../../ports/ChainSource.ts"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { bare, type Chunk, type Contradiction, chainContradiction, logsContradiction } from "./decode/chunk.ts"
import { movementsOf, sortLogs } from "./decode/sorting.ts"
import { failed, grown, type RangeSize, refused } from "./rangeSize.ts"
import type { Following } from "./state.ts"
import { backoff, patiently } from "./status/retry.ts"
import { checkHints } from "./verify/bloomCheck.ts"
import { findHeaders } from "./verify/headers.ts"
import { type ByHash, nearHead, readQuiet } from "./verify/possiblyEmpty.ts"

/** The range size in use, shared by all ranges of a backfill: what one learns all follow. */
export interface Sizing {
  current: RangeSize
}

/** Blocks `from` to `to` (inclusive). Never fails: it asks until the node's answers are whole and agree. */
export const fetchChunk = (following: Following, sizing: Sizing, from: number, to: number) =>
  Effect.suspend(() => {
    const byHash: ByHash = new Map()
    return patiently(following.report, readChunk(following, sizing, byHash, from, to))
  })

/** Headers read in one go. */
const headersStep = 500

const readChunk = Effect.fnUntraced(function* (
  following: Following,
  sizing: Sizing,
  byHash: ByHash,
  from: number,
  to: number,
) {
  const { contracts, nodeHead, pools, report } = following
  const answered = yield* readLogs(following, sizing, from, to)
  // Headers after logs: a hash that the logs do not have shows that the chain moved in between.
  const { first, head, logs, timeOf } = yield* readHeaders(following, answered, byHash, from, to)
  const sorted = sortLogs(logs, contracts)
  const rows = movementsOf(sorted, contracts, timeOf)
  const { unknownPool, ...traded } = yield* patiently(report, pools.find(rows.swaps, sorted.initialized))
  return {
    first,
    head,
    headers: [head],
    ...rows,
    ...traded,
    counts: { malformed: sorted.malformed, unknownPool },
    nodeHead,
  } satisfies Chunk
})

/**
 * The headers of the range's ends, of every block with logs and of quiet ones (with VERIFY=full of every block), held against the logs, each other and their own hints. `logs`: with those of quiet blocks that were asked by hash.
 */
const readHeaders = Effect.fnUntraced(function* (
  following: Following,
  { logs: answered, quiet }: Answered,
  byHash: ByHash,
  from: number,
  to: number,
) {
  const probes = answered.length === 0 ? probesOf(from, to) : []
  const numbers =
    following.settings.verify === "full"
      ? numbersBetween(from, to)
      : [...new Set([from, ...answered.map(({ blockNumber }) => blockNumber), ...quiet, ...probes, to])].sort(
          (a, b) => a - b,
        )
  const times = new Map<number, number>()
  const ends: Array<SourceHeader> = []
  const parts: Array<ReadonlyArray<Log>> = []
  let checked = 0
  for (let begin = 0; begin < numbers.length; begin += headersStep) {
    const part = numbers.slice(begin, begin + headersStep)
    const headers = yield* headersOf(following, part)
    const last = headers.at(-1)!
    let end = checked
    while (end < answered.length && answered[end]!.blockNumber <= last.number) end++
    const given = answered.slice(checked, end)
    const unsaid = headers.filter(({ number }) => quiet.has(number))
    const own = yield* readQuiet(following, headers, given, unsaid, byHash)
    yield* refuse(chainContradiction([...ends.slice(-1), ...headers]) ?? logsContradiction(own, byNumber(headers)))
    const denial = yield* checkHints(following, headers, own)
    if (denial !== undefined) {
      byHash.delete(denial.header.hash)
      return yield* denial.error
    }
    for (const { number, time } of headers) times.set(number, time)
    ends.push(headers[0]!, last)
    parts.push(own)
    checked = end
  }
  return {
    first: bare(ends[0]!),
    head: bare(ends.at(-1)!),
    logs: parts.length === 1 ? parts[0]! : parts.flat(),
    timeOf: (log: Log) => times.get(log.blockNumber)!,
  }
})

/** A range's logs as its answers held them, in order. */
interface Answered {
  readonly logs: ReadonlyArray<Log>
  /** Blocks near the head that come after the last log of their answer: it may have ended early. */
  readonly quiet: ReadonlySet<number>
}

/** Of failures in a row: where nodes are not level many are chance, and the client has waited for one that is down. */
const longestBackoff = 2

const readLogs = Effect.fnUntraced(function* (following: Following, sizing: Sizing, from: number, to: number) {
  const { source, report, nodeHead } = following
  const parts: Array<ReadonlyArray<Log>> = []
  const quiet = new Set<number>()
  let failures = 0
  for (let next = from; next <= to; ) {
    const end = Math.min(to, next + sizing.current.blocks - 1)
    const blocks = end - next + 1
    const answer = yield* Effect.result(source.logs(next, end))
    if (Result.isSuccess(answer)) {
      sizing.current = grown(sizing.current, blocks, answer.success.length)
      parts.push(answer.success)
      const begin = (answer.success.at(-1)?.blockNumber ?? next - 1) + 1
      for (const number of numbersBetween(Math.max(begin, nodeHead - nearHead), end)) quiet.add(number)
      next = end + 1
      failures = 0
    } else if (answer.failure._tag === "SourceUnavailable") {
      yield* report.refused(answer.failure)
      // Once may be chance: nodes that are not level fail so, however short the range.
      if (failures > 0) sizing.current = failed(sizing.current, blocks)
      yield* backoff(Math.min(failures++, longestBackoff))
    } else if (blocks === 1) {
      parts.push(yield* patiently(report, readBlock(following, next)))
      next = end + 1
    } else {
      const { suggestedTo = Number.NaN } = answer.failure
      const suggested = suggestedTo >= next && suggestedTo < end ? suggestedTo - next + 1 : undefined
      sizing.current = refused(sizing.current, blocks, suggested)
    }
  }
  return { logs: parts.length === 1 ? parts[0]! : parts.flat(), quiet } satisfies Answered
})

/** A block of too many logs for a range: by its hash, and so by its receipts where it must be. */
const readBlock = Effect.fnUntraced(function* (following: Following, number: number) {
  const [header] = yield* headersOf(following, [number])
  const [logs] = yield* following.source.logsOfBlocks([header!.hash])
  if (logs === undefined)
    return yield* new SourceUnavailable({ kind: "behind", message: `the node no longer has block ${number}` })
  return logs
})

/** Asks until all are there. */
const headersOf = Effect.fnUntraced(function* (following: Following, numbers: ReadonlyArray<number>) {
  const found = new Map<number, SourceHeader>()
  const ask = Effect.gen(function* () {
    const open = numbers.filter((number) => !found.has(number))
    for (const [number, header] of yield* findHeaders(following, open)) found.set(number, header)
    const missing = numbers.find((number) => !found.has(number))
    if (missing !== undefined)
      return yield* new SourceUnavailable({ kind: "behind", message: `the node has no block ${missing}` })
  })
  yield* patiently(following.report, ask)
  return numbers.map((number) => found.get(number)!)
})

/** A node without the logs of old blocks gives empty ranges: so many blocks of one are looked at, whose blooms may know better. */
const mostProbes = 16
const probesOf = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: mostProbes }, (_, place) => from + Math.floor(((to - from) * (place + 1)) / (mostProbes + 1)))

const numbersBetween = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
const byNumber = (headers: ReadonlyArray<SourceHeader>) => new Map(headers.map((header) => [header.number, header]))
const refuse = (contradiction: Contradiction | undefined) =>
  contradiction === undefined ? Effect.void : Effect.fail(new SourceUnavailable(contradiction))
