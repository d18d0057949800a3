/** One node asked for a range's logs, in pieces that it takes. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { RangeRefused, type SourceHeader, type SourceNodes } from "../../../ports/ChainSource.ts"
import type { BlockRange } from "../verify/rangeAnswers.ts"

export interface Asked {
  readonly logs: ReadonlyArray<Log>
  /** The last block that was answered. */
  readonly head: SourceHeader
}

/** From the first block on, as far as so many questions reach; undefined where not one is answered. */
export const askNode = Effect.fnUntraced(function* (
  nodes: SourceNodes,
  node: number,
  { from, to }: BlockRange,
  mostQuestions: number,
) {
  const logs: Array<Log> = []
  let head: SourceHeader | undefined
  let blocks = to - from + 1
  for (let next = from, asked = 0; next <= to && asked < mostQuestions; asked++) {
    const end = Math.min(to, next + blocks - 1)
    const answer = yield* nodes.logs(node, next, end)
    if (answer === undefined) break
    if (answer instanceof RangeRefused) {
      if (end === next) break
      const suggested = (answer.suggestedTo ?? Number.NaN) - next + 1
      blocks = suggested >= 1 && suggested < end - next + 1 ? suggested : Math.floor((end - next + 1) / 2)
      continue
    }
    for (const log of answer.logs) logs.push(log)
    head = answer.head
    next = end + 1
  }
  return head === undefined ? undefined : ({ logs, head } satisfies Asked as Asked)
})
