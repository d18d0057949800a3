/** A range's logs, asked for in as many questions as the node wants: of few blocks where it refuses more. */
import { Effect } from "effect"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { failed, firstRangeSize, grown, type RangeSize, refused } from "../../ranges/rangeSize.ts"
import { idsOf } from "../decode/consecutive.ts"
import type { Report } from "../status/report.ts"
import { growingWaits, retryUnavailable, untilAnswered } from "../status/retry.ts"
import { type BlockRange, joinAnswers, type RangeAnswer } from "../verify/rangeAnswers.ts"
import type { VerifiedSource } from "../verify/VerifiedSource.ts"

/** The range size in use, shared by all ranges of a backfill: what one learns all follow. */
export interface Sizing {
  current: RangeSize
  /** Blocks whose logs came in. */
  blocksTold: number
}

export const newSizing = (): Sizing => ({ current: firstRangeSize, blocksTold: 0 })

interface Reader {
  readonly source: Pick<VerifiedSource, "answerOfBlock" | "answerOfRange">
  readonly report: Pick<Report, "problem" | "refused">
  readonly sizing: Sizing
  readonly nodeHead: number
}

/** Where nodes are not level many failures are chance, and the client has waited for one that is down. */
const longestWaitMs = 2000

/** Asks until all is answered. */
export const readRange = Effect.fnUntraced(function* (reader: Reader, { from, to }: BlockRange) {
  const answers: Array<RangeAnswer> = []
  for (let next = from; next <= to; ) {
    const { answer, end } = yield* readPart(reader, next, to)
    answers.push(answer)
    reader.sizing.blocksTold += end + 1 - next
    next = end + 1
  }
  return joinAnswers(answers)
})

interface Part {
  readonly answer: RangeAnswer
  readonly end: number
}

/** One answer of the blocks from `next` on, up to `to` at most. */
const readPart = ({ source, report, sizing, nodeHead }: Reader, next: number, to: number) =>
  Effect.suspend(() => {
    let failures = 0
    const ask: Effect.Effect<Part, SourceUnavailable> = Effect.suspend(() => {
      const end = Math.min(to, next + sizing.current.blocks - 1)
      const blocks = end - next + 1
      const answered = source.answerOfRange({ from: next, to: end }, nodeHead).pipe(
        Effect.tap(({ logs }) =>
          Effect.sync(() => {
            sizing.current = grown(sizing.current, blocks, logs.length + idsOf(logs))
          }),
        ),
        Effect.map((answer) => ({ answer, end })),
      )
      return answered.pipe(
        Effect.tapErrorTag("SourceUnavailable", (error) =>
          Effect.map(report.refused(error), () => {
            // Once may be chance: nodes that are not level fail so, however short the range.
            if (failures++ > 0) sizing.current = failed(sizing.current, blocks)
          }),
        ),
        Effect.catchTag("RangeRefused", ({ suggestedTo = Number.NaN }) => {
          if (blocks === 1) {
            return Effect.map(untilAnswered(report, source.answerOfBlock(next)), (answer) => ({ answer, end }))
          }
          const suggested = suggestedTo >= next && suggestedTo < end ? suggestedTo - next + 1 : undefined
          sizing.current = refused(sizing.current, blocks, suggested)
          return ask
        }),
      )
    })
    return retryUnavailable(ask, growingWaits(longestWaitMs))
  })
