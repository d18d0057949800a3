/** What a part of a history is judged with, and what came of it. */
import { Effect, Random } from "effect"
import type { BlockHeader, Log } from "../../../model/block.ts"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import type { HistoryHeader } from "../../../ports/HistorySource.ts"
import { bare, firstOfGroups } from "../decode/chunk.ts"
import type { Finding } from "../evidence/finding.ts"
import { checkSample } from "../evidence/receiptsSample.ts"
import { listDoubted, listMismatches } from "../verify/blooms.ts"
import type { BlockRange, RangeAnswer } from "../verify/rangeAnswers.ts"
import type { Answered, BelievedRange } from "../verify/rangeLogs.ts"
import type { Verifier } from "../verify/verifier.ts"
import { differentBlock, headerDifference } from "./compare.ts"
import type { History } from "./History.ts"
import type { ToldPart } from "./readHistory.ts"
import { settleByReceipts } from "./settle.ts"

/** Blocks of a part whose blooms show logs that nobody told, which are looked into. */
const mostEmpty = 32

interface Denied {
  readonly denied: string
  readonly findings: ReadonlyArray<Finding>
  /** Blocks that are denied, and of which receipts have shown nothing so far. */
  readonly alsoRead: ReadonlyArray<number>
}

/** `wrong`: it cannot be so, or its headers are not the node's. `denied`: the node's logs, or receipts, tell otherwise: one of the two is wrong. */
export type Judged =
  | { readonly believed: BelievedRange; readonly isCompared: boolean }
  | { readonly wrong: string }
  | Denied

export interface Judging {
  readonly verifier: Verifier
  readonly history: History
  readonly part: ToldPart
  /** VERIFY=full. */
  readonly everyHeader: boolean
  /** The node's own logs of a range, however many questions that takes. */
  readonly ask: (range: BlockRange) => Effect.Effect<Pick<RangeAnswer, "logs">>
  /** What the node tells of a range with all checks that there are, the headers of `alsoRead` included. `heard` is told of all headers that this takes, each try from the first block on. */
  readonly believe: (range: BlockRange, believing: Pick<Answered, "alsoRead" | "heard">) => Effect.Effect<BelievedRange>
}

/** `told`: its headers by number. `logs`: those that are followed. `isDue`: they are to be compared with the node's. */
export interface Weighed extends Judging {
  readonly told: ReadonlyMap<number, HistoryHeader>
  readonly logs: ReadonlyArray<Log>
  readonly isDue: boolean
}

/** In what it tells another block than the node does. */
export const differenceOf = (told: Weighed["told"], asked: Iterable<SourceHeader>): string | undefined => {
  for (const right of asked) {
    const own = told.get(right.number)
    const difference = own && headerDifference(own, right)
    if (difference !== undefined) return `block ${right.number} has ${difference} there`
  }
  return undefined
}

/** Where the two differ its receipts must prove the history's logs, of every such block: `proven`, all that they hold. */
export const settle = Effect.fnUntraced(function* (
  verifier: Verifier,
  logs: ReadonlyArray<Log>,
  others: ReadonlyArray<Log>,
): Effect.fn.Return<{ readonly proven: ReadonlyArray<Log> } | Denied> {
  const block = differentBlock(logs, others)
  if (block === undefined) return { proven: [] }
  const { isRight, findings, proven } = yield* settleByReceipts(verifier, logs, others)
  return isRight ? { proven } : { denied: `its logs of block ${block} are not the node's`, findings, alsoRead: [] }
})

/** Believed, where receipts of a sample do not say otherwise. `known`: headers that are the node's. */
export const bySample = Effect.fnUntraced(function* (
  { verifier, history, part, told, logs, isDue }: Weighed,
  known: ReadonlyArray<BlockHeader>,
): Effect.fn.Return<Judged> {
  history.evidence.ranges++
  const doubted = listDoubted(part.headers, logs)
  const sampled = { logs, doubted, isLossy: false, isDistrusted: false, isForeign: true, read: new Set<number>() }
  const findings = yield* checkSample(verifier, history.evidence, sampled)
  const [finding] = findings
  if (finding !== undefined) return { denied: `block ${finding.header.number}: ${finding.why}`, findings, alsoRead: [] }
  const [first, head] = [bare(known[0]!), bare(known.at(-1)!)]
  const landmarks = firstOfGroups(known).map(bare)
  return { believed: { first, head, landmarks, logs, timeOf: timeIn(told), doubted }, isCompared: isDue }
})

/** As the history tells it. */
export const timeIn =
  (told: Weighed["told"]) =>
  ({ blockNumber }: Log): number =>
    told.get(blockNumber)!.time

/** Blocks whose blooms show logs that are not told, so many of them or all, and all whose logs their blooms do not show. */
export const someMismatches = Effect.fnUntraced(function* (
  {
    verifier,
    logs,
    everyHeader,
  }: Pick<Weighed, "logs" | "everyHeader"> & { readonly verifier: Pick<Verifier, "traits"> },
  headers: ReadonlyArray<HistoryHeader | SourceHeader>,
) {
  const mismatches = listMismatches(verifier.traits, headers, logs)
  const empty = mismatches.filter(({ unlisted }) => !unlisted)
  const chosen = yield* someOf(empty, everyHeader ? empty.length : mostEmpty)
  return mismatches.filter((mismatch) => mismatch.unlisted || chosen.has(mismatch))
})

export const someOf = Effect.fnUntraced(function* <Value>(values: ReadonlyArray<Value>, wanted: number) {
  if (values.length <= wanted) return new Set(values)
  const chosen = new Set<Value>()
  while (chosen.size < wanted) chosen.add(values[Math.floor(values.length * (yield* Random.next))]!)
  return chosen
})
