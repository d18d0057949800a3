/** Blocks of a history held against the node: the ends of each part, a sample of what cannot be proven, and its own logs of most parts. */
import { Effect, Random } from "effect"
import type { BlockHeader, Log } from "../../../model/block.ts"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import type { HistoryHeader } from "../../../ports/HistorySource.ts"
import { bare, firstOfGroups } from "../decode/chunk.ts"
import type { Finding } from "../evidence/finding.ts"
import { checkSample } from "../evidence/receiptsSample.ts"
import { listDoubted, listMismatches } from "../verify/blooms.ts"
import { allHeaders } from "../verify/headers.ts"
import type { BlockRange, RangeAnswer } from "../verify/rangeAnswers.ts"
import type { BelievedRange } from "../verify/rangeLogs.ts"
import type { Verifier } from "../verify/verifier.ts"
import { differentBlock, headerDifference, partContradiction, placed, provenBy } from "./compare.ts"
import type { History } from "./History.ts"
import type { ToldPart } from "./readHistory.ts"
import { settleByReceipts } from "./settle.ts"

/** Behind what is compared first: one part in so many, which nobody can foresee. */
const everyParts = 16
/** Of unproven headers of blocks with logs the node is asked about one in so many, and about so many at least; and about as many without. */
const everyHeaders = 16
/** Blocks of a part whose blooms show logs that nobody told, which are held against their receipts. */
const mostEmpty = 32
const fewestHeaders = 4

/** `wrong`: it cannot be so, or its headers are not the node's. `denied`: the node's logs, or receipts, tell otherwise: one of the two is wrong. */
export type Judged =
  | { readonly believed: BelievedRange; readonly isCompared: boolean }
  | { readonly wrong: string }
  | { readonly denied: string; readonly findings: ReadonlyArray<Finding> }

interface Judging {
  readonly verifier: Verifier
  readonly history: History
  readonly part: ToldPart
  /** The node's own logs of a range, however many questions that takes. */
  readonly ask: (range: BlockRange) => Effect.Effect<Pick<RangeAnswer, "logs">>
}

export const judgePart = Effect.fnUntraced(function* ({ verifier, history, part, ask }: Judging) {
  const { range, headers } = part
  const { traits, isFollowed } = verifier
  const contradiction = partContradiction(part, range)
  if (contradiction !== undefined) return { wrong: contradiction.message } satisfies Judged as Judged
  const byNumber = new Map(headers.map((header) => [header.number, header]))
  const ends = yield* allHeaders(verifier, [...new Set([range.from, range.to])])
  const proven = provenBy(headers, range)
  if (typeof proven === "object") return { wrong: proven.message } satisfies Judged as Judged
  const differs = (asked: ReadonlyArray<SourceHeader>) => {
    for (const right of asked) {
      const told = byNumber.get(right.number)
      const difference = told && headerDifference(told, right)
      if (difference !== undefined) return `block ${right.number} has ${difference} there`
    }
    return undefined
  }
  const wrongEnd = differs(ends)
  if (wrongEnd !== undefined) return { wrong: wrongEnd } satisfies Judged as Judged
  let logs: ReadonlyArray<Log> = part.logs.filter(isFollowed)
  // Of blocks that are left out, and of logs that no bloom speaks for, nothing is known.
  const mismatches = listMismatches(traits, headers, logs)
  const isOdd = headers.length < range.to - range.from + 1 || mismatches.length > 0
  // The places of transactions that it leaves out the node tells.
  const isPlaced = logs.every(({ txIndex }) => txIndex !== undefined)
  const isFirst = history.looked < history.firstCompared
  history.looked += Math.max(logs.length, range.to - range.from + 1)
  const isDue = isFirst || (yield* Random.next) * everyParts < 1 || isOdd || !isPlaced
  const confirmed =
    proven === "whole" ? ends : [...ends, ...(yield* allHeaders(verifier, yield* unprovenOf(headers, logs, isDue)))]
  const other = differs(confirmed)
  if (other !== undefined) return { wrong: other } satisfies Judged as Judged
  if (isDue) {
    const others = (yield* ask(range)).logs.filter(isFollowed)
    const block = differentBlock(logs, others)
    const settled = block === undefined ? undefined : yield* settleByReceipts(verifier, logs, others)
    if (settled?.isRight === false) {
      const why = `its logs of block ${block} are not the node's`
      return { denied: why, findings: settled.findings } satisfies Judged as Judged
    }
    if (!isPlaced) logs = placed(logs, [...others, ...(settled?.proven ?? [])])
  }
  history.evidence.ranges++
  // Blocks without logs whose blooms show some: the node may have left out the same.
  const empty = mismatches.flatMap(({ header, unlisted }) => (unlisted ? [] : [header.number]))
  const doubted = [...empty.slice(0, mostEmpty), ...listDoubted(headers, logs)]
  const sampled = { logs, doubted, isLossy: false, isDistrusted: false, isForeign: true, read: new Set<number>() }
  const findings = yield* checkSample(verifier, history.evidence, sampled)
  const [first] = findings
  if (first !== undefined) {
    const { header, why } = first
    return { denied: `block ${header.number}: ${why}`, findings } satisfies Judged as Judged
  }
  const known: ReadonlyArray<BlockHeader> =
    proven === "whole" ? headers : [...confirmed].sort((a, b) => a.number - b.number)
  const believed: BelievedRange = {
    first: bare(ends[0]!),
    head: bare(ends.at(-1)!),
    landmarks: firstOfGroups(known).map(bare),
    logs,
    timeOf: (log: Log) => byNumber.get(log.blockNumber)!.time,
    doubted,
  }
  return { believed, isCompared: isDue } satisfies Judged as Judged
})

/** Blocks whose headers the node is asked for: all with logs of a part that is compared, else a sample, also of those that seem to have none. */
const unprovenOf = Effect.fnUntraced(function* (
  headers: ReadonlyArray<HistoryHeader>,
  logs: ReadonlyArray<Log>,
  isDue: boolean,
) {
  const numbers = new Set(logs.map(({ blockNumber }) => blockNumber))
  if (isDue) return [...numbers]
  const empty = headers.flatMap(({ number }) => (numbers.has(number) ? [] : [number]))
  const wanted = Math.max(fewestHeaders, Math.ceil(numbers.size / everyHeaders))
  const chosen = [...(yield* someOf([...numbers], wanted)), ...(yield* someOf(empty, wanted))]
  return chosen.sort((a, b) => a - b)
})

const someOf = Effect.fnUntraced(function* (numbers: ReadonlyArray<number>, wanted: number) {
  const chosen = new Set<number>()
  while (chosen.size < Math.min(wanted, numbers.length))
    chosen.add(numbers[Math.floor(numbers.length * (yield* Random.next))]!)
  return chosen
})
