/** A range's answers held against the headers of its blocks: what is believed of them, or why they are not. */
import { Effect } from "effect"
import type { BlockHeader, Log } from "../../../model/block.ts"
import { type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { bare, type Contradiction, chainContradiction, firstOfGroups, logsContradiction } from "../decode/chunk.ts"
import { checkBlooms } from "./bloomCheck.ts"
import { listDoubted } from "./blooms.ts"
import type { LogsByHash } from "./byHash.ts"
import { allHeaders } from "./headers.ts"
import { withPossiblyEmpty } from "./possiblyEmpty.ts"
import { numbersToRead } from "./probes.ts"
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
  /** Blocks with logs whose blooms suggest others beside them. */
  readonly doubted: ReadonlyArray<number>
}

/** Headers read in one go. */
const headersStep = 500

/** `known`: logs of blocks of this range that were asked by hash, or proven, also in an earlier try: they stand for what came. */
export interface Answered extends BlockRange {
  readonly answer: RangeAnswer
  readonly known: LogsByHash
  /** Blocks of this range whose logs were denied, also in an earlier try; grows. */
  readonly denied: Map<number, SourceHeader>
  /** Blocks whose headers are read too. */
  readonly alsoRead?: ReadonlyArray<number>
  /** Hears of all headers that are read. */
  readonly heard?: (headers: ReadonlyArray<SourceHeader>) => void
}

/** Headers are read after the logs: a hash that the logs do not have shows that the chain moved in between. */
export const believeRange = Effect.fnUntraced(function* (
  verifier: Verifier,
  { from, to, answer, known, denied, alsoRead = [], heard }: Answered,
  everyHeader: boolean,
) {
  const { traits } = verifier
  const numbers = everyHeader
    ? numbersBetween(from, to)
    : yield* numbersToRead({ from, to }, answer, { hasBlooms: traits.hasBlooms, denied: denied.keys(), alsoRead })
  const possiblyEmpty = new Set(answer.possiblyEmpty)
  const times = new Map<number, number>()
  const ends: Array<SourceHeader> = []
  const firsts: Array<BlockHeader> = []
  const parts: Array<ReadonlyArray<Log>> = []
  const doubted: Array<number> = []
  let checked = 0
  for (let begin = 0; begin < numbers.length; begin += headersStep) {
    const headers = yield* allHeaders(verifier, numbers.slice(begin, begin + headersStep))
    heard?.(headers)
    const last = headers.at(-1)!
    let end = checked
    while (end < answer.logs.length && answer.logs[end]!.blockNumber <= last.number) end++
    const isOpen = ({ number }: SourceHeader) => possiblyEmpty.has(number)
    const told = headers.filter((header) => !isOpen(header))
    const part = {
      headers,
      logs: withKnown(answer.logs.slice(checked, end), told, known),
      possiblyEmpty: headers.filter(isOpen),
    }
    const logs = yield* withPossiblyEmpty(verifier, part, known)
    yield* refuse(chainContradiction([...ends.slice(-1), ...headers]) ?? logsContradiction(logs, byNumber(headers)))
    const rejection = yield* checkBlooms(verifier, headers, logs)
    if (rejection !== undefined) {
      known.delete(rejection.header.hash)
      for (const header of rejection.denied ?? [rejection.header]) denied.set(header.number, header)
      return yield* rejection.error
    }
    for (const number of listDoubted(headers, logs)) doubted.push(number)
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
    doubted,
  } satisfies BelievedRange as BelievedRange
})

/** The blocks' logs, but of those that are known for sure what is known. */
const withKnown = (logs: ReadonlyArray<Log>, headers: ReadonlyArray<SourceHeader>, known: LogsByHash) => {
  if (known.size === 0) return logs
  const sure = new Map(headers.flatMap(({ number, hash }) => (known.has(hash) ? [[number, known.get(hash)!]] : [])))
  if (sure.size === 0) return logs
  const others = logs.filter(({ blockNumber }) => !sure.has(blockNumber))
  return [...others, ...[...sure.values()].flat()].sort(
    (a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex,
  )
}

const byNumber = (headers: ReadonlyArray<SourceHeader>) => new Map(headers.map((header) => [header.number, header]))
const refuse = (contradiction: Contradiction | undefined) =>
  contradiction === undefined ? Effect.void : Effect.fail(new SourceUnavailable(contradiction))
