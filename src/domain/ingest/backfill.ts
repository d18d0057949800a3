/** Final blocks, far behind the head: ranges fetched ahead of the writer, which stores them in large appends. */
import { Effect, type Fiber, Latch, Option, Queue, Semaphore } from "effect"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { type Chunk, rowsOf } from "./decode/chunk.ts"
import { fetchChunk, type Sizing } from "./fetchChunk.ts"
import { firstRangeSize } from "./rangeSize.ts"
import { shareRoom } from "./readAhead.ts"
import { type Following, windowOf } from "./state.ts"
import { write } from "./write.ts"

/** Brings the ledger to the edge of the reorg window, which moves on meanwhile. */
export const backfill = Effect.fn("backfill")(function* (following: Following) {
  const ahead = yield* Queue.unbounded<Fiber.Fiber<Chunk> | undefined>()
  const share = yield* shareRoom
  const room = yield* Latch.make(true)
  let waiting = 0
  /** `change` movements more (or fewer) wait for the writer. */
  const countWaiting = (change: number) => {
    waiting += change
    if (waiting < share()) room.openUnsafe()
    else room.closeUnsafe()
  }
  following.report.phase("backfill")
  yield* plan(following, ahead, room, countWaiting).pipe(Effect.forkScoped)
  yield* Effect.raceFirst(write(following, ahead, countWaiting), watchHead(following))
}, Effect.scoped)

/** A head below the goal, seen so often, is the true one: what was announced before will not come. */
const looksAtLowerHead = 3

/** The head as of now and then: the goal moves, and so does what is final. Fails when the goal was never there. */
const watchHead = Effect.fnUntraced(function* (following: Following) {
  for (let lower = 0; lower < looksAtLowerHead; ) {
    yield* Effect.sleep(Math.max(following.settings.pollMs, 2000))
    const head = yield* Effect.option(following.source.head)
    if (Option.isNone(head)) continue
    const { number } = head.value
    lower = number < following.nodeHead - windowOf(following.settings) ? lower + 1 : 0
    following.nodeHead = Math.max(following.nodeHead, number)
    following.report.head(number)
  }
  return yield* new SourceUnavailable({
    kind: "behind",
    message: `the node's head fell from block ${following.nodeHead}`,
  })
})

/** Begins ranges in order, `rpcConcurrency` at once, while there is room for what they bring; ends with undefined. */
const plan = Effect.fnUntraced(function* (
  following: Following,
  ahead: Queue.Queue<Fiber.Fiber<Chunk> | undefined>,
  room: Latch.Latch,
  countWaiting: (change: number) => void,
) {
  const turns = Semaphore.makeUnsafe(Math.max(1, following.settings.rpcConcurrency))
  const sizing: Sizing = { current: firstRangeSize }
  const goal = () => following.nodeHead - windowOf(following.settings)
  let next = following.checkpoint.nextBlock
  while (next <= goal()) {
    yield* turns.take(1)
    yield* room.await
    const to = Math.min(goal(), next + sizing.current.blocks - 1)
    const chunk = fetchChunk(following, sizing, next, to).pipe(
      Effect.tap((it) => Effect.sync(() => countWaiting(rowsOf(it)))),
      Effect.ensuring(turns.release(1)),
    )
    yield* Queue.offer(ahead, yield* Effect.forkScoped(chunk))
    next = to + 1
  }
  yield* Queue.offer(ahead, undefined)
})
