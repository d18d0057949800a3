/** Bodies that come piece by piece: as fast as the client reads, of constant size in memory, and no longer than it reads. */
import { type Effect, Exit } from "effect"
import type { TextChunks } from "../contract/call.ts"
import type { PieceCompressor } from "../encoding/compress.ts"

/** Runs an effect on the service's ports. */
export type Run<R> = <A>(effect: Effect.Effect<A, unknown, R>) => Promise<Exit.Exit<A, unknown>>

export interface StreamLimits {
  /** How long a client may leave a piece unread. */
  readonly unreadMs: number
  /** How long further rows may take: the first ones have a request's time. */
  readonly rowsMs: number
  /** How long a whole answer may take: its snapshot keeps the database from cleaning up. */
  readonly wholeMs: number
  /** What a client must read where others wait, and for how long it may read less, or nothing. */
  readonly leastBytesPerSecond: number
  readonly patienceMs: number
  /** Of a piece: small enough that a slow client takes some in its time. */
  readonly pieceBytes: number
}

const defaults: StreamLimits = {
  unreadMs: 15_000,
  rowsMs: 30_000,
  wholeMs: 3_600_000,
  leastBytesPerSecond: 65_536,
  patienceMs: 5000,
  pieceBytes: 65_536,
}

/** How often a piece that lies unread is looked at. */
const looksPerPatience = 10

/**
 * A body of `chunks`. One that fails half-way is broken off, never ended: whoever reads to the end has all. `chunks` are
 * closed in every case. `compressor`: pieces are compressed as they are taken, never ahead; the pace is that of the rows.
 */
export const streamOf = <R>(
  chunks: TextChunks<R>,
  run: Run<R>,
  limits: Partial<StreamLimits> = {},
  compressor?: PieceCompressor,
): ReadableStream<Uint8Array> => {
  const { unreadMs, rowsMs, wholeMs, leastBytesPerSecond, patienceMs, pieceBytes } = { ...defaults, ...limits }
  const encoder = new TextEncoder()
  // A clock that never jumps.
  const ends = performance.now() + wholeMs
  const pace = makePace(leastBytesPerSecond, patienceMs)
  let timer: ReturnType<typeof setInterval> | undefined
  let rest = new Uint8Array(0)
  let over = false
  const finish = (): void => {
    clearInterval(timer)
    if (over) return
    over = true
    compressor?.close()
    void run(chunks.close)
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        clearInterval(timer)
        pace.taken()
        const fail = (why: string) => {
          finish()
          // The runtime prints it.
          controller.error(new Error(`a streamed answer was broken off: ${why}`))
        }
        if (performance.now() > ends) return fail("the answer took too long")
        while (rest.byteLength === 0) {
          timer = setInterval(() => fail("the store gives no further rows"), rowsMs)
          const exit = await run(chunks.pull)
          clearInterval(timer)
          if (over) return
          if (Exit.isFailure(exit)) return fail("the rest cannot be read")
          if (exit.value === undefined) {
            const last = await compressor?.end().catch(() => "failed" as const)
            if (over) return
            if (last === "failed") return fail("it cannot be compressed")
            finish()
            if (last !== undefined) controller.enqueue(last)
            return controller.close()
          }
          rest = encoder.encode(exit.value)
        }
        const piece = rest.subarray(0, pieceBytes)
        rest = rest.subarray(piece.byteLength)
        const sent = compressor === undefined ? piece : await compressor.piece(piece).catch(() => undefined)
        if (over) return
        if (sent === undefined) return fail("it cannot be compressed")
        pace.offered(piece.byteLength)
        const look = () => {
          if (pace.unreadMs() >= unreadMs) fail("the client reads no more")
          else if (pace.isSlow() && chunks.mustYield?.() === true) fail("the client reads slowly, and others wait")
        }
        timer = setInterval(look, Math.min(unreadMs, patienceMs / looksPerPatience))
        controller.enqueue(sent)
      },
      cancel: finish,
    },
    { highWaterMark: 1 },
  )
}

/** How fast a client takes what it is offered; the time that the rows take does not count. */
const makePace = (leastBytesPerSecond: number, patienceMs: number) => {
  const window = { bytes: 0, ms: 0 }
  let offeredAt: number | undefined
  let offeredBytes = 0
  const unreadMs = () => (offeredAt === undefined ? 0 : performance.now() - offeredAt)
  return {
    unreadMs,
    offered: (bytes: number) => {
      offeredAt = performance.now()
      offeredBytes = bytes
    },
    taken: () => {
      // Of what was long ago nothing is known any more: who was fast must stay so.
      if (window.ms >= 2 * patienceMs) Object.assign(window, { bytes: 0, ms: 0 })
      window.ms += unreadMs()
      window.bytes += offeredBytes
      offeredAt = undefined
      offeredBytes = 0
    },
    /** What buffers on the way took at once says nothing of a client that reads nothing since. */
    isSlow: () => {
      const ms = window.ms + unreadMs()
      return unreadMs() >= patienceMs || (ms >= patienceMs && 1000 * window.bytes < leastBytesPerSecond * ms)
    },
  }
}
