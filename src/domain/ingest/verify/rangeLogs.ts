/** A range's answers held against the headers of its blocks: what is believed of them, or why they are not. */
import { Effect } from "effect"
import type { BlockHeader, Log } from "../../../model/block.ts"
import { type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { bare, type Contradiction, chainContradiction, firstOfGroups, logsContradiction } from "../decode/chunk.ts"
import { checkBlooms } from "./bloomCheck.ts"
import type { LogsByHash } from "./byHash.ts"
import { allHeaders } from "./headers.ts"
import { withPossiblyEmpty } from "./possiblyEmpty.ts"
import { type BlockRange, numbersBetween, type RangeAnswer } from "./rangeAnswers.ts"
import type { Verifier } from "./verifier.ts"

export interface BelievedRange {
  readonly first: BlockHeader
  readonly head: BlockHeader
  /** Of each group of 256 blocks the first header that was read. */
  readonly landmarks: ReadonlyArray<BlockHeader>
  /** With those of possibly-empty blocks. */
  readonly logs: ReadonlyArray<Log>
  /** Of the block of one of them. */
  readonly timeOf: (log: Log) => number
}

/** Headers read in one go. */
const headersStep = 500

/** `known`: logs of blocks of this range that were asked by hash, also in an earlier try. */
export interface Answered extends BlockRange {
  readonly answer: RangeAnswer
  readonly known: LogsByHash
}

/** Headers are read after the logs: a hash that the logs do not have shows that the chain moved in between. */
export const believeRange = Effect.fnUntraced(function* (
  verifier: Verifier,
  { from, to, answer, known }: Answered,
  everyHeader: boolean,
) {
  const numbers = everyHeader ? numbersBetween(from, to) : numbersToRead({ from, to }, answer)
  const possiblyEmpty = new Set(answer.possiblyEmpty)
  const times = new Map<number, number>()
  const ends: Array<SourceHeader> = []
  const firsts: Array<BlockHeader> = []
  const parts: Array<ReadonlyArray<Log>> = []
  let checked = 0
  for (let begin = 0; begin < numbers.length; begin += headersStep) {
    const headers = yield* allHeaders(verifier, numbers.slice(begin, begin + headersStep))
    const last = headers.at(-1)!
    let end = checked
    while (end < answer.logs.length && answer.logs[end]!.blockNumber <= last.number) end++
    const part = {
      headers,
      logs: answer.logs.slice(checked, end),
      possiblyEmpty: headers.filter(({ number }) => possiblyEmpty.has(number)),
    }
    const logs = yield* withPossiblyEmpty(verifier, part, known)
    yield* refuse(chainContradiction([...ends.slice(-1), ...headers]) ?? logsContradiction(logs, byNumber(headers)))
    const rejection = yield* checkBlooms(verifier, headers, logs)
    if (rejection !== undefined) {
      known.delete(rejection.header.hash)
      return yield* rejection.error
    }
    for (const { number, time } of headers) times.set(number, time)
    ends.push(headers[0]!, last)
    firsts.push(...firstOfGroups(headers).map(bare))
    parts.push(logs)
    checked = end
  }
  return {
    first: bare(ends[0]!),
    head: bare(ends.at(-1)!),
    landmarks: firstOfGroups(firsts),
    logs: parts.length === 1 ? parts[0]! : parts.flat(),
    timeOf: (log) => times.get(log.blockNumber)!,
  } satisfies BelievedRange as BelievedRange
})

/** The range's ends, every block with logs and the possibly-empty ones, ascending. */
const numbersToRead = ({ from, to }: BlockRange, { logs, possiblyEmpty }: RangeAnswer): ReadonlyArray<number> => {
  const probes = logs.length === 0 ? probesOf(from, to) : []
  const numbers = new Set([from, ...logs.map(({ blockNumber }) => blockNumber), ...possiblyEmpty, ...probes, to])
  return [...numbers].sort((a, b) => a - b)
}

/** A node without the logs of old blocks gives empty ranges: so many blocks of one are looked at, whose blooms may know better. */
const mostProbes = 16
const probesOf = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: mostProbes }, (_, place) => from + Math.floor(((to - from) * (place + 1)) / (mostProbes + 1)))

const byNumber = (headers: ReadonlyArray<SourceHeader>) => new Map(headers.map((header) => [header.number, header]))
const refuse = (contradiction: Contradiction | undefined) =>
  contradiction === undefined ? Effect.void : Effect.fail(new SourceUnavailable(contradiction))
