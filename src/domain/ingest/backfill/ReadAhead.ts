/** Chunks read ahead of the writer, in order, within memory that the chains in backfill share: the fewer there are, the further each one reads. */
import { Effect, type Fiber, Latch, Queue, type Scope } from "effect"
import type { Chunk } from "../decode/chunk.ts"

let sharers = 0

/** What was read, and what it comes to when it is the writer's turn: its source may have been found wrong meanwhile. */
export interface ReadChunk {
  readonly chunk: Chunk
  readonly settled: Effect.Effect<Settled>
}

export interface Settled {
  readonly chunk: Chunk
  /** Reads the blocks behind it once the writer has it: there is no room for all of them at once. Absent = there are none. */
  readonly rest?: Effect.Effect<ReadChunk>
}

export interface ReadAhead {
  /** Ends with undefined. */
  readonly chunks: Queue.Queue<Fiber.Fiber<ReadChunk> | undefined>
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
    chunks: yield* Queue.unbounded<Fiber.Fiber<ReadChunk> | undefined>(),
    count: (change) => {
      waiting += change
      if (waiting < Math.floor(most / sharers)) room.openUnsafe()
      else room.closeUnsafe()
    },
    hasRoom: room.await,
  } satisfies ReadAhead as ReadAhead
})
