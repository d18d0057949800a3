/** A part of the history as a chunk, where it is believed; else the same blocks by the node, and what follows for the history. */
import { Effect } from "effect"
import { type Chunk, rowsOf } from "../decode/chunk.ts"
import { isTooMuch } from "../decode/consecutive.ts"
import { judgePart } from "../history/believePart.ts"
import { differentBlock } from "../history/compare.ts"
import { type History, isLeft, leave, takeUnseen, tell } from "../history/History.ts"
import type { ToldPart } from "../history/readHistory.ts"
import type { FollowState } from "../state/FollowState.ts"
import { readRows } from "../state/rows.ts"
import { untilAnswered } from "../status/retry.ts"
import type { BlockRange } from "../verify/rangeAnswers.ts"
import { believeNode, fetchRange } from "./fetchChunk.ts"
import type { ReadChunk, Settled } from "./ReadAhead.ts"
import { readRange, type Sizing } from "./rangeReader.ts"

/** Never fails. */
export const readOfHistory = Effect.fnUntraced(function* (
  state: FollowState,
  history: History,
  { sizing, part }: { readonly sizing: Sizing; readonly part: ToldPart },
): Effect.fn.Return<ReadChunk> {
  const { nodeHead, report, source } = state
  const { range } = part
  const { verifier } = source
  // Another part of it was found wrong meanwhile.
  if (isLeft(history)) return yield* readOfNode(state, sizing, range)
  const judged = yield* judgePart({
    verifier,
    history,
    part,
    everyHeader: state.settings.verify === "full",
    ask: (asked) => readRange({ source, report, sizing, nodeHead }, asked),
    believe: (asked, believing) => believeNode(state, sizing, asked, believing),
  })
  if ("believed" in judged) {
    const { believed, isCompared } = judged
    const { first, head, landmarks, logs, timeOf } = believed
    if (isTooMuch(range, logs)) {
      if (isCompared) sizing.blocksTold -= range.to - range.from + 1
      return yield* readOfNode(state, sizing, range)
    }
    const rows = yield* untilAnswered(report, readRows(state, { logs, timeOf, head }))
    const blocks = range.to - range.from + 1
    const chunk: Chunk = { first, head, headers: [head], landmarks, ...rows, nodeHead }
    const settled = Effect.suspend((): Effect.Effect<Settled> => {
      // Another part of it was found wrong meanwhile: of what nobody compared nothing is taken any more.
      if (isLeft(history) && !isCompared)
        return Effect.flatMap(readOfNode(state, sizing, range), ({ settled }) => settled)
      if (!isCompared) {
        takeUnseen(history, range)
        sizing.blocksTold += blocks
      }
      const { status } = history
      tell(history, {
        logs: { ...status.logs, history: status.logs.history + rowsOf(chunk) },
        blocks: { ...status.blocks, history: status.blocks.history + blocks },
        bytes: status.bytes + part.bytes,
        compared: status.compared + (isCompared ? blocks : 0),
      })
      return Effect.succeed({ chunk })
    })
    return { chunk, settled }
  }
  if ("wrong" in judged) {
    yield* leave(history, judged.wrong)
    return yield* readOfNode(state, sizing, range)
  }
  const { denied, findings, alsoRead } = judged
  // The node may be the one that is wrong: what it tells is now checked as if there were nothing else.
  const fetched = yield* fetchRange(state, sizing, range, { findings, alsoRead })
  const isWhole = "chunk" in fetched
  const block = differentBlock(part.logs.filter(verifier.isFollowed), isWhole ? fetched.logs : fetched.tooMuch)
  if (block !== undefined) yield* leave(history, denied)
  if (!isWhole) return yield* readOfNode(state, sizing, range)
  const { chunk } = fetched
  countNode(history, chunk)
  return { chunk, settled: Effect.succeed({ chunk }) }
})

/** The blocks by the node, which stand, counted. Of such as are too much at once the first half, and the other one behind it. `rest`: what comes behind all of it. */
export const readOfNode = (
  state: FollowState,
  sizing: Sizing,
  range: BlockRange,
  rest?: Effect.Effect<ReadChunk>,
): Effect.Effect<ReadChunk> =>
  Effect.flatMap(fetchRange(state, sizing, range), (fetched) => {
    if ("tooMuch" in fetched) {
      const middle = Math.floor((range.from + range.to) / 2)
      const behind = readOfNode(state, sizing, { from: middle + 1, to: range.to }, rest)
      return readOfNode(state, sizing, { from: range.from, to: middle }, behind)
    }
    const { chunk } = fetched
    if (state.history !== undefined) countNode(state.history, chunk)
    return Effect.succeed({ chunk, settled: Effect.succeed({ chunk, ...(rest && { rest }) }) })
  })

const countNode = (history: History, chunk: Chunk): void => {
  const { logs, blocks } = history.status
  tell(history, {
    logs: { ...logs, node: logs.node + rowsOf(chunk) },
    blocks: { ...blocks, node: blocks.node + chunk.head.number - chunk.first.number + 1 },
  })
}
