/** Chunks read ahead of the writer, in order, within memory that the chains in backfill share: the fewer there are, the further each one reads. */
import { Effect, type Fiber, Latch, Queue, type Scope } from "effect"
import type { Chunk } from "../decode/chunk.ts"

let sharers = 0

export interface ReadAhead {
  /** Ends with undefined. */
  readonly chunks: Queue.Queue<Fiber.Fiber<Chunk> | undefined>
  /** So many movements more (or fewer) wait for the writer. */
  readonly count: (change: number) => void
  /** Waits until more may be read. */
  readonly hasRoom: Effect.Effect<void>
}

/** Of one of the chains in backfill, until the scope ends. `most`: movements of all chains together, about 550 bytes each. */
export const makeReadAhead = Effect.fnUntraced(function* (
  most: number,
): Effect.fn.Return<ReadAhead, never, Scope.Scope> {
  yield* Effect.acquireRelease(
    Effect.sync(() => void sharers++),
    () => Effect.sync(() => void sharers--),
  )
  const room = yield* Latch.make(true)
  let waiting = 0
  return {
    chunks: yield* Queue.unbounded<Fiber.Fiber<Chunk> | undefined>(),
    count: (change) => {
      waiting += change
      if (waiting < Math.floor(most / sharers)) room.openUnsafe()
      else room.closeUnsafe()
    },
    hasRoom: room.await,
  } satisfies ReadAhead as ReadAhead
})
