/** The writing half of a backfill: chunks joined in order, handed to the ledger in parts, made visible by large commits. */
import { Effect, Fiber, Option, Queue } from "effect"
import { steadyMillis } from "../../model/steadyClock.ts"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { type Chunk, linkContradiction, rowsOf, segmentOf } from "./decode/chunk.ts"
import { commit, Detached, discard, extend, type Following } from "./state.ts"

/** The ledger gets a part when it holds so many movements, or is so old (milliseconds). */
const partMovements = 30_000
const partAge = 1000
/**
 * A commit comes after so many movements: a large one folds many touches of a balance into one, see bench/README.md.
 * Or at this age (milliseconds), the first one soon, so that people see that it works; or when the next chunk is so
 * long in coming.
 */
const commitMovements = 3_000_000
const firstCommitAge = 3000
const commitAge = 60_000
const idle = 2000

/** Takes chunks until `undefined`. What the ledger was given is committed also when this is interrupted. */
export const write = Effect.fnUntraced(function* (
  following: Following,
  ahead: Queue.Dequeue<Fiber.Fiber<Chunk> | undefined>,
  countWaiting: (change: number) => void,
) {
  let age = firstCommitAge
  let pending = following.checkpoint
  let chunks: Array<Chunk> = []
  /** Movements of `chunks`, and of the open append. */
  const waiting = { count: 0, since: 0 }
  const open = { count: 0, since: 0 }
  const isOpen = () => pending !== following.checkpoint
  const store = Effect.fnUntraced(function* () {
    if (!isOpen()) return
    yield* commit(following, open.count > 0)
    pending = following.checkpoint
    age = commitAge
  })
  const give = Effect.fnUntraced(function* () {
    if (chunks.length === 0) return
    const segment = segmentOf(chunks, following.settings.finality, pending.finalizedBlock)
    if (!isOpen()) Object.assign(open, { count: 0, since: waiting.since })
    chunks = []
    const { checkpoint, full } = yield* extend(following, segment)
    pending = checkpoint
    open.count += rowsOf(segment)
    if (full || open.count >= commitMovements) yield* store()
  })
  /** The chunk, unless it is longer in coming. */
  const isReady = (fiber: Fiber.Fiber<Chunk>, wait: number) =>
    Effect.map(Effect.timeoutOption(Fiber.await(fiber), wait), Option.isSome)
  const takeAll = Effect.fnUntraced(function* () {
    while (true) {
      const fiber = yield* Queue.take(ahead)
      if (fiber === undefined) break
      if (chunks.length > 0) {
        const left = waiting.since + partAge - (yield* steadyMillis)
        if (left <= 0 || !(yield* isReady(fiber, left))) yield* give()
      }
      if (isOpen()) {
        const left = open.since + age - (yield* steadyMillis)
        if (left <= 0 || !(yield* isReady(fiber, Math.min(idle, left)))) {
          yield* give()
          yield* store()
        }
      }
      const chunk = yield* Fiber.join(fiber)
      countWaiting(-rowsOf(chunk))
      yield* check(chunk)
      const now = yield* steadyMillis
      if (chunks.length === 0) Object.assign(waiting, { count: 0, since: now })
      chunks.push(chunk)
      waiting.count += rowsOf(chunk)
      if (waiting.count >= partMovements || now - waiting.since >= partAge) yield* give()
    }
    yield* give()
    yield* store()
  })
  /** What is not stored yet is read again; what is stored must be compared with the node's chain first. */
  const check = Effect.fnUntraced(function* ({ first }: Chunk) {
    const before = chunks.at(-1)?.head ?? pending.head
    const contradiction = before && linkContradiction(before, first)
    if (contradiction === undefined) return
    if (!isOpen() && chunks.length === 0) return yield* new Detached(contradiction)
    // One of the two is wrong, nobody knows which.
    yield* chunks.length === 0 ? discard(following) : store()
    return yield* new SourceUnavailable(contradiction)
  })
  yield* takeAll().pipe(
    Effect.onInterrupt(() =>
      Effect.catch(commit(following, true), (error) =>
        Effect.logWarning("the last part of the backfill could not be stored", error),
      ),
    ),
  )
})
