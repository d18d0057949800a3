/** Answers that end where a node's limit is, without a word of it: their lengths give them away, and the blocks behind their last log are asked again. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { RangeRefused } from "../../../ports/ChainSource.ts"
import type { Verifier } from "./verifier.ts"

/** Limits are round numbers of logs, and more than one answer has the length of an odd one. */
const roundNumber = 500

/** So many times the usual distance of two blocks with logs without any at the end. */
const longGap = 8
const leastBlocks = 50

/** Whether an answer may be cut: of a few whole ones it seems so too. */
export const mayBeCut = (
  traits: Verifier["traits"],
  { from, to }: { readonly from: number; readonly to: number },
  logs: ReadonlyArray<Log>,
): boolean => {
  const { length } = logs
  const isAsLong = length === traits.longestAnswer
  traits.longestAnswer = Math.max(traits.longestAnswer, length)
  if (length >= roundNumber && (length % roundNumber === 0 || isAsLong)) return true
  const last = logs.at(-1)?.blockNumber ?? from
  if (to - last < longGap || length < leastBlocks) return false
  let blocks = 0
  for (let index = 0; index < length; index++) if (logs[index]!.blockNumber !== logs[index - 1]?.blockNumber) blocks++
  return blocks >= leastBlocks && to - last > longGap * ((last - from + 1) / blocks)
}

/** Fails, as where the node refuses so long a range, if more comes from the block of the last log on than came before. */
export const refuseCut = Effect.fnUntraced(function* (
  { node, report }: Verifier,
  { from, to }: { readonly from: number; readonly to: number },
  logs: ReadonlyArray<Log>,
) {
  const last = logs.at(-1)!.blockNumber
  // The very same question would be answered alike.
  const next = Math.max(last, from + 1)
  if (next > to) return
  const rest = yield* node.logs(next, to)
  const known = logs.filter(({ blockNumber }) => blockNumber >= next).length
  if (rest.length <= known) return
  const message = `${logs.length} logs came of blocks ${from} to ${to}, of blocks ${next} to ${to} ${known}, asked alone ${rest.length}: the answer was cut`
  yield* report.noticed("logs", message)
  return yield* new RangeRefused({ message, suggestedTo: next - 1 })
})
