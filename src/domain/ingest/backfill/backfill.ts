/** Final blocks, far behind the head: ranges fetched ahead of the writer, which stores them in large appends. */
import { Effect, Option, Queue, Semaphore } from "effect"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { weightOf } from "../decode/chunk.ts"
import { makeHistoryReading } from "../history/readHistory.ts"
import { type FollowState, hearHead, nextToRead } from "../state/FollowState.ts"
import { looksAtLowerHead } from "../status/pace.ts"
import { windowOf } from "../status/window.ts"
import { blocksApart } from "../verify/headers.ts"
import { chooseWay, finishLoad } from "./bulk.ts"
import { readOfHistory, readOfNode } from "./historyChunk.ts"
import { watchProgress } from "./progress.ts"
import { makeReadAhead, type ReadAhead } from "./ReadAhead.ts"
import { newSizing, type Sizing } from "./rangeReader.ts"
import { type Cadence, loadingCadence, usualCadence, write } from "./write.ts"

/** Brings the ledger to the edge of the reorg window, which moves on meanwhile. */
export const backfill = Effect.fn("backfill")(function* (state: FollowState) {
  const { ledger, report } = state
  const sizing = newSizing()
  const progress = yield* watchProgress(state, sizing)
  yield* chooseWay(state, progress)
  const { bulk } = ledger
  if (bulk?.isLoading() === true) {
    // A load that was left while it was derived is made whole first: what came meanwhile is appended then.
    if (bulk.takesRows()) {
      report.phase("copying")
      yield* copy(state, sizing, loadingCadence)
    }
    yield* finishLoad(state, bulk)
  } else {
    report.phase("backfill")
    yield* copy(state, sizing, usualCadence)
  }
}, Effect.scoped)

const copy = Effect.fnUntraced(function* (state: FollowState, sizing: Sizing, cadence: Cadence) {
  const { ledger, settings, source, commitSize } = state
  yield* source.learnPace(state.nodeHead)
  const ahead = yield* makeReadAhead(cadence.ahead)
  const writing = write({ ledger, ahead, finality: settings.finality, cadence, commitSize })
  // Where the planning ends by a bug nothing comes any more: it is watched like the others.
  const planning = Effect.andThen(plan(state, sizing, ahead), Effect.never)
  yield* Effect.raceFirst(writing, Effect.raceFirst(watchHead(state), planning))
}, Effect.scoped)

const shortestPauseMs = 2000

/** The head as of now and then: the goal moves, and so does what is final. Fails when the goal was never there. */
const watchHead = Effect.fnUntraced(function* (state: FollowState) {
  const { settings, source } = state
  for (let lower = 0; lower < looksAtLowerHead; ) {
    yield* Effect.sleep(Math.max(settings.pollMs, shortestPauseMs))
    const head = yield* Effect.option(source.head)
    if (Option.isNone(head)) continue
    const { number } = head.value
    lower = number < goalOf(state) ? lower + 1 : 0
    if (number > state.nodeHead) {
      const found = yield* Effect.option(newestThere(state, number))
      state.nodeHead = Math.max(state.nodeHead, Option.getOrUndefined(found) ?? -1)
    }
    yield* hearHead(state, head.value)
  }
  return yield* new SourceUnavailable({
    kind: "behind",
    message: `the node's head fell from block ${state.nodeHead}`,
  })
})

/**
 * Whether there is something for a backfill. What it reads is final for good, so one wrong answer must not tell how far it
 * goes: the node's head is the newest block that is there. Fails for a load where that has fallen below what was copied: it
 * would be taken for done, and the rest appended for weeks.
 */
export const checkGoal = Effect.fnUntraced(function* (state: FollowState) {
  const { ledger, source } = state
  const announced = state.nodeHead
  const found = yield* newestThere(state, announced)
  if (found === undefined) {
    yield* source.failover
    return yield* new SourceUnavailable({
      kind: "behind",
      message: `the node announced block ${announced}, and has none of the blocks up to it`,
    })
  }
  state.nodeHead = found
  const { head, nextBlock } = ledger.checkpoint()
  const goal = goalOf(state)
  if (ledger.bulk?.isLoading() !== true) return nextBlock <= goal
  if (goal < (head === undefined ? nextBlock : nextBlock - 1)) {
    // The chain may have been begun anew.
    yield* source.checkIdentity
    yield* source.failover
    return yield* new SourceUnavailable({
      kind: "behind",
      message: `the node is at block ${found}, the load goes on at block ${nextBlock}: the node is waited for`,
    })
  }
  return true
})

/** Of the announced block and these below it the newest that the node has; undefined = none. */
const newestThere = Effect.fnUntraced(function* ({ source }: FollowState, announced: number) {
  if ((yield* source.findHeaders([announced])).has(announced)) return announced
  const below = blocksApart.map((by) => announced - by).filter((number) => number >= 0)
  const found = yield* source.findHeaders(below)
  return below.find((number) => found.has(number))
})

/** Begins ranges in order, `rpcConcurrency` at once, while there is room for what they bring. */
const plan = Effect.fnUntraced(function* (state: FollowState, sizing: Sizing, ahead: ReadAhead) {
  const inFlight = Semaphore.makeUnsafe(Math.max(1, state.settings.rpcConcurrency))
  const { history } = state
  const reading = history && (yield* makeHistoryReading(history))
  let next = nextToRead(state)
  if (history !== undefined) history.begunAt ??= next
  while (next <= goalOf(state)) {
    yield* inFlight.take(1)
    yield* ahead.hasRoom
    const part = yield* reading?.take({ from: next, to: goalOf(state) }) ?? Effect.undefined
    const to = part?.range.to ?? Math.min(goalOf(state), next + sizing.current.blocks - 1)
    const fetched =
      history === undefined || part === undefined
        ? readOfNode(state, sizing, { from: next, to })
        : readOfHistory(state, history, { sizing, part })
    const read = fetched.pipe(
      Effect.tap((it) => Effect.sync(() => ahead.count(weightOf(it.chunk)))),
      Effect.ensuring(inFlight.release(1)),
    )
    yield* Queue.offer(ahead.chunks, yield* Effect.forkScoped(read))
    next = to + 1
  }
  yield* Queue.offer(ahead.chunks, undefined)
})

const goalOf = ({ nodeHead, settings }: Pick<FollowState, "nodeHead" | "settings">): number =>
  nodeHead - windowOf(settings)
