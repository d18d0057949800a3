/** One range of final blocks as a chunk: its logs in ranges that the node accepts, held against the headers of their blocks. */
import { Effect } from "effect"
import type { Chunk } from "../decode/chunk.ts"
import type { FollowState } from "../state/FollowState.ts"
import { readRows } from "../state/rows.ts"
import { untilAnswered } from "../status/retry.ts"
import type { LogsByHash } from "../verify/byHash.ts"
import type { BlockRange } from "../verify/rangeAnswers.ts"
import { readRange, type Sizing } from "./rangeReader.ts"

/** Never fails: it asks until the node's answers are whole and agree. */
export const fetchChunk = (state: FollowState, sizing: Sizing, range: BlockRange) =>
  Effect.suspend(() => {
    const known: LogsByHash = new Map()
    return untilAnswered(state.report, readChunk(state, sizing, { ...range, known }))
  })

const readChunk = Effect.fnUntraced(function* (
  state: FollowState,
  sizing: Sizing,
  range: BlockRange & { readonly known: LogsByHash },
) {
  const { nodeHead, report, source } = state
  const answer = yield* readRange({ source, report, sizing, nodeHead }, range)
  const { first, head, landmarks, logs, timeOf } = yield* source.believeRange({ ...range, answer })
  const rows = yield* untilAnswered(report, readRows(state, { logs, timeOf }))
  return { first, head, headers: [head], landmarks, ...rows, nodeHead } satisfies Chunk
})
