/** A range of final blocks as its node answers, not believed yet. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { mayBeCut, refuseCut } from "./cutAnswers.ts"
import { allHeaders } from "./headers.ts"
import type { Verifier } from "./verifier.ts"

/** Blocks `from` to `to`, inclusive. */
export interface BlockRange {
  readonly from: number
  readonly to: number
}

/** Blocks whose logs one answer held. `node`: who gave it, by its place; absent = not known. */
export interface TellerOfRange extends BlockRange {
  readonly node?: number
}

/** A range's logs as its answers held them, in order. */
export interface RangeAnswer {
  readonly logs: ReadonlyArray<Log>
  readonly tellers: ReadonlyArray<TellerOfRange>
  /** Blocks near the head that come after the last log of their answer: it may have ended early. */
  readonly possiblyEmpty: ReadonlyArray<number>
}

/** `nodeHead`: the newest block that the node announced. */
export const answerOfRange = Effect.fnUntraced(function* (verifier: Verifier, range: BlockRange, nodeHead: number) {
  const { node } = verifier
  const { from, to } = range
  const logs = yield* node.logs(from, to)
  if (mayBeCut(verifier.traits, range, logs)) yield* refuseCut(verifier, range, logs)
  const teller = node.nodes?.tellerOf(logs)
  const begin = (logs.at(-1)?.blockNumber ?? from - 1) + 1
  return {
    logs,
    tellers: [{ from, to, ...(teller === undefined ? {} : { node: teller }) }],
    possiblyEmpty: numbersBetween(Math.max(begin, nodeHead - verifier.traits.nearHeadBlocks), to),
  } satisfies RangeAnswer as RangeAnswer
})

/** A block of too many logs for a range: by its hash, and so by its receipts where it must be. */
export const answerOfBlock = Effect.fnUntraced(function* (verifier: Verifier, number: number) {
  const [header] = yield* allHeaders(verifier, [number])
  const [logs] = yield* verifier.node.logsOfBlocks([header!.hash])
  if (logs === undefined)
    return yield* new SourceUnavailable({ kind: "behind", message: `the node no longer has block ${number}` })
  return { logs, tellers: [{ from: number, to: number }], possiblyEmpty: [] } satisfies RangeAnswer as RangeAnswer
})

/** Of ranges that follow each other. */
export const joinAnswers = (answers: ReadonlyArray<RangeAnswer>): RangeAnswer =>
  answers.length === 1
    ? answers[0]!
    : {
        logs: answers.flatMap(({ logs }) => logs),
        tellers: answers.flatMap(({ tellers }) => tellers),
        possiblyEmpty: answers.flatMap((it) => it.possiblyEmpty),
      }

export const numbersBetween = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
