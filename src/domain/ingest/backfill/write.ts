/** The writing half of a backfill: chunks joined in order, handed to the ledger in parts, made visible by large commits. */
import { Effect, Fiber, Option, Queue } from "effect"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { type Chunk, linkContradiction, segmentOf, weightOf } from "../decode/chunk.ts"
import type { CommitSize } from "../state/commitSize.ts"
import { Detached } from "../state/forkErrors.ts"
import type { OpenLedger } from "../state/OpenLedger.ts"
import type { ReadAhead, ReadChunk, Settled } from "./ReadAhead.ts"

/** The ledger gets a part when it is so old at the latest. */
const partAgeMs = 1000
/** Or when it holds so many movements: of more, more balances are looked up together. */
const partMovements = 30_000
/** Of a load nothing is looked up, and shorter parts take less CPU (decision 232). */
const loadingPartMovements = 5_000
/** A load commits in a moment, and whatever waits is gone through by each whole collection (decision 234). */
const loadingAhead = 25_000
/**
 * A commit comes after so many movements: a large one folds many touches of a balance into one, see bench/README.md.
 * Or at this age, the first one soon, so that people see that it works; or when the next chunk is so long in coming.
 */
const commitMovements = 3_000_000
const firstCommitAgeMs = 3000
const commitAgeMs = 60_000
const idleMs = 2000

/** When the ledger gets a part, and when an open append is committed. */
export interface Cadence {
  /** Movements of a part. */
  readonly part: number
  /** Movements read ahead: what comes while the ledger commits. */
  readonly ahead: number
  readonly movements: number
  readonly firstAgeMs: number
  readonly ageMs: number
  /** The next chunk is so long in coming. */
  readonly idleMs: number
}

export const usualCadence: Cadence = {
  part: partMovements,
  ahead: 100_000,
  movements: commitMovements,
  firstAgeMs: firstCommitAgeMs,
  ageMs: commitAgeMs,
  idleMs,
}

/** Nobody sees a load in bulk before it is whole: a commit is what a crash does not lose, and a run to be merged. */
export const loadingCadence: Cadence = {
  part: loadingPartMovements,
  ahead: loadingAhead,
  movements: 1_000_000,
  firstAgeMs: 30_000,
  ageMs: 30_000,
  idleMs: 30_000,
}

interface Writing {
  readonly ledger: OpenLedger
  readonly ahead: ReadAhead
  readonly finality: number
  readonly cadence: Cadence
  readonly commitSize: CommitSize
}

/** Takes chunks until `undefined`. What the ledger was given is committed also when this is interrupted. */
export const write = Effect.fnUntraced(function* ({ ledger, ahead, finality, cadence, commitSize }: Writing) {
  let ageMs = cadence.firstAgeMs
  let pending = ledger.checkpoint()
  let chunks: Array<Chunk> = []
  /** Movements of `chunks`, and of the open append. */
  const waiting = { count: 0, since: 0 }
  const open = { count: 0, since: 0 }
  const isOpen = () => pending !== ledger.checkpoint()
  const store = Effect.fnUntraced(function* () {
    if (!isOpen()) return
    const before = yield* steadyMillis
    yield* ledger.commit(open.count > 0)
    commitSize.stored(open.count, (yield* steadyMillis) - before)
    pending = ledger.checkpoint()
    ageMs = cadence.ageMs
  })
  const give = Effect.fnUntraced(function* () {
    if (chunks.length === 0) return
    const final = Math.max(pending.finalizedBlock, chunks.at(-1)!.nodeHead - finality)
    const segment = segmentOf(chunks, final)
    if (!isOpen()) Object.assign(open, { count: 0, since: waiting.since })
    chunks = []
    open.count += weightOf(segment)
    const { checkpoint, full } = yield* ledger.extend(segment)
    pending = checkpoint
    if (full || open.count >= commitSize.most(cadence.movements)) yield* store()
  })
  const settle = Effect.fnUntraced(function* (fiber: Fiber.Fiber<ReadChunk>) {
    const { chunk, settled } = yield* Fiber.join(fiber)
    ahead.count(-weightOf(chunk))
    return yield* settled
  })
  const readRest = (rest: Effect.Effect<ReadChunk>) => Effect.flatMap(rest, ({ settled }) => settled)
  /** The chunk, unless it is longer in coming. */
  const isReady = (fiber: Fiber.Fiber<Settled>, wait: number) =>
    Effect.map(Effect.timeoutOption(Fiber.await(fiber), wait), Option.isSome)
  const takeAll = Effect.fnUntraced(function* () {
    let rest: Settled["rest"]
    while (true) {
      const read = rest === undefined ? yield* Queue.take(ahead.chunks) : undefined
      if (rest === undefined && read === undefined) break
      const fiber = yield* Effect.forkChild(read === undefined ? readRest(rest!) : settle(read))
      if (chunks.length > 0) {
        const left = waiting.since + partAgeMs - (yield* steadyMillis)
        if (left <= 0 || !(yield* isReady(fiber, left))) yield* give()
      }
      if (isOpen()) {
        const left = open.since + ageMs - (yield* steadyMillis)
        if (left <= 0 || !(yield* isReady(fiber, Math.min(cadence.idleMs, left)))) {
          yield* give()
          yield* store()
        }
      }
      const settled = yield* Fiber.join(fiber)
      const { chunk } = settled
      rest = settled.rest
      yield* check(chunk)
      const now = yield* steadyMillis
      if (chunks.length === 0) Object.assign(waiting, { count: 0, since: now })
      chunks.push(chunk)
      waiting.count += weightOf(chunk)
      if (waiting.count >= commitSize.most(cadence.part) || now - waiting.since >= partAgeMs) yield* give()
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
    yield* chunks.length === 0 ? ledger.discard : store()
    return yield* new SourceUnavailable(contradiction)
  })
  /** What the store was too slow for is read again, less at a time. */
  const unlessLate = <A, E extends { readonly _tag: string; readonly isLate?: true }, R>(
    storing: Effect.Effect<A, E, R>,
  ) => Effect.tapError(storing, ({ isLate }) => (isLate ? commitSize.tooMany(open.count) : Effect.void))
  yield* unlessLate(takeAll()).pipe(
    Effect.onInterrupt(() =>
      Effect.catch(unlessLate(ledger.commit(true)), (error) =>
        Effect.logWarning("the last part of the backfill could not be stored", error),
      ),
    ),
  )
})
