/** Final blocks, far behind the head: ranges fetched ahead of the writer, joined in order, stored in large segments. */
import { Clock, Effect, Fiber, Latch, Option, Queue } from "effect"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { type Chunk, linkContradiction, segmentOf } from "./chunk.ts"
import { fetchChunk, type Sizing } from "./fetchChunk.ts"
import { append, Detached, type Following, windowOf } from "./following.ts"
import { firstRangeSize } from "./rangeSize.ts"

/** A segment is stored when it holds so many movements, or is so old (milliseconds). */
const segmentMovements = 100_000
const segmentAge = 2000
/** Movements read ahead; no new range is begun above. */
const mostAhead = 200_000

/** Brings the ledger to the edge of the reorg window, which moves on meanwhile. */
export const backfill = Effect.fn("backfill")(function* (following: Following) {
  const { settings, report } = following
  const ahead = yield* Queue.bounded<Fiber.Fiber<Chunk> | undefined>(Math.max(1, settings.rpcConcurrency))
  const room = yield* Latch.make(true)
  let waiting = 0
  /** `change` movements more (or fewer) wait for the writer. */
  const countWaiting = (change: number) => {
    waiting += change
    if (waiting < mostAhead) room.openUnsafe()
    else room.closeUnsafe()
  }
  report.phase("backfill")
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
  return yield* new SourceUnavailable({ message: `the node's head fell from block ${following.nodeHead}` })
})

/** Begins ranges in order, as many at once as the queue takes; ends with undefined. */
const plan = Effect.fnUntraced(function* (
  following: Following,
  ahead: Queue.Queue<Fiber.Fiber<Chunk> | undefined>,
  room: Latch.Latch,
  countWaiting: (change: number) => void,
) {
  const sizing: Sizing = { current: firstRangeSize }
  const goal = () => following.nodeHead - windowOf(following.settings)
  let next = following.checkpoint.nextBlock
  while (next <= goal()) {
    yield* room.await
    const to = Math.min(goal(), next + sizing.current.blocks - 1)
    const chunk = fetchChunk(following, sizing, next, to).pipe(
      Effect.tap(({ movements }) => Effect.sync(() => countWaiting(movements.length))),
    )
    yield* Queue.offer(ahead, yield* Effect.forkScoped(chunk))
    next = to + 1
  }
  yield* Queue.offer(ahead, undefined)
})

/** Joins chunks into segments and stores them. */
const write = Effect.fnUntraced(function* (
  following: Following,
  ahead: Queue.Queue<Fiber.Fiber<Chunk> | undefined>,
  countWaiting: (change: number) => void,
) {
  let chunks: Array<Chunk> = []
  let movements = 0
  let begun = 0
  const flush = Effect.fnUntraced(function* () {
    if (chunks.length === 0) return
    const segment = segmentOf(chunks, following.settings.finality, following.checkpoint.finalizedBlock)
    chunks = []
    movements = 0
    yield* append(following, segment)
  })
  while (true) {
    const fiber = yield* Queue.take(ahead)
    if (fiber === undefined) return yield* flush()
    if (chunks.length > 0) {
      // The chunk that comes next may be long in coming: what is there need not wait for it.
      const left = begun + segmentAge - (yield* Clock.currentTimeMillis)
      const ready = yield* Fiber.await(fiber).pipe(Effect.timeoutOption(Math.max(0, left)))
      if (Option.isNone(ready)) yield* flush()
    }
    const chunk = yield* Fiber.join(fiber)
    countWaiting(-chunk.movements.length)
    yield* checkLink(chunks.at(-1)?.head ?? following.checkpoint.head, chunk, chunks.length > 0)
    if (chunks.length === 0) begun = yield* Clock.currentTimeMillis
    chunks.push(chunk)
    movements += chunk.movements.length
    if (movements >= segmentMovements || (yield* Clock.currentTimeMillis) - begun >= segmentAge) yield* flush()
  }
})

/** What is not stored yet is read again; what is stored must be compared with the node's chain first. */
const checkLink = (before: Chunk["head"] | undefined, { first }: Chunk, unstored: boolean) => {
  const message = before && linkContradiction(before, first)
  if (message === undefined) return Effect.void
  return Effect.fail(unstored ? new SourceUnavailable({ message }) : new Detached({ message }))
}
