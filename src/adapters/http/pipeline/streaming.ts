/** Bodies that come piece by piece: as fast as the client reads, of constant size in memory. */
import { type Effect, Exit } from "effect"
import type { TextChunks } from "../contract/call.ts"

/** Runs an effect on the service's ports. */
export type Run<R> = <A>(effect: Effect.Effect<A, unknown, R>) => Promise<Exit.Exit<A, unknown>>

export interface StreamLimits {
  /** How long a client may leave a piece unread. */
  readonly unreadMs: number
  /** How long a whole answer may take: its snapshot keeps the database from cleaning up. */
  readonly wholeMs: number
}

const defaults: StreamLimits = { unreadMs: 60_000, wholeMs: 3_600_000 }

/**
 * A body of `chunks`. One that fails half-way is broken off, never ended: whoever reads to the end has all. `chunks` are
 * closed in every case.
 */
export const streamOf = <R>(
  chunks: TextChunks<R>,
  run: Run<R>,
  { unreadMs, wholeMs }: StreamLimits = defaults,
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  // A clock that never jumps.
  const ends = performance.now() + wholeMs
  let timer: ReturnType<typeof setTimeout> | undefined
  let over = false
  const finish = (): void => {
    clearTimeout(timer)
    if (over) return
    over = true
    void run(chunks.close)
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        clearTimeout(timer)
        const fail = (why: string) => {
          finish()
          // The runtime prints it.
          controller.error(new Error(`a streamed answer was broken off: ${why}`))
        }
        if (performance.now() > ends) return fail("the answer took too long")
        const exit = await run(chunks.pull)
        if (over) return
        if (Exit.isFailure(exit)) return fail("the rest cannot be read")
        if (exit.value === undefined) {
          finish()
          return controller.close()
        }
        timer = setTimeout(() => fail("the client reads no more"), unreadMs)
        controller.enqueue(encoder.encode(exit.value))
      },
      cancel: finish,
    },
    { highWaterMark: 1 },
  )
}
