/** A part of the history as a chunk, where it is believed; else the same blocks by the node, and what follows for the history. */
import { Effect } from "effect"
import { type Chunk, rowsOf } from "../decode/chunk.ts"
import { judgePart } from "../history/believePart.ts"
import { differentBlock } from "../history/compare.ts"
import { type History, isLeft, leave, takeUnseen, tell } from "../history/History.ts"
import type { ToldPart } from "../history/readHistory.ts"
import type { FollowState } from "../state/FollowState.ts"
import { readRows } from "../state/rows.ts"
import { untilAnswered } from "../status/retry.ts"
import { believeNode, fetchChunk, fetchRange } from "./fetchChunk.ts"
import type { ReadChunk } from "./ReadAhead.ts"
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
    const rows = yield* untilAnswered(report, readRows(state, { logs, timeOf, head }))
    const blocks = range.to - range.from + 1
    const chunk: Chunk = { first, head, headers: [head], landmarks, ...rows, nodeHead }
    const settled = Effect.suspend(() => {
      // Another part of it was found wrong meanwhile: of what nobody compared nothing is taken any more.
      if (isLeft(history) && !isCompared) return chunkOfNode(state, sizing, range)
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
      return Effect.succeed(chunk)
    })
    return { chunk, settled }
  }
  if ("wrong" in judged) {
    yield* leave(history, judged.wrong)
    return yield* readOfNode(state, sizing, range)
  }
  const { denied, findings, alsoRead } = judged
  // The node may be the one that is wrong: what it tells is now checked as if there were nothing else.
  const { chunk, logs } = yield* fetchRange(state, sizing, range, { findings, alsoRead })
  countNode(history, chunk)
  const block = differentBlock(part.logs.filter(verifier.isFollowed), logs)
  if (block !== undefined) yield* leave(history, denied)
  return { chunk, settled: Effect.succeed(chunk) }
})

/** The blocks by the node, which stand. */
export const readOfNode = (state: FollowState, sizing: Sizing, range: ToldPart["range"]): Effect.Effect<ReadChunk> =>
  Effect.map(chunkOfNode(state, sizing, range), (chunk) => ({ chunk, settled: Effect.succeed(chunk) }))

/** The blocks by the node, counted. */
const chunkOfNode = (state: FollowState, sizing: Sizing, range: ToldPart["range"]): Effect.Effect<Chunk> =>
  Effect.tap(fetchChunk(state, sizing, range), (chunk) =>
    Effect.sync(() => {
      if (state.history !== undefined) countNode(state.history, chunk)
    }),
  )

const countNode = (history: History, chunk: Chunk): void => {
  const { logs, blocks } = history.status
  tell(history, {
    logs: { ...logs, node: logs.node + rowsOf(chunk) },
    blocks: { ...blocks, node: blocks.node + chunk.head.number - chunk.first.number + 1 },
  })
}
