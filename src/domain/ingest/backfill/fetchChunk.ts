/** One range of final blocks as a chunk: its logs in ranges that the node accepts, held against the headers of their blocks. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { Chunk } from "../decode/chunk.ts"
import { isTooMuch } from "../decode/consecutive.ts"
import { checkRange } from "../evidence/checkRange.ts"
import type { Finding } from "../evidence/finding.ts"
import { newTries, noteDenied, type Tries } from "../evidence/refuse.ts"
import type { FollowState } from "../state/FollowState.ts"
import { readRows } from "../state/rows.ts"
import { untilAnswered } from "../status/retry.ts"
import type { BlockRange } from "../verify/rangeAnswers.ts"
import type { BelievedRange } from "../verify/rangeLogs.ts"
import { readRange, type Sizing } from "./rangeReader.ts"

interface FetchedRange {
  readonly chunk: Chunk
  /** Those that it was made of. */
  readonly logs: ReadonlyArray<Log>
}

/** What is known of a range beforehand, and who hears of what is read. */
interface Believing {
  /** What receipts have shown of its blocks. */
  readonly findings?: ReadonlyArray<Finding>
  /** Blocks whose headers are read too. */
  readonly alsoRead?: ReadonlyArray<number>
  /** Hears of all headers that are read. */
  readonly heard?: (headers: ReadonlyArray<SourceHeader>) => void
}

/** Never fails: it asks until the node's answers are whole and agree. `tooMuch`: those logs, of which fewer blocks are to be asked for. */
export const fetchRange = Effect.fnUntraced(function* (
  state: FollowState,
  sizing: Sizing,
  range: BlockRange,
  believing: Believing = {},
) {
  const { first, head, landmarks, logs, timeOf } = yield* believeNode(state, sizing, range, believing)
  if (isTooMuch(range, logs)) {
    sizing.blocksTold -= range.to - range.from + 1
    return { tooMuch: logs }
  }
  const rows = yield* untilAnswered(state.report, readRows(state, { logs, timeOf, head }))
  const chunk: Chunk = { first, head, headers: [head], landmarks, ...rows, nodeHead: state.nodeHead }
  return { chunk, logs } satisfies FetchedRange as FetchedRange
})

/** What the node tells of the range, with all checks that there are. Never fails, likewise. */
export const believeNode = (
  state: FollowState,
  sizing: Sizing,
  range: BlockRange,
  { findings = [], ...rest }: Believing,
): Effect.Effect<BelievedRange> =>
  Effect.suspend(() => {
    const tries = newTries()
    for (const { header, right } of findings) {
      tries.wrong.set(header.number, header)
      if (right === undefined) tries.open.add(header.number)
      else tries.known.set(header.hash, right)
    }
    const read: Effect.Effect<BelievedRange, SourceUnavailable> = Effect.suspend(() => {
      const before = tries.known.size
      return Effect.catch(readBelieved(state, sizing, { ...range, ...rest, tries }), (error) => {
        // All of it is asked for again.
        sizing.blocksTold -= range.to - range.from + 1
        // What was wrong with it is known by now: the next try brings it further.
        return tries.known.size > before ? Effect.andThen(state.report.refused(error), read) : Effect.fail(error)
      })
    })
    return untilAnswered(state.report, read)
  })

interface Read extends BlockRange, Omit<Believing, "findings"> {
  readonly tries: Tries
}

const readBelieved = Effect.fnUntraced(function* (state: FollowState, sizing: Sizing, { tries, ...asked }: Read) {
  const { nodeHead, report, source, evidence } = state
  const answer = yield* readRange({ source, report, sizing, nodeHead }, asked)
  const before = tries.wrong.size
  const believed = yield* source
    .believeRange({ ...asked, answer, known: tries.known, denied: tries.wrong })
    .pipe(
      Effect.tapError(() =>
        noteDenied(source.verifier, evidence, { answer, tries, nodeHead, isNew: tries.wrong.size > before }),
      ),
    )
  yield* checkRange(source.verifier, evidence, { answer, believed, tries })
  return believed
})
